import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { installCrds } from "../../../src/install/install-crds.ts";
import { runJoin } from "../../../src/cli/commands/join.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { version } from "../../../src/core/version.ts";
import { installationObjects, renderManifest } from "../../../src/join/rollcall/manifests/agent-manifest.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypeOf, resourceTypes } from "../../../src/model/resource-types.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { neverAborted } from "../../support/never-aborted.ts";

const values = {
  hub: { url: "https://hub.example.com:6443", caBundle: "", id: `sha256:${"a".repeat(64)}` },
  workspace: "fleet",
  token: { name: "door", credential: "credential-to-keep", proofKey: Buffer.alloc(32, 7).toString("base64") },
};
const secretText = JSON.stringify(values);

describe("rollcall join", () => {
  let dir = "";
  let hub: HubUnderTest;
  let downstream: HubUnderTest;
  let downstreamApi: KubeApi;
  const fileOf = (name: string) => join(dir, name);
  const run = (options: Record<string, string | boolean>, stdin = "") =>
    runCommand("join", runJoin, { options: { kubeconfig: fileOf("downstream"), ...options }, stdin });

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "rollcall-join-"));
    [hub, downstream] = await Promise.all([embeddedHub(), embeddedHub()]);
    await writeFile(fileOf("hub"), hub.kubeconfig);
    await writeFile(fileOf("downstream"), downstream.kubeconfig);
    await writeFile(fileOf("values.json"), secretText);
    downstreamApi = apiOf(readKubeconfig(downstream.kubeconfig));
  });
  afterAll(async () => {
    await downstreamApi.close();
    await Promise.all([hub.stop(), downstream.stop()]);
    await rm(dir, { recursive: true, force: true });
  });

  it("prints the manifests without values, and touches nothing, on a dry run", async () => {
    const { code, text } = await run({ values: fileOf("values.json"), "dry-run": true, kubeconfig: "/nowhere" });
    expect(code).toBe(0);
    const printed = parseAllDocuments(text).map((document) => document.toJS() as unknown);
    const manifest = renderManifest({
      namespace: "rollcall-agent",
      image: `rollcall:${version}`,
      settings: {},
      deadlineSeconds: 600,
    });
    const wanted = installationObjects(manifest, { ...values, cluster: {} });
    const isValues = (object: unknown) => textAt(object, "metadata", "name") === "rollcall-agent-values";
    expect(printed.filter((object) => !isValues(object))).toEqual(wanted.filter((object) => !isValues(object)));
    expect(printed.length).toBe(wanted.length);
    for (const secret of [values.token.credential, values.token.proofKey, Buffer.from(secretText).toString("base64")]) {
      expect(text).not.toContain(secret.slice(0, 20));
    }
    const shown = await run({ values: fileOf("values.json"), "dry-run": true, "show-secrets": true });
    const secret = parseAllDocuments(shown.text)
      .map((document) => document.toJS() as unknown)
      .find(isValues);
    expect(JSON.parse(Buffer.from(textAt(secret, "data", "values") ?? "", "base64").toString())).toMatchObject(values);
    expect(await downstreamApi.get({ type: resourceTypes.namespace, name: "rollcall-agent" })).toBeUndefined();
  });

  it("installs every object, with the cluster's values of the command line, and prints no secret", async () => {
    const { text } = await run(
      { values: "-", "cluster-name": "edge-7", "client-id": "seven", label: "site=oslo,tier=edge" },
      secretText,
    );
    expect(text).toContain("join workspace fleet as edge-7, by token door");
    expect(text).not.toContain(values.token.credential);
    const manifest = renderManifest({ namespace: "rollcall-agent", image: "x", settings: {}, deadlineSeconds: 600 });
    for (const object of installationObjects(manifest, values)) {
      const type = resourceTypeOf(object);
      const { namespace, name } = object.metadata;
      const found = type && (await downstreamApi.get({ type, ...(namespace ? { namespace } : {}), name }));
      expect(found?.metadata.labels, `${object.kind}/${name}`).toMatchObject({
        "app.kubernetes.io/managed-by": "rollcall",
      });
    }
    const secret = await downstreamApi.get({
      type: resourceTypes.secret,
      namespace: "rollcall-agent",
      name: "rollcall-agent-values",
    });
    expect(JSON.parse(Buffer.from(textAt(secret, "data", "values") ?? "", "base64").toString())).toEqual({
      ...values,
      cluster: { name: "edge-7", clientID: "seven", labels: { site: "oslo", tier: "edge" } },
    });
    expect(text).toContain(`: kubectl --kubeconfig ${fileOf("downstream")} -n rollcall-agent logs deployment/`);
    expect(text).not.toContain("The namespace was there before");
  });

  it("reports that a member of a hub stays its member", async () => {
    const { text } = await run({ values: fileOf("values.json") });
    expect(text).toContain(
      "The namespace was there before. If its agent is a member of a hub, it uses these values only",
    );
  });

  it("takes the values from the Secret of a token on the hub", async () => {
    const hubApi = apiOf(readKubeconfig(hub.kubeconfig));
    try {
      await installCrds(hubApi, neverAborted());
      const options = { "from-hub": "door", "hub-kubeconfig": fileOf("hub"), "agent-namespace": "agents" };
      await expect(run(options)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
      const metadata = { name: "door", namespace: "fleet" };
      const write = { fieldManager: "test" };
      await hubApi.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "fleet" } }, write);
      const spec = { ttl: "240h" };
      const token = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistrationToken", metadata, spec };
      await hubApi.create(token, write);
      await expect(run(options)).rejects.toThrow(/Secret fleet\/door .* is not on the hub/u);
      const data = { values: Buffer.from(secretText).toString("base64") };
      await hubApi.create({ apiVersion: "v1", kind: "Secret", metadata, data }, write);
      expect((await run(options)).text).toContain("namespace agents");
      expect((await run({ ...options, "from-hub": "fleet/door" })).code).toBe(0);
      const longer = { ...options, "from-hub": "fleet/door/more" };
      await expect(run(longer)).rejects.toMatchObject({ code: "E_USAGE" });
    } finally {
      await hubApi.close();
    }
  });

  it("refuses a namespace that was not made by it", async () => {
    await downstreamApi.create(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
      { fieldManager: "test" },
    );
    const options = { values: fileOf("values.json"), "agent-namespace": "shop" };
    await expect(run(options)).rejects.toMatchObject({ code: "E_USAGE" });
    await expect(run({ ...options, "agent-namespace": "kube-system" })).rejects.toMatchObject({ code: "E_USAGE" });
  });

  it.each<{ options: Record<string, string>; stdin: string; code: string; reason: string }>([
    { options: {}, stdin: "", code: "E_USAGE", reason: "no values" },
    { options: { values: "-", "from-hub": "door" }, stdin: "", code: "E_USAGE", reason: "two sources" },
    { options: { "from-hub": "door" }, stdin: "", code: "E_USAGE", reason: "no hub" },
    { options: { values: "/nowhere/values" }, stdin: "", code: "E_USAGE", reason: "no such file" },
    { options: { values: "-", label: "a" }, stdin: secretText, code: "E_USAGE", reason: "no label" },
    { options: { values: "-", label: "rollcall.dev/a=b" }, stdin: secretText, code: "E_USAGE", reason: "reserved" },
    { options: { values: "-", "cluster-name": "A.b" }, stdin: secretText, code: "E_USAGE", reason: "no name" },
    { options: { values: "-" }, stdin: "hub: {", code: "E_AGENT_VALUES", reason: "no YAML" },
    { options: { values: "-" }, stdin: "hub: &a {x: *a}", code: "E_AGENT_VALUES", reason: "an alias" },
    { options: { values: "-" }, stdin: "", code: "E_AGENT_VALUES", reason: "empty" },
    {
      options: { values: "-" },
      stdin: JSON.stringify({ ...values, hub: { ...values.hub, url: "http://hub.example.com" } }),
      code: "E_AGENT_VALUES",
      reason: "plain http",
    },
    {
      options: { values: "-" },
      stdin: JSON.stringify({ ...values, agent: { replicas: "many" } }),
      code: "E_AGENT_VALUES",
      reason: "settings of no agent",
    },
  ])("refuses $reason, and repeats no value", async ({ options, stdin, code }) => {
    const failure: unknown = await run(options, stdin).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code });
    expect(String(failure)).not.toContain(values.token.credential);
  });
});
