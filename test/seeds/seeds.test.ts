import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runValidate } from "../../src/cli/commands/validate.ts";
import { textAt } from "../../src/core/read-json.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { DaemonSession } from "../contract/daemon/daemon-session.ts";
import { openDaemonSession } from "../contract/daemon/daemon-session.ts";
import { FleetAgentClient } from "../support/fleet-agent-client.ts";
import type { FleetBootstrap } from "../support/fleet-agent-client.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
import type { HubUnderTest } from "../support/hub-under-test.ts";
import { embeddedHub } from "../support/hub-under-test.ts";
import { kubectlFolder, typeIntoShell } from "../support/shell.ts";
import { until } from "../support/until.ts";
import { readSeeds, whyNoSeeds } from "./read-seeds.ts";

const seeds = readSeeds();
const table = readFileSync(resolve(import.meta.dirname, "../../docs/source-documents.md"), "utf8");
const whyNotTyped = whyNoSeeds ?? (kubectlFolder === undefined ? "there is no kubectl" : undefined);

/** The block that begins at `document:line`. */
function blockAt(place: string): string {
  const [document = "", line] = place.split(":");
  const block = seeds.get(document)?.find((one) => one.line === Number(line));
  if (block === undefined) throw new Error(`no block begins at ${place}`);
  return block.text;
}

describe.skipIf(whyNoSeeds !== undefined)(`the source documents (skipped: ${whyNoSeeds ?? "no"})`, () => {
  it("have a row in docs/source-documents.md for each command and each YAML document, and no other", () => {
    const rows = [...table.matchAll(/^\| (\d{3}:\d+) +\|/gmu)].map(([, place]) => place);
    const blocks = [...seeds].flatMap(([document, found]) => found.map(({ line }) => `${document}:${line}`));
    expect(rows).toEqual(blocks);
  });

  it.each([
    { place: "000:21", problem: undefined },
    { place: "001:102", problem: undefined },
    { place: "001:164", problem: undefined },
    { place: "001:204", problem: "E_PLAIN_SECRET" },
    { place: "001:213", problem: undefined },
    { place: "004:12", problem: undefined },
    { place: "004:91", problem: undefined },
  ])("have a file in $place: $problem", async ({ place, problem }) => {
    const folder = await makeTempFolder();
    try {
      await writeFile(join(folder.path, "pasted.yaml"), blockAt(place));
      const parts: string[] = [];
      const code = await runValidate({ dir: folder.path, out: (part) => void parts.push(part), isColour: false });
      expect(code, parts.join("")).toBe(problem === undefined ? 0 : 1);
      expect(parts.join("")).toContain(problem ?? "no problems");
    } finally {
      await folder.remove();
    }
  });
});

