import { isAppError } from "../../core/errors.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest, expired } from "../failures/failures.ts";
import type { ListPage, PageQuery, Selection, ServedObject } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { StoredObject, StoreList, StoreListOptions } from "../store/store.ts";
import { revisionOf } from "../request/parse-version.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";
import type { HubScope } from "./hub-scope.ts";
import { isOfOneObject, selectionPrefix } from "./hub-scope.ts";

/** How long a list waits for a revision that does not exist yet. */
const freshWaitMs = 3000;
const pollMs = 50;

const inconsistentText =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/** A list, or a page of one. Source: Kubernetes, "Resource versions" in its API concepts. */
export async function readPage(scope: HubScope, definition: ResourceDefinition, query: PageQuery): Promise<ListPage> {
  const prefix = selectionPrefix(definition, query);
  const start = await startOf(scope, definition, query);
  const pageSize = query.limit === undefined || query.limit <= 0 ? undefined : query.limit;
  const { matches, mayMatch } = query;
  const found =
    matches === undefined
      ? await readWhole(scope, definition, { prefix, start, pageSize })
      : await readMatching(scope, definition, { prefix, start, pageSize, matches, mayMatch });
  const { items, revision, lastKey, remainingCount } = found;
  if (lastKey === undefined) return { items, revision };
  const remaining = remainingCount === undefined ? {} : { remainingCount };
  const continueToken = encodeContinue({ revision, after: lastKey.slice(prefix.length), ...remaining });
  return { items, revision, continueToken, ...remaining };
}

interface PageStart {
  /** Undefined: now. */
  readonly atRevision?: number;
  readonly continueAfter?: string;
  /** How many objects follow that key, where the page before knew it. */
  readonly remainingCount?: number;
}

interface Found {
  readonly items: readonly ServedObject[];
  readonly revision: number;
  /** Set when more follow. */
  readonly lastKey?: string;
  readonly remainingCount?: number;
}

interface PageRequest {
  readonly prefix: string;
  readonly start: PageStart;
  readonly pageSize: number | undefined;
}

interface MatchingRequest extends PageRequest {
  readonly matches: NonNullable<Selection["matches"]>;
  readonly mayMatch: Selection["mayMatch"] | undefined;
}

async function startOf(scope: HubScope, definition: ResourceDefinition, query: PageQuery): Promise<PageStart> {
  const { resourceVersion = "", resourceVersionMatch = "", continueToken = "", limit = 0 } = query;
  if (continueToken !== "") {
    const point = decodeContinue(continueToken);
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    if (point.revision > 0) await waitForRevision(scope, point.revision);
    const continueAfter = `${selectionPrefix(definition, query)}${point.after}`;
    const { revision: atRevision, remainingCount } = point;
    if (atRevision < 0) return { continueAfter };
    return { atRevision, continueAfter, ...(remainingCount === undefined ? {} : { remainingCount }) };
  }
  const revision = revisionOf(resourceVersion, (message) => badRequest(`invalid resource version: ${message}`));
  if (revision === 0) return {};
  const isExact = resourceVersionMatch === "Exact";
  // Before resourceVersionMatch existed, a first page was taken at exactly the version named; not that of one object.
  const isPage = resourceVersionMatch === "" && limit > 0;
  if (!isExact && !isPage) await waitForRevision(scope, revision);
  const isOfOne = isOfOneObject(definition, query);
  if ((isExact || isPage) && scope.store.revision < revision) {
    throw tooLargeVersion(scope, revision, { isOfOneObject: isOfOne });
  }
  return isExact || (isPage && !isOfOne) ? { atRevision: Number(revision) } : {};
}

async function readWhole(scope: HubScope, definition: ResourceDefinition, request: PageRequest): Promise<Found> {
  const { pageSize, start } = request;
  const list = listAt(scope, request, {
    ...(pageSize === undefined ? {} : { limit: pageSize }),
    countsRemaining: start.remainingCount === undefined,
  });
  const items = await showAll(scope, definition, list.items);
  const { revision, continueAfter } = list;
  if (continueAfter === undefined) return { items, revision };
  const remainingCount = Math.max(1, (start.remainingCount ?? 0) - items.length);
  return {
    items,
    revision,
    lastKey: continueAfter,
    remainingCount: start.remainingCount === undefined ? list.remainingCount : remainingCount,
  };
}

