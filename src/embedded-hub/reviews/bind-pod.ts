import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { badRequest, conflict, invalid, notFound } from "../failures/failures.ts";
import { formatTime } from "../metadata/system-fields.ts";
import type { OperationContext, Operations } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { successStatus } from "./success-status.ts";

export interface BindRequest {
  readonly place: { readonly namespace: string; readonly name: string };
  readonly binding: KubeObject;
  readonly nowMs: number;
}

/**
 * Gives a Pod its node, once, and marks it as scheduled. Throws 404, 409 when the Pod has a node or another uid, and
 * 422. Source: Kubernetes, pkg/registry/core/pod/storage BindingREST.
 */
export async function bindPod(
  operations: Operations,
  context: OperationContext,
  { place, binding, nowMs }: BindRequest,
): Promise<KubeObject> {
  const definition = operations.definitionOf("", "pods");
  if (definition === undefined) throw notFound({ group: "", plural: "pods", name: place.name });
  const { name = "" } = binding.metadata;
  if (name !== place.name) throw badRequest("name in URL does not match name in Binding object");
  const nodeName = nodeOf(binding);
  const target = { definition, ...place };
  const pod = operations.get(target);
  if (pod === undefined) throw notFound({ group: "", plural: "pods", name });
  checkFree(pod, binding);
  const annotations = { ...pod.metadata.annotations, ...binding.metadata.annotations };
  const bound = await operations.update(
    context,
    { ...target, subresource: "binding" },
    {
      ...pod,
      metadata: { ...pod.metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
      spec: { ...objectAt(pod, "spec"), nodeName },
    },
  );
  await noteScheduled(operations, context, { definition, place, pod: bound, nowMs });
  return successStatus(201);
}

function nodeOf(binding: KubeObject): string {
  const kind = textAt(binding, "target", "kind") ?? "";
  const nodeName = textAt(binding, "target", "name") ?? "";
  const subject = { group: "", kind: "Binding", name: binding.metadata.name };
  if (kind !== "" && kind !== "Node") {
    const message = `Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`;
    throw invalid(subject, [{ field: "target.kind", reason: "FieldValueNotSupported", message }]);
  }
  if (nodeName === "") {
    throw invalid(subject, [{ field: "target.name", reason: "FieldValueRequired", message: "Required value" }]);
  }
  return nodeName;
}

function checkFree(pod: KubeObject, binding: KubeObject): void {
  const { name, uid, deletionTimestamp } = pod.metadata;
  const subject = { group: "", plural: "pods/binding", name };
  if (binding.metadata.uid !== undefined && binding.metadata.uid !== uid) {
    const text = `Precondition failed: UID in precondition: ${binding.metadata.uid}, UID in object meta: ${uid ?? ""}`;
    throw conflict(subject, text);
  }
  if (deletionTimestamp !== undefined) {
    throw conflict(subject, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  const current = textAt(pod, "spec", "nodeName") ?? "";
  if (current !== "") throw conflict(subject, `pod ${name} is already assigned to node ${JSON.stringify(current)}`);
}

async function noteScheduled(
  operations: Operations,
  context: OperationContext,
  bound: {
    readonly definition: ResourceDefinition;
    readonly place: BindRequest["place"];
    readonly pod: KubeObject;
    readonly nowMs: number;
  },
): Promise<void> {
  const { definition, place, pod, nowMs } = bound;
  if (context.isDryRun) return;
  const others = objectsAt(pod, "status", "conditions").filter((condition) => condition["type"] !== "PodScheduled");
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: formatTime(nowMs),
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
  };
  const status = { ...objectAt(pod, "status"), conditions: [...others, scheduled] };
  const { resourceVersion: _old, ...metadata } = pod.metadata;
  // Without a version: a node that took the Pod meanwhile may have written, and writes this condition too.
  await operations.update(context, { definition, ...place, subresource: "status" }, { ...pod, metadata, status });
}
