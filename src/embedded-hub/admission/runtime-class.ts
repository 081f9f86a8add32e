import type { JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textMapAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ReadObject } from "../auth/auth.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import { nanosOf } from "../validation/validate-resources.ts";
import { admissionForbidden } from "./admission-forbidden.ts";

// Source of this file: Kubernetes, plugin/pkg/admission/runtimeclass and pkg/util/tolerations.

type PodRequest = AdmissionRequest & { readonly object: KubeObject };

/** Each is compared with each other one. */
const mostTolerations = 1000;

/** A new Pod with what its RuntimeClass adds. Throws 403 where they do not fit, or the class is not there. */
export function withRuntimeClass(request: PodRequest, read: ReadObject): KubeObject {
  const pod = request.object;
  const runtimeClass = classOf(pod, read);
  if (runtimeClass === undefined) return pod;
  if (runtimeClass === "not found") {
    const name = textAt(pod, "spec", "runtimeClassName") ?? "";
    throw admissionForbidden(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  }
  const overhead = objectAt(runtimeClass, "overhead");
  if (overhead !== undefined && hasAmounts(pod)) checkSame(request, runtimeClass);
  const podFixed = objectAt(overhead, "podFixed");
  const scheduling = objectAt(runtimeClass, "scheduling");
  return {
    ...pod,
    spec: {
      ...objectAt(pod, "spec"),
      ...(podFixed === undefined ? {} : { overhead: podFixed }),
      ...(scheduling === undefined ? {} : scheduled(request, scheduling)),
    },
  };
}

/** Throws 403 for a Pod whose overhead is not that of its RuntimeClass. */
export function checkOverhead(request: PodRequest, read: ReadObject): void {
  const runtimeClass = classOf(request.object, read);
  if (typeof runtimeClass === "object" && runtimeClass["overhead"] !== undefined) checkSame(request, runtimeClass);
  else if (hasAmounts(request.object)) {
    const text = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
    throw admissionForbidden(request, text);
  }
}

function classOf(pod: KubeObject, read: ReadObject): KubeObject | "not found" | undefined {
  const name = textAt(pod, "spec", "runtimeClassName");
  if (name === undefined) return undefined;
  return read({ group: "node.k8s.io", plural: "runtimeclasses", name }) ?? "not found";
}

function hasAmounts(pod: KubeObject): boolean {
  return Object.keys(textMapAt(pod, "spec", "overhead")).length > 0;
}

function checkSame(request: PodRequest, runtimeClass: KubeObject): void {
  const own = amountsOf(textMapAt(request.object, "spec", "overhead"));
  if (isJsonEqual(own, amountsOf(textMapAt(runtimeClass, "overhead", "podFixed")))) return;
  throw admissionForbidden(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

/** Amounts that are equal have equal texts. */
function amountsOf(amounts: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, String(nanosOf(text))]));
}

function scheduled(request: PodRequest, scheduling: JsonObject): JsonObject {
  const own = textMapAt(request.object, "spec", "nodeSelector");
  const added = textMapAt(scheduling, "nodeSelector");
  const key = Object.keys(added).find((name) => Object.hasOwn(own, name) && own[name] !== added[name]);
  if (key !== undefined) {
    const there = `runtimeClass.scheduling.nodeSelector[${key}] = ${added[key] ?? ""}`;
    const here = `pod.spec.nodeSelector[${key}] = ${own[key] ?? ""}`;
    throw admissionForbidden(request, `conflict: ${there}; ${here}`);
  }
  const tolerations = [...objectsAt(request.object, "spec", "tolerations"), ...objectsAt(scheduling, "tolerations")];
  if (tolerations.length > mostTolerations) {
    throw admissionForbidden(request, `a Pod and its RuntimeClass have at most ${mostTolerations} tolerations`);
  }
  const nodeSelector = { ...own, ...added };
  return {
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations: withoutCovered(tolerations) }),
  };
}

/** Without those that another one covers. Of equal ones, the first is left. */
function withoutCovered(tolerations: readonly JsonObject[]): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  for (const [index, one] of tolerations.entries()) {
    const isCovered =
      kept.some((other) => covers(other, one)) ||
      tolerations.some((other, place) => place > index && covers(other, one) && !isJsonEqual(other, one));
    if (!isCovered) kept.push(one);
  }
  return kept;
}

/** Whether the first tolerates all that the second does. */
function covers(wide: JsonObject, one: JsonObject): boolean {
  const operator = textAt(wide, "operator") ?? "";
  const of = (toleration: JsonObject, field: string): string => textAt(toleration, field) ?? "";
  const isAnyKey = of(wide, "key") === "" && operator === "Exists";
  if (of(wide, "key") !== of(one, "key") && !isAnyKey) return false;
  const effect = of(wide, "effect");
  if (effect !== of(one, "effect") && effect !== "") return false;
  if (isJsonEqual(wide, one)) return true;
  const seconds = effect === "NoExecute" ? numberAt(wide, "tolerationSeconds") : undefined;
  if (seconds !== undefined && (numberAt(one, "tolerationSeconds") ?? Infinity) > seconds) return false;
  if (operator === "Exists") return true;
  return of(one, "operator") === "Equal" && of(one, "value") === of(wide, "value");
}