describe.skipIf(whyNotTyped !== undefined)(`what the documents type (skipped: ${whyNotTyped ?? "no"})`, () => {
  let hub: HubUnderTest;
  let session: DaemonSession;
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  const type = (text: string) =>
    typeIntoShell(text, { cwd: folder.path, kubeconfig: join(folder.path, "hub.kubeconfig") });

  beforeAll(async () => {
    folder = await makeTempFolder();
    hub = await embeddedHub();
    session = await openDaemonSession(hub);
    await writeFile(join(folder.path, "hub.kubeconfig"), hub.kubeconfig, { mode: 0o600 });
    // The documents name this namespace; a workspace needs its label.
    const metadata = { name: "clusters", labels: { "rollcall.dev/workspace": "true" } };
    await session.api.create({ apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager: "test" });
  });
  afterAll(async () => {
    await session.close();
    await hub.stop();
    await folder.remove();
  });

  it("ends with a registered cluster: token, wait, values, agent, table (000:21, 000:34, 001:80, 001:178, 001:187)", async () => {
    await session.startDaemon({
      spec: { workspaces: ["clusters"], defaultWorkspace: "clusters" },
      serves: [{ name: "fleet", controllers: "Rollcall" }],
    });
    const waiting = type(blockAt("001:178"));
    const files = { "token.yaml": blockAt("000:21"), "cluster.yaml": blockAt("001:102") };
    await session.repository.commit({ files, message: "as pasted" });
    expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
    expect((await waiting).code).toBe(0);

    for (const place of ["000:34", "001:187"]) expect(await type(blockAt(place)), place).toMatchObject({ code: 0 });
    const values: unknown = parse(await readFile(join(folder.path, "values.yaml"), "utf8"));
    expect(textAt(values, "clusterNamespace")).toBe("clusters");
    const bootstrap = values as FleetBootstrap;

    const agent = new FleetAgentClient(bootstrap, { clientID: "really-random" });
    expect(await agent.register({})).toBe(true);
    expect((await agent.heartbeat()).status).toBe(200);
    const ref = { type: resourceTypes.fleetCluster, namespace: "clusters", name: "my-cluster" };
    await until(
      async () => JSON.stringify((await session.api.get(ref))?.["status"] ?? {}),
      (status) =>
        status.includes('"type":"Ready","status":"True"') || status.includes('"status":"True","type":"Ready"'),
    );
    const listed = await type(blockAt("001:80"));
    expect(listed.output).toMatch(/^NAME +BUNDLES-READY +LAST-SEEN +STATUS *$/mu);
    expect(listed.output).toMatch(/^my-cluster +0\/0 +\d{4}-\d\d-\d\dT\S+ *$/mu);
    const waited = await type("kubectl -n clusters wait --for=condition=Ready clusters.fleet.cattle.io/my-cluster");
    expect(waited, waited.output).toMatchObject({ code: 0 });
    await session.stopDaemon();
  });

  it("shows a cluster of Clusternet that is declared as pasted (004:8, 004:12, 004:87, 004:90, 004:91)", async () => {
    const spec = { workspaces: ["clusters"], defaultWorkspace: "clusters" };
    await session.startDaemon({ spec, serves: [{ name: "clusternet", controllers: "Rollcall" }] });
    const files = { "token.yaml": null, "cluster.yaml": null };
    const pasted = { "approval.yaml": blockAt("004:12"), "managed.yaml": blockAt("004:91") };
    await session.repository.commit({ files: { ...files, ...pasted }, message: "as pasted" });
    expect(await session.settle()).toMatchObject({ errorCount: 0 });
    const ref = { type: resourceTypes.managedCluster, namespace: "clusternet-dhxfs", name: "clusternet-cluster-dzqkw" };
    await until(
      () => session.api.get(ref),
      (found) => found !== undefined,
    );
    const wide = await type(blockAt("004:87"));
    expect(wide.output).toMatch(/^NAMESPACE +NAME +CLUSTER ID +CLUSTER TYPE +SYNC MODE/mu);
    expect(wide.output).toMatch(/^clusternet-dhxfs +clusternet-cluster-dzqkw +dc91021d-\S+ +EdgeCluster +Dual/mu);
    const whole = await type(blockAt("004:90"));
    expect(whole.output).toContain("clusterId: dc91021d-2361-4f6d-a404-7c33b9e01118");
    expect(await type(blockAt("004:8"))).toMatchObject({ code: 0 });
    await session.stopDaemon();
  });

  it("shows a member of KubeFleet in the table and its status (003:37, 003:38, 003:81, 003:91)", async () => {
    const spec = { workspaces: ["clusters"], defaultWorkspace: "clusters" };
    await session.startDaemon({ spec, serves: [{ name: "kubefleet", controllers: "Rollcall" }] });
    const member = {
      apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
      kind: "MemberCluster",
      metadata: { name: "seed-member" },
      spec: { identity: { kind: "User", name: "agent", apiGroup: "rbac.authorization.k8s.io" } },
    };
    const files = { "approval.yaml": null, "managed.yaml": null, "member.yaml": JSON.stringify(member) };
    await session.repository.commit({ files, message: "a member" });
    expect(await session.settle()).toMatchObject({ errorCount: 0 });
    const ref = { type: resourceTypes.memberCluster, name: "seed-member" };
    await until(
      async () => JSON.stringify((await session.api.get(ref))?.["status"] ?? {}),
      (status) => status.includes("ReadyToJoin"),
    );
    const context = (await type("kubectl config current-context")).output.trim();
    const set = `export MEMBER_CLUSTER=seed-member HUB_CLUSTER_CONTEXT=${context} MEMBER_CLUSTER_CONTEXT=${context}`;
    for (const place of ["003:37", "003:81"])
      expect((await type(`${set}\n${blockAt(place)}`)).output, place).toContain(`Switched to context "${context}".`);
    const listed = await type(`${set}\n${blockAt("003:38")}`);
    expect(listed.output).toMatch(/^NAME +JOINED +AGE +MEMBER-AGENT-LAST-SEEN +NODE-COUNT/mu);
    expect(listed.output).toMatch(/^seed-member +Unknown /mu);
    const status = await type(`${set}\n${blockAt("003:91")}`);
    expect(status.output).toContain('"reason":"MemberClusterReadyToJoin"');
    await session.stopDaemon();
  });
});
