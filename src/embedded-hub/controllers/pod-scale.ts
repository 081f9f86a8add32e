import { numberAt } from "../../core/read-json.ts";
import type { KubeObject, OwnerReference } from "../../model/kubernetes.ts";
import type { Operations } from "../operations/operations.ts";
import { scaleOf } from "../verbs/scale-object.ts";
import { controllerOf } from "./controller-scope.ts";

interface Scaled {
  readonly uid: string;
  readonly replicas: number;
}

/**
 * How many replicas the controllers of Pods ask for together; Pods without one count nothing. Throws an Error whose
 * message names the Pod or the kind for which that cannot be known. Source: Kubernetes, pkg/controller/disruption.
 */
export function expectedScale(operations: Operations, pods: readonly KubeObject[]): number {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined) continue;
    const found = scaleOfOwner(operations, owner, pod.metadata.namespace ?? "");
    if (found === undefined) throw new Error(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
    scales.set(found.uid, found.replicas);
  }
  return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
}

function scaleOfOwner(operations: Operations, owner: OwnerReference, namespace: string): Scaled | undefined {
  const definition = operations.definitionOfKind(owner.apiVersion, owner.kind);
  if (definition === undefined) return undefined;
  const paths = definition.subresources.find(({ scale }) => scale !== undefined)?.scale;
  if (paths === undefined) {
    const resource = definition.group === "" ? definition.plural : `${definition.plural}.${definition.group}`;
    throw new Error(`${resource} does not implement the scale subresource`);
  }
  const object = operations.get({ definition, namespace, name: owner.name });
  if (object === undefined || object.metadata.uid !== owner.uid) return undefined;
  // A Deployment asks for Pods, its ReplicaSets share them.
  const parent = controllerOf(object);
  if (owner.kind === "ReplicaSet" && parent?.kind === "Deployment") {
    return scaleOfOwner(operations, parent, namespace);
  }
  return { uid: owner.uid, replicas: numberAt(scaleOf(object, paths), "spec", "replicas") ?? 0 };
}
