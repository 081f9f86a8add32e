import { appendAll } from "../core/append-all.ts";
import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { ForgeHttp, ForgeRequest } from "./forge-http.ts";
import { isTooLong } from "./forge.ts";

export interface PageOptions {
  /** The name of the parameter that sets a page's size: `per_page`, or `limit`. */
  readonly sizeParameter: string;
  /** A multiple of ten. */
  readonly size: number;
  /** The list within an answer. Default: the answer itself. */
  readonly itemsOf?: (answer: unknown) => unknown;
  /** True for a list that always comes whole. Default false. */
  readonly isOnePage?: boolean;
  /** Called for a list with more than 40 pages, of which these are returned then. Default: it is refused. */
  readonly onCut?: ((pages: number) => void) | undefined;
}

const maximumPages = 40;
/** Further requests, for pages that are too long, in the whole list. */
const maximumSmallerPages = 400;
/** Where an answer does not show whether the list continues: no forge gives smaller pages when more were asked for. */
const smallestPage = 10;

/**
 * The whole items of a list (`pickPages`). @throws E_UNSUPPORTED beyond 40 pages, without `onCut`; E_FORGE_PROTOCOL when a
 * page is too long
 */
export function listPages(
  http: ForgeHttp,
  request: ForgeRequest,
  options: PageOptions,
  isEnough?: (items: readonly JsonObject[]) => boolean,
): Promise<JsonObject[]> {
  return pickPages(http, request, { ...options, pick: (items) => items, isWhole: true, isEnough });
}

export interface PickOptions<T> extends PageOptions {
  /** What is kept of the items of a page: texts of users may have megabytes each. */
  readonly pick: (items: readonly JsonObject[]) => readonly T[] | Promise<readonly T[]>;
  /** Ends the reading. */
  readonly isEnough?: ((kept: readonly T[]) => boolean) | undefined;
  /** True for a list that is useless when an item is left out. Default false. */
  readonly isWhole?: boolean;
}

/**
 * What is kept of a list, page by page, to its end or until `isEnough`. Pages are asked for by number; addresses of
 * next pages, which an answer gives, are not followed. A page that is too long is read in smaller ones, and an item that is
 * too long by itself is left out. @throws E_UNSUPPORTED beyond 40 pages, without `onCut`
 */
export async function pickPages<T>(http: ForgeHttp, request: ForgeRequest, options: PickOptions<T>): Promise<T[]> {
  const { pick, isEnough, size, isOnePage = false, onCut } = options;
  const read = pageReader(http, request, options);
  const all: T[] = [];
  for (let page = 1; page <= maximumPages; page++) {
    const { kept, isLast, isCut } = await read({ page, size, pick });
    appendAll(all, kept);
    if (isLast || isOnePage || isEnough?.(all) === true) return all;
    if (isCut) break;
  }
  if (onCut) {
    onCut(maximumPages);
    return all;
  }
  const remedy = "Shorten the list at the forge: close or delete what is not needed.";
  throw new AppError("E_UNSUPPORTED", `${request.action}: the list has more than ${maximumPages} pages`, { remedy });
}

interface PagePlace<T> {
  /** From 1, in pages of this size. */
  readonly page: number;
  readonly size: number;
  readonly pick: PickOptions<T>["pick"];
}

interface ReadPage<T> {
  readonly kept: readonly T[];
  readonly isLast: boolean;
  /** True when the rest was not read: it would take too many requests. */
  readonly isCut: boolean;
}

function pageReader<T>(
  http: ForgeHttp,
  request: ForgeRequest,
  { sizeParameter, itemsOf = (answer) => answer, isOnePage = false, isWhole = false }: PickOptions<T>,
): (place: PagePlace<T>) => Promise<ReadPage<T>> {
  let smallerPages = 0;
  const read = async ({ page, size, pick }: PagePlace<T>): Promise<ReadPage<T>> => {
    const { json, hasNextPage } = await http.send({
      ...request,
      query: { ...request.query, [sizeParameter]: size, page },
    });
    const items: unknown = itemsOf(json);
    const objects = Array.isArray(items) ? items.filter(isJsonObject) : [];
    const isLast = hasNextPage === undefined ? objects.length < Math.min(size, smallestPage) : !hasNextPage;
    return { kept: await pick(objects), isLast: objects.length === 0 || isLast, isCut: false };
  };
  const readInParts = async (place: PagePlace<T>): Promise<ReadPage<T>> => {
    try {
      return await read(place);
    } catch (error) {
      if (!isTooLong(error) || isOnePage || isWhole) throw error;
    }
    const { page, size, pick } = place;
    // One item, which is longer than an answer may be.
    if (size === 1) return { kept: [], isLast: false, isCut: false };
    const partSize = size > 10 ? 10 : 1;
    const parts = size / partSize;
    const kept: T[] = [];
    for (let part = 1; part <= parts; part++) {
      if (++smallerPages > maximumSmallerPages) return { kept, isLast: false, isCut: true };
      const smaller = await readInParts({ page: (page - 1) * parts + part, size: partSize, pick });
      appendAll(kept, smaller.kept);
      if (smaller.isLast || smaller.isCut) return { ...smaller, kept };
    }
    return { kept, isLast: false, isCut: false };
  };
  return readInParts;
}
