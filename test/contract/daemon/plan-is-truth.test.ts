import { setMaxListeners } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { planAgainstHub } from "../../../src/daemon/plan-against-hub.ts";
import { planAgainstRecords } from "../../../src/review/plan-against-records.ts";
import { rehearseOnRecords } from "../../../src/daemon/rehearse-on-records.ts";
import { readStatusBranch } from "../../../src/review/read-status-branch.ts";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import { isJsonEqual } from "../../../src/core/json.ts";
import { valueAt } from "../../../src/core/read-json.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import type { ChangedField, ObjectChange, PlanReport } from "../../../src/model/generated/plan-report.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { specDefaultsOf } from "../../../src/planning/spec-defaults.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";
import { createRandomFleet } from "../../support/random-fleet.ts";

// New histories: PLAN_SEEDS=7,8,9 npx vitest run --project contract test/contract/daemon/plan-is-truth.test.ts
const seeds = (process.env["PLAN_SEEDS"] ?? "7").split(",").map(Number);
const commitsOfEach = 9;

const types = [resourceTypes.cluster, resourceTypes.clusterRegistrationToken, resourceTypes.clusterGroup];

type Objects = ReadonlyMap<string, KubeObject>;

let session: DaemonSession;
let git: GitEngine;

afterEach(async () => {
  await git.close();
  await session.close();
});

async function readHub(): Promise<Objects> {
  const objects = new Map<string, KubeObject>();
  for (const type of types) {
    const { items } = await session.api.list(type, { namespace: session.workspace });
    for (const item of items) objects.set(`${type.kind}/${item.metadata.name}`, { ...item, kind: type.kind });
  }
  return objects;
}

async function planOnline(head: string): Promise<PlanReport> {
  const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
  const repository = (await session.api.get(ref)) as Repository | undefined;
  if (repository === undefined) throw new Error("the Repository is not there");
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const nowMs = realClock.nowMs();
  return planAgainstHub({ hubApi: session.api, git, head, repository, isDryRun: true, nowMs, signal });
}

async function planOffline(head: string): Promise<{ report: PlanReport; leaving: ReadonlySet<string> } | undefined> {
  const statusCommit = await git.fetchHead("rollcall/status");
  if (statusCommit === undefined) return undefined;
  const records = await readStatusBranch(git, statusCommit);
  const report = await planAgainstRecords({
    git,
    head,
    records,
    base: undefined,
    namespace: "none",
    name: "none",
    nowMs: realClock.nowMs(),
    rehearse: rehearseOnRecords(new AbortController().signal),
  });
  const leaving = records.clusters.filter(({ leave }) => leave !== undefined).map(({ metadata }) => metadata.name);
  return { report, leaving: new Set(leaving) };
}

function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[annotationKeys.leave] !== undefined;
}

function keyOf({ kind, name }: ObjectChange): string {
  return `${kind}/${name}`;
}

/** What a person or an API client would see of an object, without what only bookkeeping changes. */
function meaningOf(object: KubeObject | undefined): unknown {
  if (object === undefined) return undefined;
  const provenance: readonly string[] = [
    annotationKeys.sourceFile,
    annotationKeys.sourceLine,
    annotationKeys.sourceCommit,
  ];
  const annotations = Object.entries(object.metadata.annotations ?? {}).filter(([key]) => !provenance.includes(key));
  return { spec: object["spec"], labels: object.metadata.labels, annotations: Object.fromEntries(annotations) };
}

function pathOf(path: string): string[] {
  const inMap = /^(metadata\.(?:labels|annotations))\[(.*)\]$/u.exec(path);
  return inMap === null ? path.split(".") : [...(inMap[1] ?? "").split("."), inMap[2] ?? ""];
}

function expectField(object: KubeObject | undefined, { path, to }: ChangedField): void {
  const value = valueAt(object, ...pathOf(path));
  if (to !== undefined) expect(JSON.parse(to), path).toEqual(value);
  else if (object !== undefined && value !== undefined)
    expect(value, path).toEqual(valueAt({ spec: specDefaultsOf(object) }, ...pathOf(path)));
}

function expectDone(change: ObjectChange, before: KubeObject | undefined, after: KubeObject | undefined): void {
  const what = `${change.action} ${keyOf(change)}`;
  switch (change.action) {
    case "Create":
      expect(before, what).toBeUndefined();
      expect(after, what).toBeDefined();
      break;
    case "Update":
    case "Move":
      expect(before, what).toBeDefined();
      expect(after, what).toBeDefined();
      break;
    case "Leave":
      expect(before?.metadata.annotations?.[annotationKeys.leave], what).toBeUndefined();
      if (after !== undefined) expect(after.metadata.annotations?.[annotationKeys.leave], what).toBeDefined();
      return;
    case "Delete":
      expect(before, what).toBeDefined();
      expect(after === undefined || after.metadata.deletionTimestamp !== undefined, what).toBe(true);
      return;
  }
  for (const field of change.fields) expectField(after, field);
}

describe("what plan says", () => {
  it.each(seeds)("equals what run does, object by object, on the hub and offline (seed %i)", async (seed) => {
    session = await openDaemonSession(await embeddedHub());
    const url = session.repository.path;
    git = await openGitEngine({
      url,
      cacheDir: `${url}.plans`,
      isLocalAllowed: true,
      clock: realClock,
      random: realRandom,
    });
    const fleet = createRandomFleet(seed);
    for (let index = 0; index < commitsOfEach; index += 1) {
      const { files, message } = fleet.next();
      const head = await session.repository.commit({ files, message });
      if (index === 0) {
        await session.startDaemon();
        await session.settle();
        continue;
      }
      const before = await readHub();
      const planned = await planOnline(head);
      const offline = await planOffline(head);
      await session.settle();
      const after = await readHub();

      const place = `seed ${seed}, commit ${index}: ${Object.keys(files).join(" ")}`;
      const byKey = new Map(planned.changes.map((change) => [keyOf(change), change]));
      for (const key of new Set([...before.keys(), ...after.keys(), ...byKey.keys()])) {
        const change = byKey.get(key);
        if (change) expectDone(change, before.get(key), after.get(key));
        else if (!isJsonEqual(meaningOf(before.get(key)), meaningOf(after.get(key)))) {
          expect(meaningOf(after.get(key)), `${place}: ${key} changed and was not planned`).toEqual(
            meaningOf(before.get(key)),
          );
        }
      }
      if (offline === undefined) throw new Error(`${place}: there is no status branch`);
      // What leaves may be gone meanwhile, and groups have no records: one that is held by a bad file is not seen offline.
      const unseen = new Set([
        ...[...offline.leaving].map((name) => `Cluster/${name}`),
        ...planned.changes
          .filter(({ kind, action }) => kind === "ClusterGroup" && action === "Delete")
          .filter((change) => !offline.report.changes.some((other) => keyOf(other) === keyOf(change)))
          .map(keyOf),
      ]);
      const isSeen = (item: { readonly kind: string; readonly name: string }): boolean =>
        !unseen.has(`${item.kind}/${item.name}`);
      expect(offline.report.withheld, place).toEqual(planned.withheld);
      expect(offline.report.changes.filter(isSeen), place).toEqual(planned.changes.filter(isSeen));
      if (offline.leaving.size === 0) {
        expect(offline.report.selectors.filter(isSeen), place).toEqual(planned.selectors.filter(isSeen));
      }
      await until(readHub, (objects) => ![...objects.values()].some(isLeaving));
    }
  });
});
