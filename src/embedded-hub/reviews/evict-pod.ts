import type { JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import { objectAt, objectsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { isApiFailure } from "../failures/api-failure.ts";
import { badRequest, conflict, invalid, notFound } from "../failures/failures.ts";
import { formatTime } from "../metadata/system-fields.ts";
import type { DeleteBody, OperationContext, Operations, Target } from "../operations/operations.ts";
import { countDisruption } from "./disruption-budgets.ts";
import { checkPropagation, readDeleteOptions } from "../request/delete-options.ts";
import { conflictAttempts, retryConflicts } from "./retry-conflicts.ts";
import { successStatus } from "./success-status.ts";

export interface EvictRequest {
  readonly place: { readonly namespace: string; readonly name: string };
  readonly eviction: KubeObject;
  readonly nowMs: number;
}

/**
 * Deletes a Pod with the options of its eviction, when its PodDisruptionBudget has room for it. A dry run is asked for by
 * the request or by those options. Throws 429 when the budget has no room, and 409 for another Pod than the preconditions
 * name.
 * Source: Kubernetes, pkg/registry/core/pod/storage EvictionREST.
 */
export async function evictPod(
  operations: Operations,
  request: OperationContext,
  { place, eviction, nowMs }: EvictRequest,
): Promise<KubeObject> {
  const { dryRun, ...options } = readDeleteOptions(objectAt(eviction, "deleteOptions"));
  const context = { ...request, isDryRun: request.isDryRun || dryRun.length > 0 };
  const definition = operations.definitionOf("", "pods");
  if (definition === undefined) throw notFound({ group: "", plural: "pods", name: place.name });
  if (eviction.metadata.name !== place.name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const target = { definition, ...place };
  const isOfAnyVersion = (options.preconditions?.resourceVersion ?? "") === "";
  for (let attempt = 1; ; attempt++) {
    const pod = operations.get(target);
    if (pod === undefined) throw notFound({ group: "", plural: "pods", name: place.name });
    const isFree = (await countDisruption(operations, context, { pod, nowMs })) && isOfAnyVersion;
    try {
      return await deletePod(operations, context, target, { body: isFree ? ofVersion(pod, options) : options, nowMs });
    } catch (error) {
      // It may be ready by now: then its budget decides.
      if (!isFree || attempt === conflictAttempts || !isApiFailure(error, "Conflict")) throw error;
    }
  }
}

/** Only as long as it is this one. */
function ofVersion({ metadata }: KubeObject, options: DeleteBody): DeleteBody {
  const { resourceVersion = "" } = metadata;
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } };
}

async function deletePod(
  operations: Operations,
  context: OperationContext,
  target: Target,
  eviction: { readonly body: DeleteBody; readonly nowMs: number },
): Promise<KubeObject> {
  const body = context.isDryRun
    ? eviction.body
    : await retryConflicts(() => markDisrupted(operations, context, target, eviction));
  // kube-apiserver checks them when it deletes.
  const errors = checkPropagation(body);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions", name: "" }, errors);
  await operations.delete(context, target, body);
  return successStatus(201);
}

/** Records in the Pod's status why it ends. Returns how to delete the Pod that has this status. Throws 409. */
async function markDisrupted(
  operations: Operations,
  context: OperationContext,
  target: Target,
  { body, nowMs }: { readonly body: DeleteBody; readonly nowMs: number },
): Promise<DeleteBody> {
  const pod = operations.get(target);
  if (pod === undefined) throw notFound({ group: "", plural: "pods", name: target.name });
  checkPreconditions(pod, body);
  const conditions = withDisruption(objectsAt(pod, "status", "conditions"), formatTime(nowMs));
  const status = { ...objectAt(pod, "status"), conditions };
  const untracked = { ...context, isUntracked: true };
  const marked = await operations.update(untracked, { ...target, subresource: "status" }, { ...pod, status });
  const { resourceVersion = "" } = body.preconditions ?? {};
  if (resourceVersion === "") return body;
  return { ...body, preconditions: { ...body.preconditions, resourceVersion: marked.metadata.resourceVersion ?? "" } };
}

function checkPreconditions({ metadata }: KubeObject, { preconditions = {} }: DeleteBody): void {
  const { uid = "", resourceVersion = "" } = preconditions;
  const refuse = (text: string): Error => conflict({ group: "", plural: "Pod", name: metadata.name }, text);
  if (uid !== "" && uid !== metadata.uid) {
    const text = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ""})`;
    throw refuse(`${text}. The object might have been deleted and then recreated`);
  }
  if (resourceVersion === "" || resourceVersion === metadata.resourceVersion) return;
  const live = metadata.resourceVersion ?? "";
  const text = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${live})`;
  throw refuse(`${text}. The object might have been modified`);
}

function withDisruption(conditions: readonly JsonObject[], now: string): JsonObject[] {
  const old = conditions.find(({ type }) => type === "DisruptionTarget");
  const isTrue = old?.["status"] === "True";
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: (isTrue ? old["lastTransitionTime"] : undefined) ?? now,
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  if (old === undefined) return [...conditions, condition];
  return conditions.map((one) => (one === old && !isJsonEqual(one, condition) ? condition : one));
}
