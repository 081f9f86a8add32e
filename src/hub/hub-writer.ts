import { AppError, isAppError } from "../core/errors.ts";
import { isJsonEqual } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import { textAt } from "../core/read-json.ts";
import type { StatusWrite } from "../join/join.ts";
import type { DeleteOptions } from "../kube/kube.ts";
import type { MemberState, ClusterName } from "../model/member-state.ts";
import { memberStateName, memberStateObject } from "../model/member-state.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { apiVersionOf, describeRef, refOf, withUidOf } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import type { PlannedChange } from "../model/plan.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { fieldManagers, labelKeys } from "../model/well-known.ts";
import { diffOwnedFields } from "../planning/owned-fields.ts";
import { executeChanges } from "./execute-changes.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { HubView } from "./hub-view.ts";
import { createdMeanwhile, withPrecondition } from "./with-precondition.ts";

type Preconditions = Pick<DeleteOptions, "uid" | "resourceVersion">;

/** Writes of one controller pass. The view has each write at once; the field manager is rollcall-hub by default. */
export interface HubWriter {
  /**
   * Creates the object if the view shows none, or changes the very object that it shows. A copy of this request that arrives
   * after that one was deleted fails with E_KUBE_CONFLICT, and so does a creation of what exists by now.
   */
  apply(object: KubeObject, fieldManager?: string): Promise<KubeObject>;
  /** JSON merge patch. */
  patch(ref: ObjectRef, patch: JsonObject, fieldManager?: string): Promise<KubeObject>;
  delete(ref: ObjectRef, preconditions?: Preconditions): Promise<void>;
  /** Deletes an object that has finalizers: the view has it until the watch shows that it is deleted. */
  deleteHeld(ref: ObjectRef, preconditions?: Preconditions): Promise<void>;
  /**
   * True when the status differed and was written. An object that was created under the name since has another uid:
   * E_KUBE_CONFLICT. The same where the object has changed since it was `computedFrom`. Conditions contain the time of
   * their last change: a replica that took over with a late view would report that they changed anew.
   */
  applyStatus(write: StatusWrite, computedFrom?: Pick<KubeObject, "metadata">): Promise<boolean>;
  /** Executes all changes, logs every failure but the first, and throws the first. */
  execute(changes: readonly PlannedChange[]): Promise<void>;
  /**
   * Writes the state of a member if it differs. It was computed from `member.state`: where the view shows another one by now,
   * such as that of an agent that was admitted meanwhile, this fails with E_KUBE_CONFLICT, and the key is requeued. The version
   * that the view holds is the precondition, so a stale leader cannot replace the state that a newer leader wrote (the same).
   * Where the view holds none, it is created (E_KUBE_EXISTS: the same).
   */
  writeState(member: Pick<Member, "workspace" | "name" | "state">, state: MemberState): Promise<void>;
  /** The same with a state computed from the newest one. Undefined: nothing is written. */
  updateState(member: ClusterName, change: (state: MemberState | undefined) => MemberState | undefined): Promise<void>;
  /** Creates the state of a member. False when one exists: a registration granted at the same time wrote it. */
  createState(member: ClusterName, state: MemberState): Promise<boolean>;
}

export type WriterPorts = Pick<HubPorts, "hubApi" | "log"> & {
  readonly view: Pick<HubView, "get" | "listsAll" | "memberStateOf" | "recordWritten" | "recordDeleted">;
};

