import { beforeEach, describe, expect, it } from "vitest";
import { valueAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const file = (spec: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a}\nspec: ${spec}\n`;

/** Which items and fields of lists an apply takes away, by the managed fields of the hub. */
export function describeListFields(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`lists of a Cluster on ${name}`, () => {
    let session: DaemonSession;
    beforeEach(async () => {
      session = await openDaemonSession(await startHub());
      return () => session.close();
    });

    /** What the hub has of the Cluster after the file was pushed, and after one more run. */
    async function push(spec: string) {
      await session.repository.commit({ files: { "a.yaml": file(spec) } });
      await session.settle();
      const read = async () => session.get(resourceTypes.cluster, "a");
      const first = await read();
      await session.lookAgain();
      const generation = (await read())?.metadata.generation;
      expect(generation).toBe(first?.metadata.generation);
      return first;
    }

    it("lose a field of an item that the file drops", async () => {
      await session.startDaemon();
      await push("{taints: [{key: t, effect: NoSchedule, value: x}, {key: u, effect: NoSchedule}]}");
      const object = await push("{taints: [{key: t, effect: NoSchedule}, {key: u, effect: NoSchedule}]}");
      expect(valueAt(object, "spec", "taints")).toEqual([
        { key: "t", effect: "NoSchedule" },
        { key: "u", effect: "NoSchedule" },
      ]);
      await push("{agent: {env: [{name: A, value: b}]}}");
      const emptied = await push("{agent: {env: [{name: A}]}}");
      expect(valueAt(emptied, "spec", "agent", "env")).toEqual([{ name: "A" }]);
    });

    it("are written once where they are empty in the file", async () => {
      await session.startDaemon();
      await push("{agent: {env: [], imagePullSecrets: []}, displayName: A}");
      // A new commit in which the file is as before: what the plan of it still wants is wanted for ever.
      await session.repository.commit({ files: { "b.yaml": file("{}").replace("name: a", "name: b") } });
      const report = await session.settle();
      expect(report.planSizes).toEqual({ create: 1 });
    });

    it("keep an item of another manager where they are empty in the file", async () => {
      await session.startDaemon();
      await push("{agent: {env: []}, displayName: A}");
      const ref = { type: resourceTypes.cluster, namespace: session.workspace, name: "a" };
      const env = [{ name: "THEIRS" }];
      await session.api.mergePatch(ref, { spec: { agent: { env } } }, { fieldManager: "person" });
      await session.repository.commit({ files: { "b.yaml": file("{}").replace("name: a", "name: b") } });
      const report = await session.settle();
      expect(report.planSizes).toEqual({ create: 1 });
      expect(valueAt(await session.get(ref.type, "a"), "spec", "agent", "env")).toEqual(env);
    });
  });
}
