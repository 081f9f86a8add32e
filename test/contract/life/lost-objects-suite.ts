import { afterEach, describe, expect, it } from "vitest";
import type { HubObjectPolicy } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { LifeSession } from "./life-session.ts";
import { clusterFile, openLifeSession } from "./life-session.ts";

const { cluster, namespace } = resourceTypes;
const onHubObjects: HubObjectPolicy[] = [{ policy: "Commit", deletions: "Commit" }];
const names = ["one", "two", "three", "four"];

/** A hub that can be set back to what it was. */
export interface RestorableHub extends HubUnderTest {
  /** Keeps a copy of all that the hub has. */
  readonly keepCopy?: () => Promise<void>;
  /** The hub is lost, and starts again on the same address with what the copy has. */
  readonly restoreCopy?: () => Promise<void>;
}

/** What disappears from a hub without a person's wish, where the daemon commits what people delete. */
export function describeLostObjects(name: string, startHub: () => Promise<RestorableHub>): void {
  describe(`objects that ${name} loses`, () => {
    let session: LifeSession | undefined;
    afterEach(async () => {
      await session?.close();
      session = undefined;
    });

    const open = async (hub: HubUnderTest): Promise<LifeSession> => {
      const opened = (session = await openLifeSession(hub));
      await opened.repository.commit({ files: filesOf(names) });
      await opened.startDaemon({ spec: { onHubObjects } });
      await opened.settle();
      for (const each of names) await opened.until(cluster, each, (seen) => seen !== undefined);
      return opened;
    };
    /** All deletions of ten seconds are one decision: what else counted as one would be committed with it. */
    const deleteOne = async (opened: LifeSession): Promise<void> => {
      await opened.api.delete({ type: cluster, namespace: opened.workspace, name: "one" });
      await until(
        () => opened.repository.fileNames("main"),
        (files) => !files.includes("c/one.yaml"),
      );
    };

    it("with their namespace stay in git: only what a person deletes is removed from it", async () => {
      const opened = await open(await startHub());
      const { api, workspace, repository } = opened;
      await api.delete({ type: namespace, name: workspace });
      await until(
        () => api.get({ type: namespace, name: workspace }),
        (seen) => seen === undefined,
      );
      const labels = { [labelKeys.workspace]: "true" };
      await api.create(
        { apiVersion: "v1", kind: "Namespace", metadata: { name: workspace, labels } },
        { fieldManager: "test" },
      );
      opened.enqueue();
      for (const each of names) await opened.until(cluster, each, (seen) => seen !== undefined);
      await deleteOne(opened);
      expect((await repository.fileNames("main")).sort()).toEqual(["c/four.yaml", "c/three.yaml", "c/two.yaml"]);
      expect(await repository.git("branch", "--list", "rollcall/hub/*")).toBe("");
    });

    it(
      "as it is restored from an older copy stay in git, and are created again",
      { timeout: 600_000 },
      async ({ skip }) => {
        const hub = await startHub();
        if (hub.keepCopy === undefined || hub.restoreCopy === undefined) {
          await hub.stop();
          skip("this hub is shared with other tests");
          return;
        }
        const opened = await open(hub);
        const { repository } = opened;
        await hub.keepCopy();
        await opened.commit(filesOf(["five", "six"]));
        for (const each of ["five", "six"]) await opened.until(cluster, each, (seen) => seen !== undefined);
        await hub.restoreCopy();
        for (const each of ["five", "six"]) await opened.until(cluster, each, (seen) => seen !== undefined);
        await deleteOne(opened);
        const left = ["five", "four", "six", "three", "two"].map((each) => `c/${each}.yaml`);
        expect((await repository.fileNames("main")).sort()).toEqual(left);
        expect(await repository.git("branch", "--list", "rollcall/hub/*")).toBe("");
      },
    );
  });
}

function filesOf(clusters: readonly string[]): Record<string, string> {
  return Object.fromEntries(clusters.map((each) => [`c/${each}.yaml`, clusterFile(each)]));
}