/** The writer of one pass: every request ends with `signal`. */
export function createHubWriter({ hubApi, view, log }: WriterPorts, signal: AbortSignal): HubWriter {
  const manager = fieldManagers.hub;
  const record = (type: ResourceType, written: KubeObject): KubeObject => {
    view.recordWritten(type, written);
    return written;
  };
  const apply: HubWriter["apply"] = (object, fieldManager = manager) =>
    applyObject({ hubApi, view, signal }, object, fieldManager);
  const writeState: HubWriter["writeState"] = async (member, state) => {
    const { workspace, name } = member;
    refuseOtherState(view.memberStateOf(workspace, name), member);
    const live = view.get({ type: resourceTypes.configMap, namespace: workspace, name: memberStateName(name) });
    const object = memberStateObject(workspace, name, state);
    if (!live) {
      record(resourceTypes.configMap, await hubApi.create(object, { fieldManager: manager, signal }));
      return;
    }
    if (isSameState(live, object)) return;
    if (live.metadata.resourceVersion !== undefined) object.metadata.resourceVersion = live.metadata.resourceVersion;
    await apply(object);
  };
  return {
    apply,
    patch: async (ref, patch, fieldManager = manager) => {
      const written = await hubApi.mergePatch(ref, patch, { fieldManager, signal });
      const { deletionTimestamp, finalizers = [] } = written.metadata;
      // The API server deletes such an object; the watch reports it.
      return deletionTimestamp !== undefined && finalizers.length === 0 ? written : record(ref.type, written);
    },
    delete: async (ref, preconditions = {}) => {
      await hubApi.delete(ref, { ...preconditions, signal });
      view.recordDeleted(ref);
    },
    deleteHeld: (ref, preconditions) => hubApi.delete(ref, { ...preconditions, signal }),
    applyStatus: async ({ ref, status }, computedFrom) => {
      const live = view.get(ref);
      const object: KubeObject = {
        apiVersion: apiVersionOf(ref.type),
        kind: ref.type.kind,
        metadata: { name: ref.name, ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }) },
        status,
      };
      if (live && diffOwnedFields(object, live, { manager, subresource: "status" }).length === 0) return false;
      const version = computedFrom?.metadata.resourceVersion;
      if (version !== undefined) object.metadata.resourceVersion = version;
      const body = withUidOf(live, object);
      record(ref.type, await hubApi.apply(body, { fieldManager: manager, subresource: "status", signal }));
      return true;
    },
    execute: async (changes) => {
      const outcomes = await executeChanges(changes, {
        hubApi,
        known: view,
        recordWritten: (type, object) => view.recordWritten(type, object),
        recordDeleted: (ref) => view.recordDeleted(ref),
        signal,
      });
      const failed = outcomes.flatMap(({ change, error }) => (error ? [{ change, error }] : []));
      for (const { change, error } of failed.slice(1))
        log.warn("a write failed", { object: describeRef(change.ref), error });
      if (failed[0]) throw failed[0].error;
    },
    writeState,
    updateState: async ({ workspace, name }, change) => {
      const live = view.memberStateOf(workspace, name);
      const state = change(live);
      if (state !== undefined) await writeState({ workspace, name, state: live }, state);
    },
    createState: async ({ workspace, name }, state) => {
      try {
        const object = memberStateObject(workspace, name, state);
        record(resourceTypes.configMap, await hubApi.create(object, { fieldManager: manager, signal }));
        return true;
      } catch (error) {
        if (isAppError(error, "E_KUBE_EXISTS")) return false;
        throw error;
      }
    },
  };
}

async function applyObject(
  { hubApi, view, signal }: Omit<WriterPorts, "log"> & { readonly signal: AbortSignal },
  object: KubeObject,
  fieldManager: string,
): Promise<KubeObject> {
  const type = resourceTypeOf(object);
  const options = { fieldManager, signal };
  if (type === undefined) return hubApi.apply(object, options);
  const ref = refOf(type, object);
  const wasKnown = view.get(ref) !== undefined;
  try {
    const written = await hubApi.apply(withPrecondition(view, ref, object), options);
    view.recordWritten(type, written);
    return written;
  } catch (error) {
    const live = await createdMeanwhile({ known: view, hubApi, signal }, { ref, wasKnown, error });
    // The next pass decides on it.
    if (live) view.recordWritten(type, live);
    throw error;
  }
}

function refuseOtherState(
  shown: MemberState | undefined,
  { workspace, name, state: computedFrom }: Pick<Member, "workspace" | "name" | "state">,
): void {
  if (isJsonEqual(shown, computedFrom)) return;
  throw new AppError(
    "E_KUBE_CONFLICT",
    `write the state of ${workspace}/${name}: it has changed since the member was read`,
  );
}

/** Also where the state was created, not applied, and other managers have added labels. */
function isSameState(live: KubeObject, wanted: KubeObject): boolean {
  const [shown, object] = [live, wanted].map((one) => [
    one.metadata.labels?.[labelKeys.cluster],
    textAt(one, "data", "memory"),
  ]);
  return isJsonEqual(shown, object);
}
