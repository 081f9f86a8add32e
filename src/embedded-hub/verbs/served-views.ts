import { BoundedCache } from "../../core/bounded-cache.ts";
import { freezeJson } from "../../core/freeze-json.ts";
import { isJsonEqual, stringifyJson } from "../../core/json.ts";
import { asJson, asKubeObject } from "../metadata/kube-json.ts";
import type { Schema } from "../schema/schema.ts";
import { decodeCustom } from "../types/decode-custom.ts";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ServedObject } from "../operations/operations.ts";
import { readBySchema } from "./read-by-schema.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { StoredObject } from "../store/store.ts";

/** What conversions that are kept for the next reader may take together: the length of their texts. */
const convertedBytes = 16 * 1024 * 1024;

interface View {
  /** How the text of an object begins that needs no conversion. */
  readonly textStart: Buffer;
  readonly converted: BoundedCache<StoredObject, ServedObject>;
}

/** Stored objects as the versions of their kind show them. A class for its caches, which live as long as definitions. */
export class ServedViews {
  private readonly views = new WeakMap<ResourceDefinition, View>();

  /** Nearly always the stored object itself: nothing is parsed or copied then. */
  show(definition: ResourceDefinition, stored: StoredObject): ServedObject {
    const view = this.viewOf(definition);
    const { toServed, current } = definition.storage;
    const isCurrent = current === undefined || stored.modRevision >= current.sinceRevision;
    if (toServed === undefined && isCurrent && startsWith(stored.json, view.textStart)) return stored;
    const known = view.converted.get(stored);
    if (known !== undefined) return known;
    const schema = isCurrent ? undefined : current.schemas.get(stored.object.apiVersion);
    const read = schema === undefined ? stored.object : readBySchema(stored.object, schema);
    const object = freezeJson(convert(definition, read));
    const served = isJsonEqual(object, stored.object)
      ? stored
      : { object, json: Buffer.from(stringifyJson(object), "utf8") };
    view.converted.set(stored, served);
    return served;
  }

  private viewOf(definition: ResourceDefinition): View {
    const known = this.views.get(definition);
    if (known !== undefined) return known;
    const textStart = Buffer.from(`{"apiVersion":${JSON.stringify(apiVersionOf(definition))},`, "utf8");
    const converted = new BoundedCache<StoredObject, ServedObject>({
      limit: convertedBytes,
      weightOf: ({ json }) => json.length,
    });
    const view = { textStart, converted };
    this.views.set(definition, view);
    return view;
  }
}

function convert(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const shown = definition.storage.toServed?.(object) ?? object;
  const isOther = definition.isCustom && shown.apiVersion !== apiVersionOf(definition);
  const served = isOther ? prune(shown, definition.structuralSchema) : shown;
  const { apiVersion: _, kind: __, ...rest } = served;
  return { apiVersion: apiVersionOf(definition), kind: definition.kind, ...rest };
}

/** Without what the schema of another version does not know; conversion gives no defaults. */
function prune(object: KubeObject, schema: Schema | undefined): KubeObject {
  const decoded = decodeCustom(asJson(object), schema);
  return decoded.error === undefined ? asKubeObject(decoded.object) : object;
}

function startsWith(text: Uint8Array, start: Buffer): boolean {
  return text.length >= start.length && start.compare(text, 0, start.length) === 0;
}
