import type { Json } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { ClusterSelector } from "../model/selector.ts";
import type { FleetDocument } from "./fleet-document.ts";

export type Protocol = "rollcall" | "fleet" | "kubefleet" | "clusternet";

/** The join protocol of a document that declares a cluster: that of its kind, or the field of our Cluster. */
export function protocolOf({ object, isForeign }: FleetDocument): Protocol {
  if (isForeign) {
    if (object.kind === "MemberCluster") return "kubefleet";
    return object.kind === "Cluster" ? "fleet" : "clusternet";
  }
  const protocol = stringAt(object, "spec", "protocol");
  return protocol === "fleet" || protocol === "kubefleet" || protocol === "clusternet" ? protocol : "rollcall";
}

/** Digests of the keys that may be this cluster. */
export function identityKeysOf({ object }: FleetDocument): string[] {
  const keys = valueAt(object, "spec", "identity", "keys");
  return Array.isArray(keys) ? keys.filter((key): key is string => typeof key === "string") : [];
}

export function stringAt(object: Readonly<Record<string, unknown>>, ...path: string[]): string | undefined {
  const value = valueAt(object, ...path);
  return typeof value === "string" ? value : undefined;
}

/** A map of texts, or none. */
export function textsAt(
  object: Readonly<Record<string, unknown>>,
  ...path: string[]
): Readonly<Record<string, string>> {
  const value = valueAt(object, ...path);
  return isTexts(value) ? value : {};
}

export function listAt(object: Readonly<Record<string, unknown>>, ...path: string[]): readonly Json[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === "string");
}

function valueAt(object: Readonly<Record<string, unknown>>, ...path: string[]): unknown {
  let value: unknown = object;
  for (const step of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

/** The selector of a rule or group of ours; the schema has accepted it. */
export function selectorOf({ object }: Pick<FleetDocument, "object">): ClusterSelector {
  const selector = valueAt(object, "spec", "selector");
  return isJsonObject(selector) ? selector : {};
}
