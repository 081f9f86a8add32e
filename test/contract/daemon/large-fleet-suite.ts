import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { AuditedHub, AuditedWrite } from "../../support/audited-hub.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const clusterCount = 30;
const indexes = Array.from({ length: clusterCount }, (_, index) => index);

/** What the daemon writes for many clusters, as the hub records it; the same on every hub. */
export function describeLargeFleet(name: string, startHub: () => Promise<AuditedHub>): void {
  describe(`a fleet of ${clusterCount} clusters on ${name}`, () => {
    let hub: AuditedHub;
    let session: DaemonSession;
    const clusters = async (): Promise<readonly KubeObject[]> =>
      (await session.api.list(resourceTypes.cluster, { namespace: session.workspace })).items;
    /** What is done to clusters, and what is made for them, while `work` runs. */
    const writesDuring = async (work: () => Promise<unknown>): Promise<readonly AuditedWrite[]> => {
      const before = (await hub.writes()).length;
      await work();
      return (await hub.writes()).slice(before).filter(({ namespace }) => namespace === session.workspace);
    };
    const restart = async (): Promise<void> => {
      await session.stopDaemon();
      await session.startDaemon({ spec: { deletionBudget: { minimum: 0, maximum: 0 } } });
      await session.settle();
    };

    beforeAll(async () => {
      hub = await startHub();
      session = await openDaemonSession(hub, { daemonKubeconfig: hub.daemonKubeconfig });
      const files = indexes.map((index) => [`clusters/c-${index}.yaml`, clusterFile(index, "a")] as const);
      await session.repository.commit({ files: Object.fromEntries(files) });
      await session.startDaemon({ spec: { deletionBudget: { minimum: 0, maximum: 0 } } });
      await session.settle();
      // The controllers of the hub follow: what they write belongs to no test.
      await until(
        async () => (await clusters()).filter(({ status }) => status === undefined).length,
        (waiting) => waiting === 0,
      );
      await restart();
    });
    afterAll(() => session.close());

    it("F8 writes nothing to a cluster when the daemon is started again", async () => {
      expect(await clusters()).toHaveLength(clusterCount);
      expect(await writesDuring(restart)).toEqual([]);
    });

    it("F8 writes what a new commit changes first, and no other cluster, when the daemon is started again", async () => {
      const writes = await writesDuring(async () => {
        await session.stopDaemon();
        await session.repository.commit({ files: { "clusters/c-0.yaml": clusterFile(0, "b") } });
        await restart();
      });
      expect(writes[0]).toMatchObject({ verb: "update", resource: "clusters", name: "c-0" });
      expect([...new Set(writes.map((write) => write.name))]).toEqual(["c-0"]);
    });

    it("F3 neither deletes nor makes a cluster whose file is renamed, moved or joined with others", async () => {
      const uids = async () => (await clusters()).map(({ metadata }) => `${metadata.name} ${metadata.uid ?? ""}`);
      const before = await uids();
      const moved = indexes.slice(1);
      const fileOf = (index: number): string => clusterFile(index, "a");
      const files = {
        ...Object.fromEntries(moved.map((index) => [`clusters/c-${index}.yaml`, null])),
        ...Object.fromEntries(moved.slice(0, 10).map((index) => [`clusters/renamed-${index}.yaml`, fileOf(index)])),
        ...Object.fromEntries(moved.slice(10, 20).map((index) => [`europe/c-${index}.yaml`, fileOf(index)])),
        "all.yaml": moved.slice(20).map(fileOf).join("---\n"),
      };
      const writes = await writesDuring(async () => {
        await session.repository.commit({ files });
        expect(await session.settle()).toMatchObject({ errorCount: 0, isApplied: true, withheldCount: 0 });
      });
      expect(writes).toEqual([]);
      expect(await uids()).toEqual(before);
    });
  });
}

function clusterFile(index: number, env: string): string {
  return [
    "apiVersion: rollcall.dev/v1alpha1",
    "kind: Cluster",
    `metadata: { name: c-${index}, labels: { env: ${env} } }`,
    `spec: { displayName: Cluster ${index} }`,
    "",
  ].join("\n");
}
