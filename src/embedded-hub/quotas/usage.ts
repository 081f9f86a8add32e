import type { Quantity } from "../../core/formats/quantity.ts";
import { memoizeWeak } from "../../core/memoize-weak.ts";
import { numberAt, objectsAt, textAt, textMapAt, valueAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { Amounts, Asked } from "../amounts/pod-amounts.ts";
import { addAmounts, amountsOf, askedBy, askedByPod, isHugePages, isPodLevel } from "../amounts/pod-amounts.ts";
import { isExtendedResource } from "../validation/validate-resources.ts";
import type { CountedKind } from "./counted-names.ts";
import { countNames } from "./counted-names.ts";

// Source of this file: Kubernetes, pkg/quota/v1/evaluator/core.

/** What an object uses now, by the names of amounts of quotas. */
export function usageOf(kind: CountedKind, object: KubeObject, nowMs: number): Amounts {
  switch (kind) {
    case "/pods":
      return podEndMs(object) < nowMs ? new Map([["count/pods", count(1)]]) : podUsage(object);
    case "/services":
      return serviceUsage(object);
    default:
      return new Map(countNames(kind).map((name) => [name, count(1)]));
  }
}

function count(value: number): Quantity {
  return { nanos: BigInt(value) * 1_000_000_000n, format: "DecimalSI" };
}

/** From when on a Pod uses nothing; it is counted by `count/pods` as long as it is there. */
export function podEndMs(pod: KubeObject): number {
  if (["Failed", "Succeeded"].includes(textAt(pod, "status", "phase") ?? "")) return -Infinity;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return Infinity;
  return Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

const podUsage = memoizeWeak((pod: KubeObject): Amounts => {
  const { requests, limits } = askedByPod(pod, isPodLevel);
  const overhead = amountsOf(textMapAt(pod, "spec", "overhead"));
  const isLimited = [...overhead].filter(([name]) => (limits.get(name)?.nanos ?? 0n) !== 0n);
  return addAmounts(
    new Map([["count/pods", count(1)]]),
    computeUsage({ requests: addAmounts(requests, overhead), limits: addAmounts(limits, new Map(isLimited)) }),
  );
});

const computed = ["cpu", "memory", "ephemeral-storage"];

function computeUsage({ requests, limits }: Asked): Amounts {
  const usage = new Map([["pods", count(1)]]);
  for (const [name, amount] of requests) {
    const isComputed = computed.includes(name) || isHugePages(name);
    if (isComputed) usage.set(name, amount);
    if (isComputed || isExtendedResource(name)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (computed.includes(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

/** Which of these amounts each container of a Pod must name, and does not: its name by the amount. */
export function unnamedAmounts(pod: KubeObject, names: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const missing = new Map<string, Set<string>>();
  const required = names.filter((name) => /^(?:requests\.|limits\.)?(?:cpu|memory)$/u.test(name));
  const ofPod = {
    ...textMapAt(pod, "spec", "resources", "requests"),
    ...textMapAt(pod, "spec", "resources", "limits"),
  };
  if (required.length === 0 || Object.keys(ofPod).some(isPodLevel)) return missing;
  for (const container of ["containers", "initContainers"].flatMap((field) => objectsAt(pod, "spec", field))) {
    const usage = computeUsage(askedBy(container));
    for (const name of required) {
      if (usage.has(name)) continue;
      const containers = missing.get(name) ?? new Set();
      missing.set(name, containers.add(textAt(container, "name") ?? ""));
    }
  }
  return missing;
}

function serviceUsage(service: KubeObject): Amounts {
  const type = textAt(service, "spec", "type");
  const ports = objectsAt(service, "spec", "ports");
  const isBalanced = type === "LoadBalancer";
  // A balancer that needs no ports of nodes gets those alone that are written out.
  const areWrittenOut = isBalanced && valueAt(service, "spec", "allocateLoadBalancerNodePorts") === false;
  const nodePorts = areWrittenOut ? ports.filter((port) => (numberAt(port, "nodePort") ?? 0) !== 0) : ports;
  return new Map([
    ["count/services", count(1)],
    ["services", count(1)],
    ["services.loadbalancers", count(isBalanced ? 1 : 0)],
    ["services.nodeports", count(isBalanced || type === "NodePort" ? nodePorts.length : 0)],
  ]);
}
