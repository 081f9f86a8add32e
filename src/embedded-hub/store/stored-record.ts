import { BoundedCache } from "../../core/bounded-cache.ts";
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
  private holder: ParsedHolder | undefined;

  constructor(fields: RecordFields) {
    this.key = fields.key;
    this.json = fields.json;
    this.createRevision = fields.createRevision;
    this.modRevision = fields.modRevision;
    this.parsed = fields.object;
  }

  get object(): KubeObject {
    if (this.parsed !== undefined) return this.parsed;
    const object = freezeJson(parseExactJson(this.json.toString("utf8")) as unknown as KubeObject);
    this.parsed = object;
    this.holder?.set(this, this);
    return object;
  }

  /** From now on the holder decides how long the parsed object stays. */
  holdBy(holder: ParsedHolder): void {
    this.holder = holder;
    if (this.parsed !== undefined) holder.set(this, this);
  }

  /** The text alone is a third of the memory. */
  forgetObject(): void {
    this.parsed = undefined;
    this.holder?.delete(this);
  }
}

/** The records whose objects are parsed. */
export type ParsedHolder = BoundedCache<StoredRecord, StoredRecord>;

/** Of records that are not used for longest only the text is kept, so that a list of everything leaves nothing behind. */
export function createParsedHolder(limitBytes: number): ParsedHolder {
  return new BoundedCache({
    limit: limitBytes,
    weightOf: ({ json }) => json.length,
    onEvicted: (record) => record.forgetObject(),
  });
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
