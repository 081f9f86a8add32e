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

/** What disappears from a hub without a person's wish, where the daemon commits what people delete. */
export function describeLostObjects(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`objects that ${name} loses`, () => {
    let session: LifeSession | undefined;
    afterEach(async () => {
      await session?.close();
      session = undefined;
    });

    const open = async (): Promise<LifeSession> => {
      const opened = (session = await openLifeSession(await startHub()));
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
        60_000,
      );
    };

    it("with their namespace stay in git: only what a person deletes is removed from it", async () => {
      const opened = await open();
      const { api, workspace, repository } = opened;
      await api.delete({ type: namespace, name: workspace });
      await until(
        () => api.get({ type: namespace, name: workspace }),
        (seen) => seen === undefined,
        60_000,
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
  });
}

function filesOf(clusters: readonly string[]): Record<string, string> {
  return Object.fromEntries(clusters.map((each) => [`c/${each}.yaml`, clusterFile(each)]));
}
