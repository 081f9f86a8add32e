import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runJoin } from "../../../src/cli/commands/join.ts";
import { textAt, textMapAt } from "../../../src/core/read-json.ts";
import { parseJson } from "../../../src/core/parse-json.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import type { FleetBootstrap } from "../../support/fleet-agent-client.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub, readyHub } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { openFleetHubSession } from "../fleet/fleet-hub-session.ts";
import type { FleetHubSession } from "../fleet/fleet-hub-session.ts";

const namespace = "cattle-fleet-system";

describe("rollcall join --protocol fleet", () => {
  let dir = "";
  let session: FleetHubSession;
  let downstream: HubUnderTest;
  let downstreamApi: KubeApi;
  let bootstrap: FleetBootstrap;
  const run = (options: Record<string, string | boolean>, stdin = "") => {
    const given = { protocol: "fleet", kubeconfig: join(dir, "downstream"), ...options };
    return runCommand("join", runJoin, { options: given, stdin });
  };
  const fromHub = () => ({ "from-hub": `${session.workspace}/door`, "hub-kubeconfig": join(dir, "hub") });
  const installed = (type: (typeof resourceTypes)[keyof typeof resourceTypes], name: string) =>
    downstreamApi.get({ type, namespace, name });
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "rollcall-join-fleet-"));
    session = await openFleetHubSession(await readyHub());
    downstream = await embeddedHub();
    downstreamApi = apiOf(readKubeconfig(downstream.kubeconfig));
    await writeFile(join(dir, "hub"), session.kubeconfig, { mode: 0o600 });
    await writeFile(join(dir, "downstream"), downstream.kubeconfig, { mode: 0o600 });
    await session.declareToken("door", { clusterNames: ["*"] });
    bootstrap = await session.bootstrapOf("door");
  });
  afterAll(async () => {
    await downstreamApi.close();
    await downstream.stop();
    await session.close();
    await rm(dir, { recursive: true, force: true });
  });

  it("prints the manifests without values, and touches nothing, on a dry run", async () => {
    const { code, text } = await run({ ...fromHub(), "dry-run": true });
    expect(code).toBe(0);
    expect(text).toContain("token: <hidden");
    expect(text).not.toContain(bootstrap.token);
    expect(await downstreamApi.get({ type: resourceTypes.namespace, name: namespace })).toBeUndefined();
  });

  it("installs the agent with the values of the token, and names the server that it is installed in", async () => {
    const { code, text } = await run({ ...fromHub(), "client-id": "edge-7-id", label: "site=oslo" });
    expect(code, text).toBe(0);
    expect(text).toContain(`installed in ${downstreamApi.server}`);
    expect(text).not.toContain(bootstrap.token);
    const secret = await installed(resourceTypes.secret, "fleet-agent-bootstrap");
    const read = (key: string) => Buffer.from(textAt(secret, "data", key) ?? "", "base64").toString("utf8");
    const keys = ["apiServerURL", "apiServerCA", "clusterNamespace", "token", "tokenName"] as const;
    for (const key of keys) expect(read(key), key).toBe(bootstrap[key]);
    const config = parseJson(textAt(await installed(resourceTypes.configMap, "fleet-agent"), "data", "config") ?? "");
    expect(textAt(config, "clientID")).toBe("edge-7-id");
    expect(textMapAt(config, "labels")).toEqual({ "rollcall.dev/token": "door", site: "oslo" });
    expect(await installed(resourceTypes.deployment, "fleet-agent")).toBeDefined();
  });

  it("installs the agent as the Cluster with its clientID declares it: the hub waits for heartbeats of that period", async () => {
    const spec = { protocol: "fleet", clientID: "edge-9-id", heartbeat: { periodSeconds: 45 } } as const;
    await session.declareCluster("a-edge-9", {
      protocol: "rollcall",
      clientID: spec.clientID,
      heartbeat: { periodSeconds: 50 },
    });
    await session.declareCluster("edge-9", { ...spec, agent: { priorityClassName: "high" } });
    const dryRun = { ...fromHub(), "dry-run": true };
    const { text } = await run({ ...dryRun, "client-id": "edge-9-id", "agent-image": "example.com/fleet-agent:v9" });
    for (const line of ["value: 45s", "priorityClassName: high", "image: example.com/fleet-agent:v9"])
      expect(text).toContain(line);
    const other = (await run({ ...dryRun, "client-id": "edge-10-id" })).text;
    expect(other).toContain("value: 900s");
    expect(other).not.toContain("priorityClassName");
  });

  it("installs what an agent registers with, and keeps its credential when it is repeated", async () => {
    const agent = new FleetAgentClient(bootstrap, { clientID: "edge-7-id" });
    expect(await agent.register({ site: "oslo" })).toBe(true);
    const metadata = { name: "fleet-agent", namespace };
    const data = { kubeconfig: Buffer.from("of the agent").toString("base64") };
    await downstreamApi.create({ apiVersion: "v1", kind: "Secret", metadata, data }, { fieldManager: "fleet" });
    const before = await installed(resourceTypes.deployment, "fleet-agent");
    expect((await run({ ...fromHub(), "client-id": "edge-7-id", label: "site=oslo" })).code).toBe(0);
    expect(textMapAt(await installed(resourceTypes.secret, "fleet-agent"), "data")).toEqual(data);
    expect((await installed(resourceTypes.deployment, "fleet-agent"))?.metadata.generation).toBe(
      before?.metadata.generation,
    );
  });

  it.each([
    { reason: "a name, which Fleet's agents do not ask for", options: { "cluster-name": "eu-1" }, code: "E_USAGE" },
    { reason: "no values", options: {}, code: "E_USAGE" },
    { reason: "values without a token", options: { values: "-" }, code: "E_AGENT_VALUES" },
  ])("refuses $reason", async ({ options, code }) => {
    const stdin = "apiServerURL: https://hub.example.com\nclusterNamespace: fleet\n";
    await expect(run(options as Record<string, string>, stdin)).rejects.toMatchObject({ code });
  });
});
