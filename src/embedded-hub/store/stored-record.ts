import { stringifyJson } from "../../core/json.ts";
import { parseExactJson } from "../../core/exact-json.ts";
import { freezeJson } from "../../core/freeze-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { StoredObject } from "./store.ts";

interface RecordFields {
  readonly key: string;
  readonly json: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  /** Left out when only the text is known: after a start. */
  readonly object?: KubeObject;
}

/** A class because its object is parsed late: a start with 10,000 objects parses none. */
export class StoredRecord implements StoredObject {
  readonly key: string;
  readonly json: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  private parsed: KubeObject | undefined;

  constructor(fields: RecordFields) {
    this.key = fields.key;
    this.json = fields.json;
    this.createRevision = fields.createRevision;
    this.modRevision = fields.modRevision;
    this.parsed = fields.object;
  }

  get object(): KubeObject {
    this.parsed ??= freezeJson(parseExactJson(this.json.toString("utf8")) as unknown as KubeObject);
    return this.parsed;
  }

  /** For records that are history: the text alone is a third of the memory. */
  forgetObject(): void {
    this.parsed = undefined;
  }
}

/** The record of a write: `object` with the revision as its resourceVersion. */
export function makeRecord(
  key: string,
  object: KubeObject,
  revisions: { readonly create: number; readonly mod: number },
): StoredRecord {
  const versioned = withResourceVersion(object, String(revisions.mod));
  return new StoredRecord({
    key,
    json: Buffer.from(stringifyJson(versioned), "utf8"),
    createRevision: revisions.create,
    modRevision: revisions.mod,
    object: versioned,
  });
}

/** apiVersion and kind come first in every text: lists of built-in kinds cut them off without parsing. */
function withResourceVersion(object: KubeObject, resourceVersion: string): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  return freezeJson({ apiVersion, kind, metadata: { ...metadata, resourceVersion }, ...rest });
}
