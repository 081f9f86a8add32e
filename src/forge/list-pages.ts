import { appendAll } from "../core/append-all.ts";
import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { ForgeHttp, ForgeRequest } from "./forge-http.ts";

export interface PageOptions {
  /** The name of the parameter that sets a page's size: `per_page`, or `limit`. */
  readonly sizeParameter: string;
  readonly size: number;
  /** The list within an answer. Default: the answer itself. */
  readonly itemsOf?: (answer: unknown) => unknown;
  /** True for a list that always comes whole. Default false. */
  readonly isOnePage?: boolean;
  /** Called for a list with more than 40 pages, of which these are returned then. Default: it is refused. */
  readonly onCut?: ((pages: number) => void) | undefined;
}

const maximumPages = 40;
/** Where an answer does not show whether the list continues: no forge gives smaller pages when more were asked for. */
const smallestPage = 10;

/**
 * The items of a list, page by page, to its end or until `isEnough`. Pages are asked for by number; addresses of
 * next pages, which an answer gives, are not followed. @throws E_UNSUPPORTED beyond 40 pages, without `onCut`
 */
export async function listPages(
  http: ForgeHttp,
  request: ForgeRequest,
  { sizeParameter, size, itemsOf = (answer) => answer, isOnePage = false, onCut }: PageOptions,
  isEnough: (items: readonly JsonObject[]) => boolean = () => false,
): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  for (let page = 1; page <= maximumPages; page++) {
    const { json, hasNextPage } = await http.send({
      ...request,
      query: { ...request.query, [sizeParameter]: size, page },
    });
    const items: unknown = itemsOf(json);
    const objects = Array.isArray(items) ? items.filter(isJsonObject) : [];
    appendAll(all, objects);
    const isLast = hasNextPage === undefined ? objects.length < smallestPage : !hasNextPage;
    if (objects.length === 0 || isLast || isOnePage || isEnough(all)) return all;
  }
  if (onCut) {
    onCut(maximumPages);
    return all;
  }
  const remedy = "Shorten the list at the forge: close or delete what is not needed.";
  throw new AppError("E_UNSUPPORTED", `${request.action}: the list has more than ${maximumPages} pages`, { remedy });
}