/**
 * Thousands of objects and of terms in a selector take seconds together: what is listed is the first moment's. A page reads
 * on from its start at that revision, a part at a time.
 */
async function readMatching(scope: HubScope, definition: ResourceDefinition, request: MatchingRequest): Promise<Found> {
  const { pageSize = Infinity, mayMatch } = request;
  const items: ServedObject[] = [];
  const takeTurn = scope.turns.begin();
  let { start } = request;
  for (;;) {
    const list = listAt(scope, { ...request, start }, partOf(request));
    const { revision, continueAfter } = list;
    for (const [index, stored] of list.items.entries()) {
      // Most objects cost only a check of their text: less than an await.
      const turn = takeTurn();
      if (turn !== undefined) await turn;
      if (mayMatch?.(stored.json) === false) continue;
      const served = scope.views.show(definition, stored);
      if (!request.matches(served.object)) continue;
      items.push(served);
      const isLast = index + 1 === list.items.length && continueAfter === undefined;
      if (items.length === pageSize && !isLast) return { items, revision, lastKey: stored.key };
    }
    if (continueAfter === undefined) return { items, revision };
    start = { atRevision: revision, continueAfter };
  }
}

/** Objects that a page of a selection reads at once. */
const partLimit = 1000;

function partOf({ pageSize }: PageRequest): ListRange {
  return pageSize === undefined ? {} : { limit: partLimit, countsRemaining: false };
}

async function showAll(
  scope: HubScope,
  definition: ResourceDefinition,
  stored: readonly StoredObject[],
): Promise<ServedObject[]> {
  const items: ServedObject[] = [];
  const takeTurn = scope.turns.begin();
  for (const one of stored) {
    await takeTurn();
    items.push(scope.views.show(definition, one));
  }
  return items;
}

/** All of a selection at its newest revision, in slices: how a watch begins. */
export async function currentState(
  scope: HubScope,
  definition: ResourceDefinition,
  selection: Selection,
): Promise<ListPage> {
  const { matches, mayMatch } = selection;
  const request = { prefix: selectionPrefix(definition, selection), start: {}, pageSize: undefined };
  return matches === undefined
    ? readWhole(scope, definition, request)
    : readMatching(scope, definition, { ...request, matches, mayMatch });
}

type ListRange = Pick<StoreListOptions, "limit" | "countsRemaining">;

function listAt(scope: HubScope, { prefix, start }: PageRequest, range: ListRange): StoreList {
  const { remainingCount: _, ...from } = start;
  try {
    return scope.store.list(prefix, { ...from, ...range });
  } catch (error) {
    if (!isAppError(error, "E_KUBE_GONE")) throw error;
    if (start.continueAfter === undefined) throw expired("The resourceVersion for the provided list is too old.");
    throw inconsistentList(start.continueAfter.slice(prefix.length));
  }
}

/** 410 with a token that continues in the present. */
function inconsistentList(after: string): ApiFailure {
  return new ApiFailure(410, "Expired", inconsistentText, {
    metadata: { continue: encodeContinue({ revision: -1, after }) },
  });
}

/** Waits a little for a revision that is not there yet; then 504, which clients take as "ask again". */
export async function waitForRevision(scope: HubScope, revision: number | bigint): Promise<void> {
  const deadlineMs = scope.clock.monotonicMs() + freshWaitMs;
  while (scope.store.revision < revision) {
    if (scope.clock.monotonicMs() >= deadlineMs) throw tooLargeVersion(scope, revision, { isOfOneObject: false });
    await scope.clock.sleep(pollMs);
  }
}

/** kube-apiserver's cache names when to ask again; one object is read from its store, which does not. */
function tooLargeVersion(
  scope: HubScope,
  revision: number | bigint,
  { isOfOneObject: isOfOne }: { readonly isOfOneObject: boolean },
): ApiFailure {
  const message = `Too large resource version: ${revision}, current: ${scope.store.revision}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return new ApiFailure(504, "Timeout", `Timeout: ${message}`, {
    details: { causes, ...(isOfOne ? {} : { retryAfterSeconds: 1 }) },
  });
}
