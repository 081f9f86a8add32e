import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { badRequest, conflict, invalid, notFound, storageError } from "../failures/failures.ts";
import type { OperationContext, Operations } from "../operations/operations.ts";
import { retryConflicts } from "./retry-conflicts.ts";
import { successStatus } from "./success-status.ts";

export interface BindRequest {
  readonly place: { readonly namespace: string; readonly name: string };
  readonly binding: KubeObject;
}

/**
 * Gives a Pod its node, once, and marks it as scheduled. Throws 404, 409 when the Pod has a node or another uid, and
 * 422. Source: Kubernetes, pkg/registry/core/pod/storage BindingREST.
 */
export async function bindPod(
  operations: Operations,
  context: OperationContext,
  { place, binding }: BindRequest,
): Promise<KubeObject> {
  const definition = operations.definitionOf("", "pods");
  if (definition === undefined) throw notFound({ group: "", plural: "pods", name: place.name });
  const { name = "" } = binding.metadata;
  if (name !== place.name) throw badRequest("name in URL does not match name in Binding object");
  const nodeName = nodeOf(binding);
  const target = { definition, ...place };
  await retryConflicts(() => {
    const pod = operations.get(target);
    if (pod === undefined) throw notFound({ group: "", plural: "pods", name });
    checkFree(pod, binding);
    const annotations = { ...pod.metadata.annotations, ...binding.metadata.annotations };
    return operations.update(
      context,
      { ...target, subresource: "binding" },
      {
        ...pod,
        metadata: { ...pod.metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
        spec: { ...objectAt(pod, "spec"), nodeName },
      },
    );
  });
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
  const { namespace = "", name, deletionTimestamp } = pod.metadata;
  for (const [field, text] of [
    ["uid", "UID"],
    ["resourceVersion", "ResourceVersion"],
  ] as const) {
    const wanted = binding.metadata[field] ?? "";
    const found = pod.metadata[field] ?? "";
    if (wanted === "" || wanted === found) continue;
    const problem = `Precondition failed: ${text} in precondition: ${wanted}, ${text} in object meta: ${found}`;
    const pods = { group: "", plural: "pods" };
    throw conflict({ ...pods, name }, storageError(pods, `${namespace}/${name}`, problem));
  }
  const subject = { group: "", plural: "pods/binding", name };
  if (deletionTimestamp !== undefined) {
    throw conflict(subject, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  const current = textAt(pod, "spec", "nodeName") ?? "";
  if (current !== "") throw conflict(subject, `pod ${name} is already assigned to node ${JSON.stringify(current)}`);
  if (objectsAt(pod, "spec", "schedulingGates").length > 0) {
    throw conflict(subject, `pod ${name} has non-empty .spec.schedulingGates`);
  }
}
