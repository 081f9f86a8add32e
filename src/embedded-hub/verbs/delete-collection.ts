import { ApiFailure } from "../failures/api-failure.ts";
import type { DeleteBody, ListPage, OperationContext, PageQuery, Target } from "../operations/operations.ts";
import { deleteObject } from "./delete-object.ts";
import type { HubScope } from "./hub-scope.ts";
import { readPage } from "./read-page.ts";

/** Deletes under way at a time: enough to share a trip to the disk. */
const parallelDeletes = 64;

/** DELETE of a collection: each object by itself; one that is gone meanwhile is no failure. */
export async function deleteCollection(
  scope: HubScope,
  context: OperationContext,
  target: Omit<Target, "name">,
  request: { readonly query: PageQuery; readonly options: DeleteBody },
): Promise<ListPage> {
  const page = await readPage(scope, target.definition, request.query);
  for (let start = 0; start < page.items.length; start += parallelDeletes) {
    const group = page.items.slice(start, start + parallelDeletes);
    await Promise.all(
      group.map(async ({ object: { metadata } }) => {
        const { name, namespace } = metadata;
        const one = { ...target, name, ...(namespace === undefined ? {} : { namespace }) };
        try {
          await deleteObject(scope, context, one, request.options);
        } catch (error) {
          const isGone = error instanceof ApiFailure && error.status.reason === "NotFound";
          if (!isGone) throw error;
        }
      }),
    );
  }
  return page;
}
