import { ApiFailure } from "../failures/api-failure.ts";
import type { Target } from "../operations/operations.ts";
import { revisionOf } from "../request/parse-version.ts";
import type { Exchange, HttpScope } from "./exchange.ts";
import { presentationOf } from "./exchange.ts";
import type { Presentation } from "./present.ts";
import { readBoolean, readInteger, readListQuery } from "./query.ts";
import { readSelection } from "./selection.ts";
import { serveWatch } from "./serve-watch.ts";
import { shapeFrames } from "./shape-frames.ts";
import { readIncludeObject } from "./table-options.ts";
import type { WatchFrames } from "./watch-frames.ts";

/** GET with `watch=true`, of a collection or of one name. */
export async function serveWatchRequest(
  scope: HttpScope,
  exchange: Exchange,
  target: Omit<Target, "name"> & { readonly name?: string },
): Promise<void> {
  const { query } = exchange;
  const { definition } = target;
  const { resourceVersion = "" } = readListQuery(query, true);
  const presentation = presentationOf(scope, exchange, definition);
  const selection = readSelection(query, target);
  await serveWatch(scope, exchange, {
    definition,
    ...selection,
    // What a number rounds is far beyond each revision.
    afterRevision: Number(revisionOf(resourceVersion, (message) => new ApiFailure(500, "", message))),
    sendsInitialEvents: sendsInitialEvents(query, resourceVersion),
    wantsBookmarks: readBoolean(query, "allowWatchBookmarks"),
    timeoutSeconds: readInteger(query, "timeoutSeconds"),
    frames: framesOf(scope, presentation),
    selectorCharacters: `${query.get("labelSelector") ?? ""}${query.get("fieldSelector") ?? ""}`.length,
  });
}

/** A watch from the present begins with what is there, whether it asks for that or not. */
function sendsInitialEvents(query: URLSearchParams, resourceVersion: string): boolean | undefined {
  if (query.has("sendInitialEvents")) return readBoolean(query, "sendInitialEvents");
  return resourceVersion === "" || resourceVersion === "0" ? true : undefined;
}

function framesOf(scope: HttpScope, { definition, form, query }: Presentation): WatchFrames {
  const { as, version = "v1", encoding } = form;
  if (encoding === "protobuf") return scope.protobufFrames.of(definition, form);
  if (as === undefined) return scope.jsonFrames.of(definition);
  return shapeFrames({
    definition,
    shape: as === "Table" ? "Table" : "PartialObjectMetadata",
    version,
    includeObject: readIncludeObject(query),
    nowMs: () => scope.clock.nowMs(),
  });
}
