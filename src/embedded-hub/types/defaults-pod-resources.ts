import { formatQuantity } from "../../core/formats/quantity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Amounts } from "../amounts/pod-amounts.ts";
import { askedByContainers, isCpuOrMemory, isHugePages, isPodLevel } from "../amounts/pod-amounts.ts";
import { isEmptyObject, objectAt } from "./default-rule.ts";

/**
 * The spec of a Pod with amounts for all of its containers, if it has some already: its limits of huge pages are the sum of
 * theirs, its requests the sum of theirs or its limits. Source: Kubernetes, pkg/apis/core/v1 defaultPodRequests and
 * defaultHugePagePodLimits.
 */
export function withPodResources(spec: JsonObject): JsonObject {
  const resources = objectAt(spec, "resources");
  const given = { limits: objectAt(resources, "limits"), requests: objectAt(resources, "requests") };
  if (isEmptyObject(given.limits) && isEmptyObject(given.requests)) return spec;
  const sums = askedByContainers(spec);
  const limits = { ...textsOf(sums.limits, (name) => isHugePages(name) && !(name in given.requests)), ...given.limits };
  const requests = { ...ofLimits(limits), ...textsOf(sums.requests, isCpuOrMemory), ...given.requests };
  return isEmptyObject(limits) ? spec : { ...spec, resources: { ...resources, limits, requests } };
}

function textsOf(amounts: Amounts, isTaken: (name: string) => boolean): JsonObject {
  const taken = [...amounts].filter(([name]) => isTaken(name));
  return Object.fromEntries(taken.map(([name, amount]) => [name, formatQuantity(amount)]));
}

function ofLimits(limits: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(limits).filter(([name]) => isPodLevel(name)));
}
