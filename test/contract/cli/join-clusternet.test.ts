import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { runJoin } from "../../../src/cli/commands/join.ts";
import { objectsAt, textAt, textsAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub, readyHub } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { openClusternetHubSession } from "../clusternet/clusternet-hub-session.ts";
import type { ClusternetHubSession } from "../clusternet/clusternet-hub-session.ts";

describe("rollcall join --protocol clusternet", () => {
  let dir = "";
  let session: ClusternetHubSession;
  let downstream: HubUnderTest;
  let downstreamApi: KubeApi;
  let token = "";
  const place = { type: resourceTypes.deployment, namespace: "clusternet-system", name: "clusternet-agent" };
  const run = (options: Record<string, string | boolean>) => {
    const given = { protocol: "clusternet", kubeconfig: join(dir, "downstream"), ...options };
    return runCommand("join", runJoin, { options: given });
  };
  const fromHub = (name: string) => ({
    "from-hub": `${session.workspace}/door`,
    "cluster-name": name,
    "hub-kubeconfig": join(dir, "hub"),
  });
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "rollcall-join-clusternet-"));
    session = await openClusternetHubSession(await readyHub());
    downstream = await embeddedHub();
    downstreamApi = apiOf(readKubeconfig(downstream.kubeconfig));
    await writeFile(join(dir, "hub"), session.kubeconfig, { mode: 0o600 });
    await writeFile(join(dir, "downstream"), downstream.kubeconfig, { mode: 0o600 });
    await session.declareToken("door", { clusterNames: ["edge-1"] });
    token = (await session.agentOf("door", "edge-1")).doorToken;
  });
  afterAll(async () => {
    await downstreamApi.close();
    await downstream.stop();
    await session.close();
    await rm(dir, { recursive: true, force: true });
  });

  it("prints the flags of an agent, the token only when it is asked for", async () => {
    const lines = (shown: string) => [
      `--cluster-reg-parent-url=${session.api.server}`,
      `--cluster-reg-token=${shown}`,
      "--cluster-reg-name=edge-1",
      `--cluster-labels=rollcall.dev/workspace=${session.workspace},rollcall.dev/token=door,site=oslo`,
    ];
    const flags = { ...fromHub("edge-1"), "print-flags": true, label: "site=oslo" };
    const hidden = await run(flags);
    expect(hidden.text).not.toContain(token);
    const { text } = await run({ ...flags, "show-secrets": true });
    expect(text.split("\n").filter((line) => line.startsWith("--"))).toEqual(lines(token));
  });

  it("installs the agent in the cluster, with its token in a Secret and nowhere else", async () => {
    const { code, text } = await run(fromHub("edge-1"));
    expect(code, text).toBe(0);
    expect(text).not.toContain(token);
    const found = await downstreamApi.get(place);
    expect(JSON.stringify(found)).not.toContain(token);
    const [container] = objectsAt(found, "spec", "template", "spec", "containers");
    expect(textsAt(container, "command")).toContain(
      `--cluster-labels=rollcall.dev/workspace=${session.workspace},rollcall.dev/token=door`,
    );
    const ref = { ...place, type: resourceTypes.secret, name: "clusternet-agent-cluster-registration" };
    const encoded = textAt(await downstreamApi.get(ref), "data", "regToken") ?? "";
    expect(Buffer.from(encoded, "base64").toString("utf8")).toBe(token);
  });

  it("prints the same objects on a dry run, without the token", async () => {
    const { text } = await run({ ...fromHub("edge-1"), "dry-run": true });
    for (const kind of ["Namespace", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "Secret", "Deployment"])
      expect(text).toContain(`kind: ${kind}\n`);
    expect(text).not.toContain(token);
    expect(text).not.toContain(Buffer.from(token, "utf8").toString("base64"));
  });

  it("prints an agent as the declared Cluster has it, with the image of the command", async () => {
    await session.declareToken("other", { clusterNames: ["edge-3"] });
    await session.agentOf("other", "edge-3");
    const agent = { image: "example.com/declared:v1", priorityClassName: "high" };
    await session.declareCluster("edge-3", { protocol: "clusternet", agent });
    const options = { ...fromHub("edge-3"), "from-hub": `${session.workspace}/other`, "dry-run": true };
    const declared = (await run(options)).text;
    for (const line of ["image: example.com/declared:v1", "priorityClassName: high"]) expect(declared).toContain(line);
    const named = (await run({ ...options, "agent-image": "example.com/named:v2" })).text;
    for (const line of ["image: example.com/named:v2", "priorityClassName: high"]) expect(named).toContain(line);
  });

  it("reports what is missing: the cluster's name, or the cluster in the token", async () => {
    const { "cluster-name": _name, ...rest } = fromHub("edge-1");
    await expect(run(rest)).rejects.toMatchObject({ code: "E_USAGE" });
    await expect(run(fromHub("edge-2"))).rejects.toMatchObject({
      code: "E_KUBE_NOT_FOUND",
      message: expect.stringContaining("has nothing for cluster edge-2: its token must name it, and be open") as string,
    });
  });
});
