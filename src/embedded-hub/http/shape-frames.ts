import type { KubeObject, KubeStatus } from "../../model/kubernetes.ts";
import type { ServedEvent, ServedObject } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { IncludeObject } from "../table/render-table.ts";
import { partialMetadata, renderTable } from "../table/render-table.ts";
import { mediaTypes } from "./media-types.ts";
import { bookmarkObject, jsonFrame } from "./watch-frames.ts";
import type { WatchFrames } from "./watch-frames.ts";

export interface ShapeOptions {
  readonly definition: ResourceDefinition;
  readonly shape: "Table" | "PartialObjectMetadata";
  readonly version: string;
  readonly includeObject: IncludeObject;
  readonly nowMs: () => number;
}

/** Events of a watch whose objects are tables of one row, or metadata alone. */
export function shapeFrames(options: ShapeOptions): WatchFrames {
  const { definition } = options;
  let isFirst = true;
  const shape = (object: KubeObject): object => {
    if (options.shape === "PartialObjectMetadata") return partialMetadata(object, options.version);
    const { version, includeObject } = options;
    const { resourceVersion } = object.metadata;
    const table = renderTable(definition, [object], {
      version,
      includeObject,
      nowMs: options.nowMs(),
      metadata: resourceVersion === undefined ? {} : { resourceVersion },
      omitsColumns: !isFirst,
    });
    isFirst = false;
    return table;
  };
  return {
    contentType: mediaTypes.json,
    event: (type: ServedEvent["type"], served: ServedObject) => jsonFrame(type, shape(served.object)),
    bookmark: (revision, endsInitialEvents) =>
      jsonFrame("BOOKMARK", shape(bookmarkObject(definition, revision, endsInitialEvents))),
    failure: (status: KubeStatus) => jsonFrame("ERROR", status),
  };
}
