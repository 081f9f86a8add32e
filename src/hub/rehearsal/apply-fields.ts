import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { ownValue } from "../../core/own-value.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../model/kubernetes.ts";
import { appliedFields } from "../../planning/applied-fields.ts";
import { defaultedSpecOf } from "../../planning/spec-defaults.ts";

/**
 * Maps with free keys: a key without owner stays. Of a map with named fields, defaults are removed with the last owned
 * field.
 */
const freeMaps: ReadonlySet<string> = new Set(["labels", "annotations", "data", "stringData", "binaryData"]);

export interface Applier {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly subresource?: "status";
}

/**
 * The object after a forced server-side apply: fields of the body are set, and what the manager owned before and no longer
 * wants is removed unless another manager owns it. A list counts as a whole.
 */
export function applyFields(live: KubeObject | undefined, body: KubeObject, applier: Applier): KubeObject {
  const { manager, operation, subresource } = applier;
  const wanted = intentOf(body, subresource);
  const entries = live?.metadata.managedFields ?? [];
  const isOwn = (entry: ManagedFieldsEntry): boolean =>
    entry.manager === manager && entry.operation === operation && entry.subresource === subresource;
  const before = entries.find(isOwn)?.fieldsV1 ?? {};
  const fieldsV1 = appliedFields(wanted);
  const others = entries.filter((entry) => !isOwn(entry)).map((entry) => entry.fieldsV1 ?? {});
  const base: KubeObject = live ?? {
    apiVersion: body.apiVersion,
    kind: body.kind,
    metadata: {
      name: body.metadata.name,
      ...(body.metadata.namespace === undefined ? {} : { namespace: body.metadata.namespace }),
    },
  };
  const kept = dropFields(base, { dropped: before, kept: [fieldsV1, ...others] }) as KubeObject;
  const merged = mergeFields(kept, wanted);
  const entry: ManagedFieldsEntry = {
    manager,
    operation,
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  };
  const metadata = { ...merged.metadata, managedFields: [...entries.filter((one) => !isOwn(one)), entry] };
  return defaulted({ ...merged, metadata });
}

/** The object with a JSON merge patch (RFC 7386). */
export function mergeFields(object: KubeObject, patch: JsonObject): KubeObject {
  return mergeMaps(object as unknown as JsonObject, patch) as unknown as KubeObject;
}

/** What of a body belongs to its manager. */
function intentOf({ apiVersion: _version, kind: _kind, metadata, status, ...rest }: KubeObject, subresource?: string) {
  if (subresource === "status") return { status } as JsonObject;
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  const own = Object.entries({ labels, annotations, finalizers, ownerReferences }).filter(
    ([, part]) => part !== undefined,
  );
  return { ...(rest as JsonObject), metadata: Object.fromEntries(own) as JsonObject };
}

function mergeMaps(map: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(map));
  for (const [key, item] of Object.entries(patch)) {
    if (item === undefined) continue;
    const own = merged.get(key);
    if (item === null) merged.delete(key);
    else if (isJsonObject(item)) merged.set(key, mergeMaps(isJsonObject(own) ? own : {}, item));
    else merged.set(key, item);
  }
  return Object.fromEntries(merged);
}

function dropFields(
  value: unknown,
  { dropped, kept }: { readonly dropped: JsonObject; readonly kept: readonly JsonObject[] },
): unknown {
  if (!isJsonObject(value)) return value;
  const left = new Map<string, Json | undefined>(Object.entries(value));
  for (const [field, below] of Object.entries(dropped)) {
    const key = field.slice(2);
    const own = left.get(key);
    if (!field.startsWith("f:") || own === undefined) continue;
    const keepers = kept.map((fields) => ownValue(fields, field)).filter(isJsonObject);
    const isMap = isJsonObject(below) && Object.keys(below).some((name) => name.startsWith("f:"));
    const isWhole = keepers.length === 0 && !freeMaps.has(key);
    if (isMap && isJsonObject(own) && !isWhole) {
      const rest = dropFields(own, { dropped: below, kept: keepers }) as JsonObject;
      if (Object.keys(rest).length === 0 && keepers.length === 0) left.delete(key);
      else left.set(key, rest);
    } else if (keepers.length === 0) {
      left.delete(key);
    }
  }
  return Object.fromEntries(left);
}

function defaulted(object: KubeObject): KubeObject {
  return object.apiVersion.startsWith("rollcall.dev/") ? { ...object, spec: defaultedSpecOf(object) } : object;
}
