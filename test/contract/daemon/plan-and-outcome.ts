// What a plan lists of objects, beside what a run made of them.
import { setMaxListeners } from "node:events";
import { expect } from "vitest";
import { planAgainstHub } from "../../../src/daemon/plan-against-hub.ts";
import { realClock } from "../../../src/system/real-clock.ts";
import { isJsonEqual } from "../../../src/core/json.ts";
import { valueAt } from "../../../src/core/read-json.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import type { ChangedField, ObjectChange, PlanReport } from "../../../src/model/generated/plan-report.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { specDefaultsOf } from "../../../src/planning/spec-defaults.ts";
import type { DaemonSession } from "./daemon-session.ts";

const types = [resourceTypes.cluster, resourceTypes.clusterRegistrationToken, resourceTypes.clusterGroup];

/** By `Kind/name`. */
export type Objects = ReadonlyMap<string, KubeObject>;

/** The objects of the workspace that files may declare. */
export async function readHub({ api, workspace }: Pick<DaemonSession, "api" | "workspace">): Promise<Objects> {
  const objects = new Map<string, KubeObject>();
  for (const type of types) {
    const { items } = await api.list(type, { namespace: workspace });
    for (const item of items) objects.set(`${type.kind}/${item.metadata.name}`, { ...item, kind: type.kind });
  }
  return objects;
}

/** What `rollcall plan` lists for this commit, against the hub. */
export async function planOnline(
  { api, namespace }: Pick<DaemonSession, "api" | "namespace">,
  git: GitEngine,
  head: string,
): Promise<PlanReport> {
  const ref = { type: resourceTypes.repository, namespace, name: "fleet" };
  const repository = (await api.get(ref)) as Repository | undefined;
  if (repository === undefined) throw new Error("the Repository is not there");
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const nowMs = realClock.nowMs();
  return planAgainstHub({ hubApi: api, git, head, repository, isDryRun: true, nowMs, signal });
}

/** Each change of the plan was done, and nothing else. `place` names in a failure where that was. */
export function expectPlanHolds(planned: PlanReport, before: Objects, after: Objects, place: string): void {
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
}

export function keyOf({ kind, name }: ObjectChange): string {
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
