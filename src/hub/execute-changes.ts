import { AppError, isAppError } from "../core/errors.ts";
import { mapConcurrently } from "../core/map-concurrently.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { PredecessorCluster, PlannedChange } from "../model/plan.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../model/well-known.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { refuseOtherChild } from "./refuse-other-child.ts";
import type { KnownObjects } from "./with-precondition.ts";
import { createdMeanwhile, withPrecondition } from "./with-precondition.ts";

type PlannedWrite = Extract<PlannedChange, { kind: "create" | "update" }>;

export interface ExecuteContext {
  readonly hubApi: KubeApi;
  /** Objects as the view shows them. */
  readonly known: KnownObjects;
  /** Reports own writes to the view. */
  readonly recordWritten: (type: ResourceType, object: KubeObject) => void;
  readonly recordDeleted: (ref: ObjectRef) => void;
  /** Called before each change; what it throws is the outcome of that change, which is not begun. Default: all are begun. */
  readonly refuse?: (change: PlannedChange) => void;
  readonly signal?: AbortSignal;
  /** Writes at the same time. Default 16. */
  readonly concurrency?: number;
}

export interface ChangeOutcome {
  readonly change: PlannedChange;
  /** Undefined when it was carried out. */
  readonly error?: AppError;
}

/**
 * Carries out planned changes, in order of start but several at a time: removals of tokens before the rest, what depends on
 * others after it. A change that fails is reported and hurts no other, but that the clusters of a workspace stay while a
 * token of it could not be removed; everything may be repeated. A delete, a leave or a rename whose object changed
 * meanwhile (E_KUBE_CONFLICT) is not done: the next plan evaluates it again.
 */
export async function executeChanges(
  changes: readonly PlannedChange[],
  context: ExecuteContext,
): Promise<ChangeOutcome[]> {
  const execute = (part: readonly PlannedChange[]): Promise<ChangeOutcome[]> =>
    mapConcurrently(part, context.concurrency ?? 16, async (change) => {
      context.signal?.throwIfAborted();
      return executeChange(change, context);
    });
  const [tokens, rest] = partition(changes, removes(resourceTypes.clusterRegistrationToken));
  const admitting = await execute(tokens);
  const [waiting, due] = partition(rest, (change) => tokenLeftOf(change, admitting) !== undefined);
  const [upper, others] = partition(due, dependsOnOthers);
  return [
    ...admitting,
    ...waiting.map((change) => waitForToken(change, tokenLeftOf(change, admitting))),
    ...(await execute(others)),
    ...(await execute(upper)),
  ];
}

function removes(type: ResourceType): (change: PlannedChange) => boolean {
  return ({ kind, ref }) => ref.type === type && (kind === "delete" || kind === "leave");
}

/**
 * The token of the workspace that could not be removed, for the removal of a Cluster: the agent of a removed cluster may ask
 * to join again, and a token that git has given up must not let it in.
 */
function tokenLeftOf(change: PlannedChange, tokens: readonly ChangeOutcome[]): ChangeOutcome | undefined {
  if (!removes(resourceTypes.cluster)(change)) return undefined;
  return tokens.find(({ change: { ref }, error }) => error && ref.namespace === change.ref.namespace);
}

function waitForToken(change: PlannedChange, token: ChangeOutcome | undefined): ChangeOutcome {
  const { code = "E_BUG", remedy } = token?.error ?? {};
  const left = token ? describeRef(token.change.ref) : "a token";
  const text = `remove ${describeRef(change.ref)}: it waits until ${left} is removed, which could let its agent in again`;
  return { change, error: new AppError(code, text, { cause: token?.error, remedy }) };
}

/**
 * An API server refuses to bind a Role that is not there yet; Kubernetes takes the Secret of an account's token away that it
 * sees before the account.
 */
