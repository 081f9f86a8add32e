import { isJsonObject } from "../../core/json.ts";
import { numberAt, objectAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { badRequest, notFound } from "../failures/failures.ts";
import type { DeleteBody, OperationContext, Operations } from "../operations/operations.ts";
import { successStatus } from "./success-status.ts";

/**
 * Deletes a Pod with the options of its eviction. Disruption budgets are stored but not counted here: no controller
 * keeps their status, so an eviction is never refused for one. Source: Kubernetes, pkg/registry/core/pod/storage
 * EvictionREST.
 */
export async function evictPod(
  operations: Operations,
  context: OperationContext,
  request: { readonly place: { readonly namespace: string; readonly name: string }; readonly eviction: KubeObject },
): Promise<KubeObject> {
  const { place, eviction } = request;
  const definition = operations.definitionOf("", "pods");
  if (definition === undefined) throw notFound({ group: "", plural: "pods", name: place.name });
  const { name = "" } = eviction.metadata;
  if (name !== "" && name !== place.name) throw badRequest("name in URL does not match name in Eviction object");
  await operations.delete(context, { definition, ...place }, deleteBodyOf(eviction));
  return successStatus(201);
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
