import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { PlanReport } from "../../../src/model/generated/plan-report.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { createRepository } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { runPlanOf } from "../../support/run-plan.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const names = ["a", "b", "c", "d", "e", "f"];
const filesOf = (declared: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    declared.map((name) => [
      `${name}.yaml`,
      `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\nspec: {deletionGracePeriod: 240h}\n`,
    ]),
  );
/** One removal is within the budget. */
const deletionBudget = { minimum: 1, maximum: 1 };

let hub: HubUnderTest;
beforeAll(async () => {
  hub = await readyHub();
});
afterAll(() => hub.stop());

async function withFleet(work: (session: DaemonSession) => Promise<void>): Promise<void> {
  const session = await openDaemonSession({ ...hub, stop: () => Promise.resolve() });
  try {
    await session.repository.commit({ files: filesOf(names), message: "Start\n" });
    await session.startDaemon({ spec: { deletionBudget } });
    await session.settle();
    await work(session);
  } finally {
    await session.close();
  }
}

async function leavingOf({ api, workspace }: DaemonSession): Promise<string[]> {
  const { items } = await api.list(resourceTypes.cluster, { namespace: workspace });
  return items.flatMap(({ metadata }) => (metadata.annotations?.[annotationKeys.leave] ? [metadata.name] : [])).sort();
}

async function statusOf({ api, namespace }: DaemonSession): Promise<NonNullable<Repository["status"]>> {
  const object = await api.get({ type: resourceTypes.repository, namespace, name: "fleet" });
  return (object as Repository | undefined)?.status ?? {};
}

/** Why a plan from the status branch alone withholds removals, once that branch has what the hub has. */
async function withheldOffline(session: DaemonSession): Promise<unknown> {
  const { observedCommit } = await statusOf(session);
  await until(
    () => session.repository.git("show", "rollcall/status:summary.yaml").catch(String),
    (text) => text.includes(`observedCommit: ${observedCommit}`),
  );
  const options = { offline: true, output: "json" };
  const { text } = await runPlanOf(session.repository.path, { options });
  return (JSON.parse(text) as PlanReport).withheld?.map(({ because }) => because);
}

async function changeSpec(session: DaemonSession, spec: JsonObject): Promise<void> {
  const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
  const { metadata } = await session.api.mergePatch(ref, { spec }, { fieldManager: "test" });
  await until(
    () => statusOf(session),
    ({ observedGeneration }) => observedGeneration === metadata.generation,
  );
  await session.whenIdle();
}

describe("removals of a Repository that follows an unrelated history", () => {
  const held = { count: 1, reason: "foreign-history", approvable: 1 };

  it("wait until they are approved, however often the daemon polls: another branch", async () => {
    await withFleet(async (session) => {
      await session.repository.commit({ branch: "next", from: null, files: filesOf(names.slice(1)) });
      await changeSpec(session, { ref: { branch: "next" } });
      for (let count = 0; count < 2; count += 1) {
        expect(await statusOf(session)).toMatchObject({ withheld: held, settledFrom: { branch: "main" } });
        await session.lookAgain();
      }
      expect(await leavingOf(session)).toEqual([]);
      expect(await withheldOffline(session)).toEqual(["foreign-history"]);
    });
  });

  it("wait until they are approved where the other branch was not there at first", async () => {
    await withFleet(async (session) => {
      await changeSpec(session, { ref: { branch: "next" } });
      await session.lookAgain();
      expect(await statusOf(session)).toMatchObject({ settledFrom: { branch: "main" } });
      await session.repository.commit({ branch: "next", from: null, files: filesOf(names.slice(1)) });
      await session.lookAgain();
      expect(await statusOf(session)).toMatchObject({ withheld: held, settledFrom: { branch: "main" } });
      expect(await leavingOf(session)).toEqual([]);
    });
  });

  it("wait until they are approved, however often the daemon polls: another address", async () => {
    await withFleet(async (session) => {
      const url = `${session.repository.path}-other`;
      const other = await createRepository(url);
      const head = await other.commit({ files: filesOf(names.slice(1)) });
      await session.stopDaemon();
      const from = session.repository.path;
      // The session opens the repository that it has.
      Object.assign(session.repository, other);
      await session.startDaemon({ spec: { deletionBudget, url } });
      for (let count = 0; count < 3; count += 1) {
        await session.lookAgain();
        expect(await statusOf(session)).toMatchObject({ url, withheld: held, settledFrom: { url: from } });
      }
      expect(await leavingOf(session)).toEqual([]);
      expect(await withheldOffline(session)).toEqual(["foreign-history"]);
      const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
      const annotations = { [annotationKeys.approvedDeletions]: `${head} 1 2026-01-01T00:00:00.000Z` };
      await session.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
      await until(
        () => leavingOf(session),
        (leaving) => leaving.length > 0,
      );
      await session.whenIdle();
      expect(await statusOf(session)).toMatchObject({ settledCommit: head, settledFrom: { url } });
    });
  });
});

describe("what is left of an approval", () => {
  it("ends when nothing of its commit waits: a later change of settings needs an approval of its own", async () => {
    await withFleet(async (session) => {
      const message = "Remove two\n\nRollcall-Allow-Deletions: 6\n";
      await session.repository.commit({ files: { "a.yaml": null, "b.yaml": null }, message });
      await session.settle();
      expect(await leavingOf(session)).toEqual(["a", "b"]);
      expect((await statusOf(session)).approvals).toMatchObject([{ count: 6, spent: 2, lapsed: true }]);
      await changeSpec(session, { paths: ["/c.yaml"] });
      expect((await statusOf(session)).withheld).toMatchObject({ count: 3, reason: "budget", approvable: 3 });
      expect(await leavingOf(session)).toEqual(["a", "b"]);
    });
  });
});