function dependsOnOthers(change: PlannedChange): boolean {
  const bindingTypes: readonly ResourceType[] = [resourceTypes.roleBinding, resourceTypes.clusterRoleBinding];
  if (bindingTypes.includes(change.ref.type)) return true;
  return "object" in change && change.object["type"] === "kubernetes.io/service-account-token";
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

async function executeChange(change: PlannedChange, context: ExecuteContext): Promise<ChangeOutcome> {
  try {
    context.refuse?.(change);
    await writeChange(change, context);
    return { change };
  } catch (error) {
    context.signal?.throwIfAborted();
    if (isAppError(error)) return { change, error };
    return {
      change,
      error: new AppError("E_BUG", `${change.kind} ${describeRef(change.ref)} on hub`, { cause: error }),
    };
  }
}

/**
 * Marks the predecessor as moving before its successor exists, so that no agent is installed for it and it is not
 * offboarded. If it changed since it was evaluated, it is not marked, and its successor is not made.
 */
async function markPredecessor(
  { ref, uid, resourceVersion, patchAnnotations }: PredecessorCluster,
  context: ExecuteContext,
): Promise<void> {
  const { hubApi, signal } = context;
  const patch = { metadata: { uid, resourceVersion, annotations: patchAnnotations } };
  const options = { fieldManager: fieldManagers.git, ...(signal ? { signal } : {}) };
  context.recordWritten(ref.type, await hubApi.mergePatch(ref, patch, options));
}

async function patchAnnotationsOf(
  { ref, manager, resourceVersion }: PlannedWrite,
  annotations: Readonly<Record<string, string | null>>,
  { hubApi, recordWritten, signal }: ExecuteContext,
): Promise<void> {
  const metadata = { annotations, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  const options = { fieldManager: manager, ...(signal ? { signal } : {}) };
  recordWritten(ref.type, await hubApi.mergePatch(ref, { metadata }, options));
}

/**
 * Several Repositories may declare one name, and each plan is older than its writes: an apply would take the object over.
 * @throws E_KUBE_CONFLICT when it has become another Repository's, or appeared without a label of one, since the plan was made
 */
function refuseOtherOwner({ kind, ref, object }: PlannedWrite, live: KubeObject | undefined): void {
  const own = object.metadata.labels?.[labelKeys.repository];
  if (own === undefined || live === undefined) return;
  const owner = live.metadata.labels?.[labelKeys.repository];
  if (owner === own || (owner === undefined && kind === "update")) return;
  throw new AppError(
    "E_KUBE_CONFLICT",
    `${kind} ${describeRef(ref)}: it belongs to ${owner ?? "no repository"} by now`,
  );
}

function refuseOthers(change: PlannedWrite, live: KubeObject | undefined): void {
  refuseOtherOwner(change, live);
  refuseOtherChild(change, live);
}

/** The hub and a commit may create the same Cluster at the same time: the second one changes what the first one created. */
async function applyChange(change: PlannedWrite, context: ExecuteContext): Promise<void> {
  const { hubApi, known, recordWritten, signal } = context;
  const { ref, manager } = change;
  const apply = async (): Promise<void> => {
    const object = withPrecondition(known, ref, change.reveal?.() ?? change.object);
    recordWritten(ref.type, await hubApi.apply(object, { fieldManager: manager, ...(signal ? { signal } : {}) }));
  };
  const wasKnown = known.get(ref) !== undefined;
  try {
    await apply();
  } catch (error) {
    const live = await createdMeanwhile(context, { ref, wasKnown, error });
    if (live === undefined) throw error;
    recordWritten(ref.type, live);
    refuseOthers(change, live);
    await apply();
  }
}

async function writeChange(change: PlannedChange, context: ExecuteContext): Promise<void> {
  const { hubApi, signal, known } = context;
  const options = signal ? { signal } : {};
  switch (change.kind) {
    case "create":
    case "update": {
      refuseOthers(change, known.get(change.ref));
      if (change.former) await markPredecessor(change.former, context);
      // First, since it may be refused: nothing else of a change that comes too late is wanted.
      if (change.patchAnnotations) await patchAnnotationsOf(change, change.patchAnnotations, context);
      if (change.kind === "create" || change.fields.length > 0) await applyChange(change, context);
      return;
    }
    case "delete":
      await hubApi.delete(change.ref, { uid: change.uid, resourceVersion: change.resourceVersion, ...options });
      context.recordDeleted(change.ref);
      return;
    case "leave": {
      const { uid, resourceVersion } = change;
      const metadata = { uid, resourceVersion, annotations: { [annotationKeys.leave]: change.commit } };
      const patched = await hubApi.mergePatch(
        change.ref,
        { metadata },
        { fieldManager: fieldManagers.git, ...options },
      );
      context.recordWritten(change.ref.type, patched);
      return;
    }
  }
}
