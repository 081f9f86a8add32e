import { compact } from "../../core/compact.ts";
import { escapeGoJson } from "../../core/formats/go-format.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject, stringifyJson } from "../../core/json.ts";
import { parseJson } from "../../core/parse-json.ts";
import { objectAt, objectsAt, textAt, textMapAt } from "../../core/read-json.ts";
import { tooLarge } from "../failures/failures.ts";
import { decodeBuiltIn } from "./decode-built-in.ts";
import { messageType } from "./type-registry.ts";

// A HorizontalPodAutoscaler has two forms: v2, which is stored, and v1, which keeps in annotations what it has no fields for.
// Source: Kubernetes, pkg/apis/autoscaling/v1 conversion.

const prefix = "autoscaling.alpha.kubernetes.io/";
const kept = {
  metrics: `${prefix}metrics`,
  currentMetrics: `${prefix}current-metrics`,
  behavior: `${prefix}behavior`,
  conditions: `${prefix}conditions`,
} as const;
const dropped: readonly string[] = [
  ...Object.values(kept),
  `${prefix}scale-down-tolerance`,
  `${prefix}scale-up-tolerance`,
];
const defaultUtilization = 80;
/** Annotations are read several times for each request. */
const longestAnnotation = 65_536;
const mostEntries = 500;
const tooLong =
  `Request entity too large: an annotation of the autoscaler has more than ${longestAnnotation} characters ` +
  `or ${mostEntries} entries`;
const behaviorMessage = "HorizontalPodAutoscalerBehavior";

type Path = readonly [string, ...string[]];
/** A field of v1 and where v2 has it. `zero`: v1 always writes it. */
type Field = readonly [old: string, path: Path, zero?: Json];

const metricName: Field = ["metricName", ["metric", "name"], ""];
const selector: Field = ["selector", ["metric", "selector"]];
const metricSelector: Field = ["metricSelector", ["metric", "selector"]];
const described: Field = ["target", ["describedObject"], {}];
const name: Field = ["name", ["name"], ""];
const container: Field = ["container", ["container"], ""];
const wanted: readonly Field[] = [
  ["targetAverageUtilization", ["target", "averageUtilization"]],
  ["targetAverageValue", ["target", "averageValue"]],
];
const measured: readonly Field[] = [
  ["currentAverageUtilization", ["current", "averageUtilization"]],
  ["currentAverageValue", ["current", "averageValue"], "0"],
];

/** In the order in which v1 writes them. */
const sources: Readonly<Record<string, readonly Field[]>> = {
  object: [
    described,
    metricName,
    ["targetValue", ["target", "value"], "0"],
    selector,
    ["averageValue", ["target", "averageValue"]],
  ],
  pods: [metricName, ["targetAverageValue", ["target", "averageValue"], "0"], selector],
  resource: [name, ...wanted],
  containerResource: [name, ...wanted, container],
  external: [
    metricName,
    metricSelector,
    ["targetValue", ["target", "value"]],
    ["targetAverageValue", ["target", "averageValue"]],
  ],
};
const states: Readonly<Record<string, readonly Field[]>> = {
  object: [
    described,
    metricName,
    ["currentValue", ["current", "value"], "0"],
    selector,
    ["averageValue", ["current", "averageValue"]],
  ],
  pods: [metricName, ["currentAverageValue", ["current", "averageValue"], "0"], selector],
  resource: [name, ...measured],
  containerResource: [name, ...measured, container],
  external: [
    metricName,
    metricSelector,
    ["currentValue", ["current", "value"], "0"],
    ["currentAverageValue", ["current", "averageValue"]],
  ],
};

