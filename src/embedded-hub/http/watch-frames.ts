import { BoundedCache } from "../../core/bounded-cache.ts";
import { stringifyJson } from "../../core/json.ts";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject, KubeStatus } from "../../model/kubernetes.ts";
import type { ServedEvent, ServedObject } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { mediaTypes } from "./media-types.ts";

/** The events of a watch as bytes. */
export interface WatchFrames {
  readonly contentType: string;
  event(type: ServedEvent["type"], served: ServedObject): Uint8Array;
  /** `endsInitialEvents`: all that was there before has been sent. */
  bookmark(revision: number, endsInitialEvents: boolean): Uint8Array;
  failure(status: KubeStatus): Uint8Array;
}

const initialEventsAnnotation = "k8s.io/initial-events-end";

/** What frames that are kept for the next watch may take together. */
const frameCacheBytes = 16 * 1024 * 1024;

/**
 * JSON frames are shared: a thousand watchers of an object get the same bytes. Only the last ones are kept: watches that begin
 * with 100,000 objects leave no copy of them. A class for its cache.
 */
export class JsonFrames {
  private readonly frames = {
    ADDED: newFrameCache(),
    MODIFIED: newFrameCache(),
    DELETED: newFrameCache(),
  } satisfies Record<ServedEvent["type"], FrameCache>;

  of(definition: ResourceDefinition): WatchFrames {
    return {
      contentType: mediaTypes.json,
      event: (type, served) => this.event(type, served),
      bookmark: (revision, endsInitialEvents) =>
        jsonFrame("BOOKMARK", bookmarkObject(definition, revision, endsInitialEvents)),
      failure: (status) => jsonFrame("ERROR", status),
    };
  }

  private event(type: ServedEvent["type"], served: ServedObject): Uint8Array {
    const frames = this.frames[type];
    const known = frames.get(served);
    if (known !== undefined) return known;
    const frame = Buffer.concat([Buffer.from(`{"type":"${type}","object":`), served.json, frameEnd]);
    frames.set(served, frame);
    return frame;
  }
}

type FrameCache = BoundedCache<ServedObject, Uint8Array>;

export function newFrameCache(): FrameCache {
  return new BoundedCache({ limit: frameCacheBytes, weightOf: (frame) => frame.length });
}

const frameEnd = Buffer.from("}\n");

export function jsonFrame(type: string, object: object): Buffer {
  return Buffer.from(`{"type":"${type}","object":${stringifyJson(object)}}\n`, "utf8");
}

/** An object that contains only the revision that the watch has reached. */
export function bookmarkObject(
  definition: ResourceDefinition,
  revision: number,
  endsInitialEvents: boolean,
): KubeObject {
  return {
    kind: definition.kind,
    apiVersion: apiVersionOf(definition),
    metadata: {
      // Only the version counts; a bookmark has no name.
      name: undefined as unknown as string,
      resourceVersion: String(revision),
      ...(endsInitialEvents ? { annotations: { [initialEventsAnnotation]: "true" } } : {}),
    },
  };
}
