import type { Quantity } from "../../core/formats/quantity.ts";
import { objectAt, objectsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { Amounts } from "./pod-amounts.ts";
import { addTo, askedBy, isCpuOrMemory } from "./pod-amounts.ts";

/**
 * How a node treats a Pod when it has too little. Of a Pod with amounts for all of its containers, these alone count.
 * Source: Kubernetes, pkg/apis/core/v1/helper/qos.
 */
export function qosClassOf(pod: KubeObject): "BestEffort" | "Burstable" | "Guaranteed" {
  const spec = objectAt(pod, "spec") ?? {};
  const isForAll = objectAt(spec, "resources") !== undefined;
  const containers = [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")];
  const asked = isForAll ? [askedBy(spec)] : containers.map(askedBy);
  const requests = sumOf(asked.map((one) => one.requests));
  const limits = sumOf(asked.map((one) => one.limits));
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const isLimited = asked.every((one) => (isForAll && one.limits.size === 0) || sumOf([one.limits]).size === 2);
  const isSame = [...requests].every(([name, { nanos }]) => limits.get(name)?.nanos === nanos);
  return isLimited && isSame && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

/** Nothing of a resource is as if it were not named. */
function sumOf(all: readonly Amounts[]): Amounts {
  const sum = new Map<string, Quantity>();
  for (const amounts of all) {
    addTo(sum, new Map([...amounts].filter(([name, { nanos }]) => isCpuOrMemory(name) && nanos > 0n)));
  }
  return sum;
}
