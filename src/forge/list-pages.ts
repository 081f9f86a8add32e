import { appendAll } from "../core/append-all.ts";
import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { ForgeHttp, ForgeRequest } from "./forge-http.ts";
import { isTooLong } from "./forge.ts";

export interface PageOptions {
  /** The name of the parameter that sets a page's size: `per_page`, or `limit`. */
  readonly sizeParameter: string;
  /** Of the largest page. */
  readonly size: number;
  /** True where a server's settings may allow smaller pages only. Default false: a page may lack what the token may not see. */
  readonly hasOwnLimit?: boolean;
  /** The list within an answer. Default: the answer itself. */
  readonly itemsOf?: (answer: unknown) => unknown;
  /** True for a list whose pages may be short, or even empty when a few items were asked for. Default false. */
  readonly isSparse?: boolean;
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
  const { pick, isEnough, isOnePage = false, isSparse = false, hasOwnLimit = false, onCut } = options;
  const place = new ListPlace(options.size);
  const all: T[] = [];
  while (place.isWithinBounds()) {
    const page = await readPage(http, request, { ...options, ...place.next() });
    if (page === undefined) {
      place.passTooLong();
      continue;
    }
    const { items, count, hasNextPage } = page;
    // Such a page is not the one that was asked for, unless it is the first.
    if (hasOwnLimit && hasNextPage === true && place.isSmallerThanAsked(count)) continue;
    appendAll(all, await pick(items));
    const isLast = hasNextPage === undefined ? place.isLast(count, isSparse) : !hasNextPage || count === 0;
    if (isLast || isOnePage || isEnough?.(all) === true) return all;
    place.pass();
  }
  if (onCut) {
    onCut(maximumPages);
    return all;
  }
  const remedy = "Shorten the list at the forge: close or delete what is not needed.";
  throw new AppError("E_UNSUPPORTED", `${request.action}: the list has more than ${maximumPages} pages`, { remedy });
}

interface Page {
  /** From 1, in pages of this size. */
  readonly page: number;
  readonly size: number;
}

interface ReadPage {
  readonly items: readonly JsonObject[];
  /** Of all that the page has. */
  readonly count: number;
  readonly hasNextPage: boolean | undefined;
}

/** Undefined: the page is too long, and may be read in parts. */
async function readPage<T>(
  http: ForgeHttp,
  request: ForgeRequest,
  { sizeParameter, itemsOf = (answer) => answer, isOnePage, isWhole, page, size }: PickOptions<T> & Page,
): Promise<ReadPage | undefined> {
  try {
    const query = { ...request.query, [sizeParameter]: size, page };
    const { json, hasNextPage } = await http.send({ ...request, query });
    const answered: unknown = itemsOf(json);
    const all: readonly unknown[] = Array.isArray(answered) ? answered : [];
    return { items: all.filter(isJsonObject), count: all.length, hasNextPage };
  } catch (error) {
    if (!isTooLong(error) || isOnePage === true || isWhole === true) throw error;
    return undefined;
  }
}

/**
 * Where a list is read, and in pages of what size: the largest whose pages begin there. A class for its counts.
 */
class ListPlace {
  /** Items that were read or left out. */
  private passed = 0;
  /** Of the largest page that the server gives. */
  private largest: number;
  /** Pages at this place that are too long have this size or more. */
  private tooLong = Infinity;
  private pages = 0;
  private smallerPages = 0;

  constructor(size: number) {
    this.largest = size;
  }

  /** False when the rest of the list would take too many requests. */
  isWithinBounds(): boolean {
    return this.pages < maximumPages && this.smallerPages < maximumSmallerPages;
  }

  /** The page to ask for; counts it. */
  next(): Page {
    const size = this.size;
    if (size === this.largest) this.pages += 1;
    else this.smallerPages += 1;
    return { page: this.passed / size + 1, size };
  }

  /** Whether the server has given fewer items than it was asked for, though there are more: it gives no more at once. */
  isSmallerThanAsked(count: number): boolean {
    if (count === 0 || count >= this.size) return false;
    this.largest = count;
    return this.passed > 0;
  }

  /** Whether a page of so many items is the last one, where an answer does not show it. */
  isLast(count: number, isSparse: boolean): boolean {
    if (isSparse) return count === 0 && this.size === this.largest;
    return count < Math.min(this.size, smallestPage);
  }

  pass(): void {
    this.passed += this.size;
    this.tooLong = Infinity;
  }

  passTooLong(): void {
    // One item, which is longer than an answer may be.
    if (this.size === 1) this.pass();
    else this.tooLong = this.size;
  }

  private get size(): number {
    const sizes = [this.largest, smallestPage, 1];
    return sizes.find((size) => size <= this.largest && size < this.tooLong && this.passed % size === 0) ?? 1;
  }
}
