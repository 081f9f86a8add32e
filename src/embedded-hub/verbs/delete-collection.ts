import { ApiFailure } from "../failures/api-failure.ts";
import { namespaceRequired } from "../failures/failures.ts";
import type { CollectionDelete, ListPage, OperationContext, Target } from "../operations/operations.ts";
import { deleteObject } from "./delete-object.ts";
import type { HubScope } from "./hub-scope.ts";
import { readPage } from "./read-page.ts";

/** Deletes under way at a time: enough to share a trip to the disk. */
const parallelDeletes = 64;

/**
 * DELETE of a collection: each object by itself; one that is deleted meanwhile is no failure. Without a namespace that
 * the kind needs, 400 at the first object, as kube-apiserver does; with `inAllNamespaces` those of all namespaces.
 */
export async function deleteCollection(
  scope: HubScope,
  context: OperationContext,
  target: Omit<Target, "name">,
  request: CollectionDelete,
): Promise<ListPage> {
  const { definition, namespace } = target;
  const page = await readPage(scope, definition, request.query);
  const needsNamespace = definition.isNamespaced && request.inAllNamespaces !== true;
  if (needsNamespace && namespace === undefined && page.items.length > 0) throw namespaceRequired();
  const takeTurn = scope.turns.begin();
  for (let start = 0; start < page.items.length; start += parallelDeletes) {
    const group = page.items.slice(start, start + parallelDeletes);
    await Promise.all(
      group.map(async ({ object: { metadata } }) => {
        // What is not written waits for no disk.
        await takeTurn();
        const place = metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
        const one = { ...target, name: metadata.name, ...place };
        try {
          await deleteObject(scope, { ...context, isOfCollection: true }, one, request.options);
        } catch (error) {
          const isGone = error instanceof ApiFailure && error.status.reason === "NotFound";
          if (!isGone) throw error;
        }
      }),
    );
  }
  return page;
}
