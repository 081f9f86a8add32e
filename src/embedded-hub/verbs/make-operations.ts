import type { KubeObject } from "../../model/kubernetes.ts";
import type { Operations } from "../operations/operations.ts";
import { createObject } from "./create-object.ts";
import { deleteCollection } from "./delete-collection.ts";
import { deleteObject } from "./delete-object.ts";
import type { HubScope } from "./hub-scope.ts";
import { patchObject } from "./patch-object.ts";
import { listObjects, readObject, readServed } from "./read-objects.ts";
import { currentState, readPage, waitForRevision } from "./read-page.ts";
import { updateObject } from "./update-object.ts";
import { observeObjects, replayObjects, watchObjects } from "./watch-objects.ts";

/** The verbs over one store and one registry. */
export function makeOperations(scope: HubScope): Operations {
  const { registry, store } = scope;
  const changedObject = async (changed: Promise<{ readonly object: KubeObject }>): Promise<KubeObject> =>
    (await changed).object;
  return {
    definitionOf: (group, plural, version) => registry.definitionOf(group, plural, version),
    definitionOfKind: (apiVersion, kind) => registry.definitionOfKind(apiVersion, kind),
    definitions: () => registry.definitions(),
    get: (target) => readObject(scope, target),
    list: (target) => listObjects(scope, target),
    observe: (definition, afterRevision, listener) => observeObjects(scope, definition, afterRevision, listener),
    create: (context, target, object) => createObject(scope, context, target, object),
    update: (context, target, object) => changedObject(updateObject(scope, context, target, { object })),
    patch: (context, target, patch) => changedObject(patchObject(scope, context, target, { patch })),
    write: (context, target, { content, authorizeCreate }) =>
      content.kind === "update"
        ? updateObject(scope, context, target, { object: content.object, authorizeCreate })
        : patchObject(scope, context, target, { patch: content, authorizeCreate }),
    delete: (context, target, options) => deleteObject(scope, context, target, options),
    deleteCollection: (context, target, request) => deleteCollection(scope, context, target, request),
    readServed: (target) => readServed(scope, target),
    whenReached: (revision) => waitForRevision(scope, revision),
    readPage: (definition, query) => readPage(scope, definition, query),
    currentState: (definition, selection) => currentState(scope, definition, selection),
    replay: (definition, request, listener) => replayObjects(scope, definition, request, listener),
    watch: (definition, request, listener) => watchObjects(scope, definition, request, listener),
    whenReplaced: (definition, listener) => registry.whenReplaced(definition, listener),
    revision: () => store.revision,
  };
}
