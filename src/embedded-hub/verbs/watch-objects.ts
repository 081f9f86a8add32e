import { stringifyJson } from "../../core/json.ts";
import { isAppError } from "../../core/errors.ts";
import { freezeJson } from "../../core/freeze-json.ts";
import { expired } from "../failures/failures.ts";
import type { Selection, ServedEvent, ServedObject } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { StoreEvent } from "../store/store.ts";
import type { HubScope } from "./hub-scope.ts";
import { selectionPrefix } from "./hub-scope.ts";

/** Events of a selection, in order and without gaps; an object that starts or stops to match is added or deleted. */
export function watchObjects(
  scope: HubScope,
  definition: ResourceDefinition,
  request: Selection & { readonly afterRevision: number },
  listener: (event: ServedEvent) => void,
): () => void {
  const { afterRevision } = request;
  return unlessExpired(scope, afterRevision, () =>
    scope.store.watch(
      selectionPrefix(definition, request),
      afterRevision,
      showEvents(scope, definition, request, listener),
    ),
  );
}

/** Some of the past: how a watch of an old revision catches up, in slices. Returns the revision that it came to. */
export function replayObjects(
  scope: HubScope,
  definition: ResourceDefinition,
  request: Selection & { readonly afterRevision: number; readonly limit: number },
  listener: (event: ServedEvent) => void,
): number {
  return unlessExpired(scope, request.afterRevision, () =>
    scope.store.replay(selectionPrefix(definition, request), request, showEvents(scope, definition, request, listener)),
  );
}

function showEvents(
  scope: HubScope,
  definition: ResourceDefinition,
  { matches }: Selection,
  listener: (event: ServedEvent) => void,
): (event: StoreEvent) => void {
  return (event) => {
    const type = typeOf(scope, definition, event, matches);
    if (type === undefined) return;
    const served =
      type === "DELETED" && event.kind === "put"
        ? lastMatching(scope, definition, event)
        : scope.views.show(definition, event.current);
    listener({ type, served, revision: event.revision });
  };
}

function unlessExpired<T>(scope: HubScope, afterRevision: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isAppError(error, "E_KUBE_GONE")) throw error;
    throw expired(`too old resource version: ${afterRevision} (${scope.store.compactedRevision})`);
  }
}

function typeOf(
  scope: HubScope,
  definition: ResourceDefinition,
  event: StoreEvent,
  matches: Selection["matches"],
): ServedEvent["type"] | undefined {
  if (matches === undefined) {
    if (event.kind === "delete") return "DELETED";
    return event.previous === undefined ? "ADDED" : "MODIFIED";
  }
  const isIn = event.kind === "put" && matches(scope.views.show(definition, event.current).object);
  const wasIn = event.previous !== undefined && matches(scope.views.show(definition, event.previous).object);
  if (isIn) return wasIn ? "MODIFIED" : "ADDED";
  return wasIn ? "DELETED" : undefined;
}

/** What a selection loses is shown as it was while it still matched, at the revision of its loss. */
function lastMatching(scope: HubScope, definition: ResourceDefinition, event: StoreEvent): ServedObject {
  const { object } = scope.views.show(definition, event.previous ?? event.current);
  const last = freezeJson({
    ...object,
    metadata: { ...object.metadata, resourceVersion: String(event.revision) },
  });
  return { object: last, json: Buffer.from(stringifyJson(last), "utf8") };
}

/** The same for the hub's own controllers. */
export function observeObjects(
  scope: HubScope,
  definition: ResourceDefinition,
  afterRevision: number,
  listener: (event: {
    readonly kind: "added" | "modified" | "deleted";
    readonly object: ServedEvent["served"]["object"];
  }) => void,
): () => void {
  const kinds = { ADDED: "added", MODIFIED: "modified", DELETED: "deleted" } as const;
  return watchObjects(scope, definition, { afterRevision }, ({ type, served }) => {
    listener({ kind: kinds[type], object: served.object });
  });
}
