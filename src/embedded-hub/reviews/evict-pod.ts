import { isJsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { badRequest, notFound } from "../failures/failures.ts";
import { formatTime } from "../metadata/system-fields.ts";
import type { DeleteBody, OperationContext, Operations, Target } from "../operations/operations.ts";
import { countDisruption, isAlreadyDisrupted } from "./disruption-budgets.ts";
import type { DisruptionRequest } from "./disruption-budgets.ts";
import { successStatus } from "./success-status.ts";

export interface EvictRequest {
  readonly place: { readonly namespace: string; readonly name: string };
  readonly eviction: KubeObject;
  readonly nowMs: number;
}

/**
 * Deletes a Pod with the options of its eviction, when its PodDisruptionBudget has room for it. A dry run is asked for by
 * the request or by those options. Throws 429 when the budget has no room.
 * Source: Kubernetes, pkg/registry/core/pod/storage EvictionREST.
 */
export async function evictPod(
  operations: Operations,
  request: OperationContext,
  { place, eviction, nowMs }: EvictRequest,
): Promise<KubeObject> {
  const isDryRun = request.isDryRun || textsAt(eviction, "deleteOptions", "dryRun").length > 0;
  const context = { ...request, isDryRun };
  const definition = operations.definitionOf("", "pods");
  if (definition === undefined) throw notFound({ group: "", plural: "pods", name: place.name });
  const { name = "" } = eviction.metadata;
  if (name !== "" && name !== place.name) throw badRequest("name in URL does not match name in Eviction object");
  const target = { definition, ...place };
  const pod = operations.get(target);
  if (pod === undefined) throw notFound({ group: "", plural: "pods", name: place.name });
  await countDisruption(operations, context, { pod, nowMs });
  if (!isAlreadyDisrupted(pod)) await markDisrupted(operations, context, target, { pod, nowMs });
  await operations.delete(context, target, deleteBodyOf(eviction));
  return successStatus(201);
}

/** Says in the Pod's status why it ends. */
async function markDisrupted(
  operations: Operations,
  context: OperationContext,
  target: Target,
  { pod, nowMs }: DisruptionRequest,
): Promise<void> {
  const others = objectsAt(pod, "status", "conditions").filter(({ type }) => type !== "DisruptionTarget");
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: formatTime(nowMs),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  const status = { ...objectAt(pod, "status"), conditions: [...others, condition] };
  await operations.update(context, { ...target, subresource: "status" }, { ...pod, status });
}

function deleteBodyOf(eviction: KubeObject): DeleteBody {
  const options = objectAt(eviction, "deleteOptions");
  const gracePeriodSeconds = numberAt(options, "gracePeriodSeconds");
  const uid = textAt(options, "preconditions", "uid");
  const resourceVersion = textAt(options, "preconditions", "resourceVersion");
  const hasPreconditions = isJsonObject(options?.["preconditions"]);
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(hasPreconditions
      ? {
          preconditions: {
            ...(uid === undefined ? {} : { uid }),
            ...(resourceVersion === undefined ? {} : { resourceVersion }),
          },
        }
      : {}),
  };
}
