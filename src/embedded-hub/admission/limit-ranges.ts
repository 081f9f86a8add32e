import { memoizeWeak } from "../../core/memoize-weak.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt, textMapAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { aggregate } from "../../core/formats/go-text.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import { admissionForbidden } from "./admission-forbidden.ts";
import type { Constraint } from "./limit-constraints.ts";
import { breachOf } from "./limit-constraints.ts";
import type { Asked } from "../amounts/pod-amounts.ts";
import { amountsOf, askedBy, askedByPod } from "../amounts/pod-amounts.ts";

// Source of this file: Kubernetes, plugin/pkg/admission/limitranger.

type ListLimits = (namespace: string) => readonly KubeObject[];

const annotation = "kubernetes.io/limit-ranger";
/** Of all containers of a Pod. */
const mostDefaults = 10_000;
/** Beyond it, what is wrong is not reported in full. */
const mostBreaches = 100;

interface Limit {
  readonly type: string;
  readonly constraints: readonly Constraint[];
}

/** Requests and limits of a new Pod's containers, completed by the LimitRanges of its namespace. */
export function withLimitDefaults(
  request: AdmissionRequest & { readonly object: KubeObject },
  list: ListLimits,
): KubeObject {
  return list(request.namespace ?? "").reduce((pod, range) => withDefaultsOf(request, pod, range), request.object);
}

function withDefaultsOf(request: AdmissionRequest, pod: KubeObject, range: KubeObject): KubeObject {
  const limits = defaultsOf(range, "default");
  const requests = defaultsOf(range, "defaultRequest");
  const spec = objectAt(pod, "spec") ?? {};
  const containers = objectsAt(spec, "containers");
  const starting = objectsAt(spec, "initContainers");
  const values = Object.keys(limits).length + Object.keys(requests).length;
  if (values === 0) return pod;
  if (values * (containers.length + starting.length) > mostDefaults) {
    const text = `would add more than ${mostDefaults} amounts: shorten its defaults, or the Pod`;
    throw admissionForbidden(request, `LimitRange ${JSON.stringify(range.metadata.name)} ${text}`);
  }
  const notes: string[] = [];
  const complete = (container: JsonObject, kind: string): JsonObject => {
    const resources = objectAt(container, "resources") ?? {};
    const name = textAt(container, "name") ?? "";
    const filled = (field: "requests" | "limits", defaults: JsonObject): JsonObject => {
      const given = objectAt(resources, field) ?? {};
      const missing = Object.keys(defaults).filter((key) => !Object.hasOwn(given, key));
      if (missing.length > 0) notes.push(`${missing.sort().join(", ")} ${field.slice(0, -1)} for ${kind} ${name}`);
      const all = { ...defaults, ...given };
      return Object.keys(all).length === 0 ? {} : { [field]: all };
    };
    // In the order in which kube-apiserver records them.
    const asked = filled("requests", requests);
    return { ...container, resources: { ...resources, ...filled("limits", limits), ...asked } };
  };
  const main = containers.map((container) => complete(container, "container"));
  const init = starting.map((container) => complete(container, "init container"));
  if (notes.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join("; ")}` };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...spec, containers: main, ...(init.length === 0 ? {} : { initContainers: init }) },
  };
}

function defaultsOf(range: KubeObject, field: "default" | "defaultRequest"): JsonObject {
  const limits = objectsAt(range, "spec", "limits").filter(({ type }) => type === "Container");
  return Object.assign({}, ...limits.map((limit) => objectAt(limit, field) ?? {})) as JsonObject;
}

/** Throws 403 for a new Pod that asks for less or more than a LimitRange of its namespace allows. */
export function checkLimits(request: AdmissionRequest, list: ListLimits): void {
  const { definition, operation, subresource, namespace = "", object } = request;
  if (definition.group !== "" || operation !== "CREATE" || subresource !== undefined || object === undefined) return;
  if (definition.plural !== "pods") return;
  const ranges = list(namespace);
  if (ranges.length === 0) return;
  const containers = ["containers", "initContainers"].flatMap((field) => objectsAt(object, "spec", field)).map(askedBy);
  const whole = askedByPod(object);
  for (const range of ranges) {
    const breaches = limitsOf(range).flatMap((limit) => breachesOf(limit, limit.type === "Pod" ? [whole] : containers));
    if (breaches.length > 0) throw admissionForbidden(request, aggregate(breaches));
  }
}

/** Those of the types that this hub serves. */
const limitsOf = memoizeWeak((range: KubeObject): readonly Limit[] =>
  objectsAt(range, "spec", "limits").flatMap((limit) => {
    const type = textAt(limit, "type") ?? "";
    if (type !== "Container" && type !== "Pod") return [];
    const constraints = (["min", "max", "maxLimitRequestRatio"] as const).flatMap((kind) =>
      [...amountsOf(textMapAt(limit, kind))].map(([resource, amount]) => ({ kind, resource, amount })),
    );
    return [{ type, constraints }];
  }),
);

function breachesOf({ type, constraints }: Limit, asked: readonly Asked[]): readonly string[] {
  const breaches: string[] = [];
  for (const one of asked) {
    for (const constraint of constraints) {
      const breach = breachOf(constraint, type, one);
      if (breach !== undefined) breaches.push(breach);
      if (breaches.length >= mostBreaches) return breaches;
    }
  }
  return breaches;
}
