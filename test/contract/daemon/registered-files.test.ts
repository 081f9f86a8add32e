import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { isFromGit } from "../../../src/planning/edits-by-hand.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { askToJoin } from "./ask-to-join.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const { cluster, repository: repositoryType } = resourceTypes;

describe("the file of a cluster that a token admitted", () => {
  let hub: HubUnderTest;
  let session: DaemonSession;
  beforeAll(async () => {
    hub = await readyHub();
    return () => hub.stop();
  });
  afterEach(() => session.close());

  async function start(options: Parameters<DaemonSession["startDaemon"]>[0] = {}, files: Files = {}): Promise<void> {
    session = await openDaemonSession({ ...hub, stop: () => Promise.resolve() });
    await session.repository.commit({ files: { "token.yaml": token, ...files } });
    await session.startDaemon(options);
    await session.settle();
  }

  const branch = (): string => `rollcall/registered/${session.workspace}/token`;
  const head = (): Promise<string | undefined> => session.repository.head(branch());
  const pathOf = (name: string): string => `clusters/${session.workspace}/${name}.yaml`;

  async function join(name: string): Promise<void> {
    await askToJoin(session, "token", name);
    await until(
      () => session.get(cluster, name),
      (object) => object !== undefined,
    );
    // The run for new clusters may come later.
    session.enqueue();
  }

  const untilOffered = (): Promise<string | undefined> => until(head, (commit) => commit !== undefined);

  it("is offered on a branch; merged, it changes nothing, and nothing more is offered", async () => {
    await start();
    await join("edge-1");
    const commit = (await untilOffered()) ?? "";
    expect((await session.repository.fileNames(commit)).sort()).toEqual([pathOf("edge-1"), "token.yaml"]);
    const text = await session.repository.git("show", `${commit}:${pathOf("edge-1")}`);
    expect(text).toContain("clientID: uid-edge-1");
    expect(text).toMatch(/keys:\n +- sha256:[0-9a-f]{64}\n/u);
    expect(text).toContain("site: north");
    const before = await session.get(cluster, "edge-1");

    await session.repository.git("update-ref", "refs/heads/main", commit);
    expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
    const after = await session.get(cluster, "edge-1");
    expect(after && isFromGit(after)).toBe(true);
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after?.metadata.labels).toEqual(before?.metadata.labels);
    expect(textAt(after, "status", "join", "time")).toBe(textAt(before, "status", "join", "time"));
    expect(await head()).toBeUndefined();
    await session.repository.commit({ files: { "README.md": "x" } });
    await session.settle();
    expect(await head()).toBeUndefined();
  });

  it("is not offered while a file with an error may declare the cluster", async () => {
    await start();
    await session.repository.commit({
      files: { [pathOf("edge-1")]: `${clusterFile("edge-1")}spec: {displayNam: x}\n` },
    });
    await session.settle();
    await join("edge-1");
    await join("edge-2");
    const commit = (await untilOffered()) ?? "";
    expect(await session.repository.git("diff", "--name-only", "main", commit)).toBe(`${pathOf("edge-2")}\n`);
  });

  it("is not proposed where the Repository would not read it, and an Event names the reason", async () => {
    await start({ spec: { paths: ["/fleet"] } }, { "fleet/token.yaml": token });
    await join("edge-1");
    await until(
      () => Promise.resolve(session.log.lines.join("\n")),
      (text) => text.includes("which the Repository does not read"),
    );
    expect(await head()).toBeUndefined();
  });

  it.each([
    { reason: "the Repository asks for none", spec: { proposals: { clusters: "Pending" as const } } },
    { reason: "nothing is written to the repository", spec: { writeBack: { mode: "None" as const } } },
  ])("is not offered when $reason", async ({ spec }) => {
    await start({ spec });
    await join("edge-1");
    await session.lookAgain();
    expect(await head()).toBeUndefined();
  });

  it("A65 is not offered of a revoked cluster, and is taken back at its revocation: a merge would admit it again", async () => {
    await start();
    await join("edge-1");
    await untilOffered();
    await session.api.mergePatch(
      { type: cluster, namespace: session.workspace, name: "edge-1" },
      { metadata: { annotations: { [annotationKeys.revoked]: "-/alice/2026-01-01T00:00:00Z" } } },
      { fieldManager: "rollcall-operator" },
    );
    session.enqueue();
    await until(head, (commit) => commit === undefined);
    await session.repository.commit({ files: { "README.md": "x" } });
    await session.settle();
    expect(await head()).toBeUndefined();
  });

  it("is taken back by a daemon that starts after the policy changed", async () => {
    await start();
    await join("edge-1");
    await untilOffered();
    await session.stopDaemon();
    const ref = { type: repositoryType, namespace: session.namespace, name: "fleet" };
    await session.api.mergePatch(ref, { spec: { proposals: { clusters: "Pending" } } }, { fieldManager: "test" });
    await session.startDaemon({ spec: { proposals: { clusters: "Pending" } } });
    await until(head, (commit) => commit === undefined);
  });
});

type Files = Readonly<Record<string, string>>;

const token = JSON.stringify({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterRegistrationToken",
  metadata: { name: "token" },
  spec: { ttl: "240h", clusterLabels: { site: "north" } },
});

function clusterFile(name: string): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\n`;
}