/** The form of v1 of an autoscaler of v2. */
export function toOldAutoscaler(autoscaler: JsonObject): JsonObject {
  const { apiVersion: _, metadata, spec, status, ...rest } = autoscaler;
  const metrics = objectsAt(spec, "metrics");
  const utilization = metrics.map((one) => cpuUtilization(one, "target")).find((value) => value !== undefined);
  const others = metrics.filter((one) => cpuUtilization(one, "target") === undefined);
  const current = objectsAt(status, "currentMetrics");
  const present = current.map((one) => cpuUtilization(one, "current")).findLast((value) => value !== undefined);
  const behavior = objectAt(spec, "behavior");
  const conditions = objectsAt(status, "conditions");
  const annotations = {
    ...textsOf(
      others.length > 0,
      kept.metrics,
      others.map((one) => toOldMetric(one, sources)),
    ),
    ...textsOf(
      current.length > 0,
      kept.currentMetrics,
      current.map((one) => toOldMetric(one, states)),
    ),
    ...textsOf(behavior !== undefined, kept.behavior, toOldBehavior(behavior ?? {})),
    ...textsOf(conditions.length > 0, kept.conditions, conditions.map(withTime)),
  };
  return {
    apiVersion: "autoscaling/v1",
    ...rest,
    metadata: withAnnotations(metadata, annotations),
    spec: {
      ...pick(spec, "scaleTargetRef", "minReplicas", "maxReplicas"),
      ...compact({ targetCPUUtilizationPercentage: utilization }),
    },
    status: {
      ...pick(status, "observedGeneration", "lastScaleTime"),
      currentReplicas: 0,
      desiredReplicas: 0,
      ...pick(status, "currentReplicas", "desiredReplicas"),
      ...compact({ currentCPUUtilizationPercentage: present }),
    },
  };
}

