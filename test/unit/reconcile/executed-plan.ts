import { digestJson } from "../../../src/core/digest.ts";
import type { AppError } from "../../../src/core/errors.ts";
import type { LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { FieldFight } from "../../../src/planning/field-fights.ts";
import { executePlan } from "../../../src/reconcile/execute-plan.ts";
import type { RunScope } from "../../../src/reconcile/run-scope.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { creation, planOfNothing, repository, scopeOf } from "./phase-builders.ts";

/** The field that each `update` writes. */
export const path = "metadata.labels[tier]";

/** An update of a label of a Cluster to "gold". */
export function update(name: string): PlannedChange {
  const { ref, object } = creation(name) as Extract<PlannedChange, { kind: "create" }>;
  const source = { file: `${name}.yaml`, line: 1, column: 1 };
  return { kind: "update", ref, object, manager: "rollcall-git", source, fields: [{ path, from: "old", to: "gold" }] };
}

/** The removal of a Secret. */
export function removal(name: string): PlannedChange {
  const ref = { type: resourceTypes.secret, namespace: "fleet", name };
  return { kind: "delete", ref, uid: "u", resourceVersion: "1", reason: "its file is deleted" };
}

/** A fight over the label of a Cluster, of so many reverts. */
export function fightOver(name: string, reverts: number): [string, FieldFight] {
  const object = `Cluster/fleet/${name}`;
  return [
    `${object} ${path}`,
    { object, path, managers: ["editor"], reverts, valueDigest: digestJson("gold"), lastRevertMs: 0 },
  ];
}

interface Given {
  readonly changes?: readonly PlannedChange[];
  readonly scope?: Partial<RunScope>;
  /** Names of objects that a person edits. */
  readonly edited?: readonly string[];
  /** Names of objects that a person has suspended since the plan was made. */
  readonly suspended?: readonly string[];
  /** With the write of "c3", a person makes this of the Repository. */
  readonly becomes?: Repository | undefined;
  readonly error?: AppError;
  readonly nowMs?: number;
  /** Takes in when members are held and released. */
  readonly holds?: string[];
  readonly plannedCommit?: string;
  readonly appliedCommit?: string;
}

/** Carries out a plan on a hub where every write succeeds, but `error` befalls that of "bad". */
export async function execute({ changes = [], scope: fields = {}, edited = [], error, holds = [], ...given }: Given) {
  const asked: string[] = [];
  const lines: (LogFields & { message: string })[] = [];
  const events: unknown[] = [];
  const shown: unknown[] = [];
  const known: unknown[] = [];
  const clock = createManualClock();
  clock.range(given.nowMs ?? 0);
  const live = (ref: ObjectRef): KubeObject => ({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: ref.type.kind,
    metadata: {
      name: ref.name,
      namespace: "fleet",
      ...(given.suspended?.includes(ref.name) ? { annotations: { [annotationKeys.reconcile]: "disabled" } } : {}),
    },
  });
  let current: Repository | undefined = repository;
  const answer = <T>(name: string, value: T): Promise<T> => {
    asked.push(name);
    if (name === "c3") current = "becomes" in given ? given.becomes : current;
    return error && name === "bad" ? Promise.reject(error) : Promise.resolve(value);
  };
  const line = (message: string, more: LogFields = {}) => void lines.push({ message, ...more });
  const plan = { ...planOfNothing, changes, commit: given.plannedCommit ?? "c2" };
  const status = given.appliedCommit === undefined ? {} : { status: { appliedCommit: given.appliedCommit } };
  const scope = scopeOf({ plan, repository: { ...repository, ...status }, ...fields });
  await executePlan(scope, {
    hubApi: {
      apply: (object: KubeObject) => answer(object.metadata.name, object),
      mergePatch: (ref: ObjectRef) => answer(ref.name, live(ref)),
      delete: (ref: ObjectRef) => answer(ref.name, undefined),
    },
    view: {
      get: (ref: ObjectRef) => (ref.name === "unseen" ? undefined : live(ref)),
      listsAll: () => true,
      recordWritten: (type: unknown, { metadata }: KubeObject, options: unknown) =>
        known.push(["written", type, metadata.name, options]),
      recordDeleted: ({ name }: ObjectRef, options: unknown) => known.push(["deleted", name, options]),
    },
    holdMembers: () => {
      holds.push("hold");
      return () => holds.push("release");
    },
    readRepository: () => current,
    hubFollower: { isEditedSince: ({ ref }: PlannedChange) => edited.includes(ref.name) },
    events: { record: (event: unknown) => events.push(event) },
    log: { ...silentLog, info: line, warn: line },
    onPlan: (...args: unknown[]) => shown.push(args),
    clock,
  } as never);
  return { scope, asked, lines, events, shown, known, holds };
}
