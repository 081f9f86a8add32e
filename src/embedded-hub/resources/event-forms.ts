import type { KubeObject } from "../../model/kubernetes.ts";

// One Event has two forms: core/v1, which is stored, and events.k8s.io/v1, which renames half of its fields.
// Source: Kubernetes, pkg/apis/events/v1 conversion.

const renamed: Readonly<Record<string, string>> = {
  involvedObject: "regarding",
  message: "note",
  reportingComponent: "reportingController",
  source: "deprecatedSource",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  count: "deprecatedCount",
};
const reporters = ["reportingComponent", "reportingInstance"];
const restored = Object.fromEntries(Object.entries(renamed).map(([core, other]) => [other, core]));

export function toNewEvent(event: KubeObject): KubeObject {
  return rename(withoutEmptyReporter(event), renamed, "events.k8s.io/v1");
}

/** A core Event names its reporter even when it has none. */
export function toCoreEvent(event: KubeObject): KubeObject {
  const core = rename(event, restored, "v1");
  const missing = reporters.filter((name) => core[name] === undefined).map((name) => [name, ""] as const);
  return missing.length === 0 ? core : { ...core, ...Object.fromEntries(missing) };
}

function withoutEmptyReporter(event: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = event;
  const entries = Object.entries(rest).filter(([name, value]) => !reporters.includes(name) || value !== "");
  return { apiVersion, kind, metadata, ...Object.fromEntries(entries) };
}

function rename(event: KubeObject, names: Readonly<Record<string, string>>, apiVersion: string): KubeObject {
  const { apiVersion: _, kind, metadata, ...rest } = event;
  const entries = Object.entries(rest).map(([key, value]): [string, unknown] => [names[key] ?? key, value]);
  return { apiVersion, kind, metadata, ...Object.fromEntries<unknown>(entries) };
}