/** The form of v2 of an autoscaler of v1. Annotations that cannot be read count as none. */
export function toNewAutoscaler(autoscaler: JsonObject): JsonObject {
  const { apiVersion: _, metadata, spec, status, ...rest } = autoscaler;
  const annotations = textMapAt(metadata, "annotations");
  const utilization = objectAt(spec)?.["targetCPUUtilizationPercentage"];
  const own = utilization === undefined ? [] : [cpuMetric(utilization)];
  const metrics = [
    ...(read(annotations[kept.metrics], "MetricSpec", (one) => toNewMetric(one, sources)) ?? []),
    ...own,
  ];
  const [behavior] = read(annotations[kept.behavior], behaviorMessage, toNewBehavior) ?? [];
  const currentUsed = objectAt(status)?.["currentCPUUtilizationPercentage"];
  const ownCurrent = currentUsed === undefined ? [] : [cpuStatus(currentUsed)];
  const current =
    read(annotations[kept.currentMetrics], "MetricStatus", (one) => toNewMetric(one, states)) ?? ownCurrent;
  const conditions = read(annotations[kept.conditions], "HorizontalPodAutoscalerCondition", (one) => one) ?? [];
  const { currentReplicas, desiredReplicas = 0 } = pick(status, "currentReplicas", "desiredReplicas");
  return {
    apiVersion: "autoscaling/v2",
    ...rest,
    metadata: withAnnotations(metadata, {}),
    spec: {
      ...pick(spec, "scaleTargetRef", "minReplicas", "maxReplicas"),
      metrics: metrics.length === 0 ? [cpuMetric(defaultUtilization)] : metrics,
      ...(behavior === undefined || Object.keys(behavior).length === 0 ? {} : { behavior }),
    },
    status: {
      ...pick(status, "observedGeneration", "lastScaleTime"),
      ...(currentReplicas === undefined || currentReplicas === 0 ? {} : { currentReplicas }),
      desiredReplicas,
      currentMetrics: current.length === 0 ? null : current,
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  };
}

function cpuMetric(averageUtilization: Json): JsonObject {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

function cpuStatus(averageUtilization: Json): JsonObject {
  return { type: "Resource", resource: { name: "cpu", current: { averageUtilization } } };
}

/** The share of a CPU that v1 has a field for: the wanted one of a metric, or the present one of its state. */
function cpuUtilization(one: JsonObject, kind: "target" | "current"): Json | undefined {
  const isCpu = textAt(one, "type") === "Resource" && textAt(one, "resource", "name") === "cpu";
  return isCpu ? objectAt(one, "resource", kind)?.["averageUtilization"] : undefined;
}

function pick(value: unknown, ...names: readonly string[]): JsonObject {
  const object = objectAt(value) ?? {};
  return Object.fromEntries(names.flatMap((one) => (object[one] === undefined ? [] : [[one, object[one]]])));
}

function withAnnotations(metadata: Json | undefined, added: Readonly<Record<string, string>>): JsonObject {
  const { annotations, ...rest } = objectAt(metadata) ?? {};
  const others = Object.entries(textMapAt(annotations)).filter(([key]) => !dropped.includes(key));
  const all = [...others, ...Object.entries(added)].sort(([a], [b]) => (a < b ? -1 : 1));
  return all.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(all) };
}

function textsOf(isThere: boolean, key: string, value: Json): Readonly<Record<string, string>> {
  return isThere ? { [key]: escapeGoJson(stringifyJson(value)) } : {};
}

function withTime(condition: JsonObject): JsonObject {
  const { type = "", status = "", lastTransitionTime = null, ...rest } = condition;
  return { type, status, lastTransitionTime, ...rest };
}

function toOldMetric(one: JsonObject, forms: typeof sources): JsonObject {
  const parts = Object.entries(forms).flatMap(([key, fields]) => {
    const source = objectAt(one, key);
    if (source === undefined) return [];
    const entries = fields.flatMap(([old, path, zero]) => {
      const [step, ...inner] = path;
      const value = (inner.length === 0 ? source : objectAt(source, step))?.[inner[0] ?? step] ?? zero;
      return value === undefined ? [] : [[old, value]];
    });
    return [[key, Object.fromEntries(entries)]];
  });
  return { type: textAt(one, "type") ?? "", ...(Object.fromEntries(parts) as JsonObject) };
}

function toNewMetric(one: JsonObject, forms: typeof sources): JsonObject {
  const parts = Object.entries(forms).flatMap(([key, fields]) => {
    const source = objectAt(one, key);
    if (source === undefined) return [];
    const result: Record<string, Json> = {};
    for (const [old, [step, inner], zero] of fields) {
      const value = source[old] ?? zero;
      if (value === undefined) continue;
      result[step] = inner === undefined ? value : { ...objectAt(result, step), [inner]: value };
    }
    if (forms === sources) result["target"] = { type: targetType(key, source), ...objectAt(result, "target") };
    return [[key, result]];
  });
  return { type: one["type"] ?? "", ...(Object.fromEntries(parts) as JsonObject) };
}

function targetType(key: string, source: JsonObject): string {
  switch (key) {
    case "object":
      return source["averageValue"] === undefined ? "Value" : "AverageValue";
    case "external":
      return source["targetValue"] === undefined ? "AverageValue" : "Value";
    case "pods":
      return "AverageValue";
    default:
      return source["targetAverageUtilization"] === undefined ? "AverageValue" : "Utilization";
  }
}

/** With the names and all fields of the program of an API server. */
function toOldBehavior(behavior: JsonObject): JsonObject {
  const rulesOf = (key: string): Json => {
    const rules = objectAt(behavior, key);
    if (rules === undefined) return null;
    const policies = objectsAt(rules, "policies").map(({ type = "", value = 0, periodSeconds = 0 }) => {
      return { Type: type, Value: value, PeriodSeconds: periodSeconds };
    });
    return {
      StabilizationWindowSeconds: rules["stabilizationWindowSeconds"] ?? null,
      SelectPolicy: rules["selectPolicy"] ?? null,
      Policies: rules["policies"] === undefined ? null : policies,
      Tolerance: rules["tolerance"] ?? null,
    };
  };
  return { ScaleUp: rulesOf("scaleUp"), ScaleDown: rulesOf("scaleDown") };
}

/** The same with names that begin small, at every depth. */
function toNewBehavior(behavior: Json): Json {
  if (Array.isArray(behavior)) return (behavior as readonly Json[]).map(toNewBehavior);
  if (!isJsonObject(behavior)) return behavior;
  const entries = Object.entries(behavior).map(([key, value = null]) => {
    return [key.slice(0, 1).toLowerCase() + key.slice(1), toNewBehavior(value)];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/** What an annotation holds as messages of v2, one for each entry; undefined when it cannot be read. Throws 413. */
function read(
  text: string | undefined,
  message: string,
  convert: (value: JsonObject) => Json,
): readonly JsonObject[] | undefined {
  if (text === undefined) return undefined;
  if (text.length > longestAnnotation) throw tooLarge(tooLong);
  const parsed = parseJson(text);
  if (parsed === undefined) return undefined;
  // Behavior alone is no list.
  if (Array.isArray(parsed) === (message === behaviorMessage)) return undefined;
  const values: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (values.length > mostEntries) throw tooLarge(tooLong);
  const decoded = values.map((value) => {
    const converted = isJsonObject(value) ? convert(value) : null;
    return isJsonObject(converted) ? decodeBuiltIn(messageType(`autoscaling2.${message}`), converted) : undefined;
  });
  if (decoded.some((one) => one === undefined || one.error !== undefined)) return undefined;
  return decoded.flatMap((one) => (one === undefined ? [] : [one.object]));
}
