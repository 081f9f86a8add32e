import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { ForgeHttp, ForgeRequest } from "../../../src/forge/forge-http.ts";
import { listPages, pickPages } from "../../../src/forge/list-pages.ts";
import type { PickOptions } from "../../../src/forge/list-pages.ts";

const request = { action: "list things", method: "GET", path: "/things" } as const;
const page = { sizeParameter: "limit", size: 50 };

interface Listing {
  /** How long each item is, of which an answer may have 100. */
  readonly lengths: readonly number[];
  /** Of a page, whatever was asked for. */
  readonly mostPerPage?: number;
  /** Whether an answer shows that the list continues. */
  readonly hasLinks: boolean;
}

/** A forge with a list of things, whose ids are 0, 1 and so on. */
function forgeWith({ lengths, mostPerPage = Infinity, hasLinks }: Listing) {
  const asked: ForgeRequest["query"][] = [];
  const http: ForgeHttp = {
    send: ({ query }) => {
      asked.push(query);
      const size = Math.min(Number(query?.["limit"]), mostPerPage);
      const start = (Number(query?.["page"]) - 1) * size;
      const ids = lengths.map((_, id) => id).slice(start, start + size);
      if (ids.reduce((sum, id) => sum + (lengths[id] ?? 0), 0) > 100)
        return Promise.reject(new AppError("E_FORGE_PROTOCOL", "too long", { data: { maximumBytes: 100 } }));
      const hasNextPage = hasLinks ? start + size < lengths.length : undefined;
      return Promise.resolve({ json: ids.map((id) => ({ id })), hasNextPage });
    },
    close: () => Promise.resolve(),
  };
  return { http, asked };
}

function idsOf(items: readonly object[]): unknown[] {
  return items.map((item) => ("id" in item ? item.id : undefined));
}

function pick(http: ForgeHttp, options: Partial<PickOptions<object>> = {}) {
  return pickPages(http, request, { ...page, pick: (items) => items, ...options });
}

describe("pickPages", () => {
  it.each([true, false])(
    "gives all items but those that are too long, once and in order (links: %s)",
    async (hasLinks) => {
      const length = fc.constantFrom(0, 1, 1, 1, 40, 100, 101);
      const lengths = fc.array(length, { maxLength: 130 });
      // Without a link, only a page that is nearly empty is the last.
      const limits = fc.constantFrom(Infinity, ...(hasLinks ? [7, 25, 30] : []));
      await fc.assert(
        fc.asyncProperty(lengths, limits, async (all, mostPerPage) => {
          const { http, asked } = forgeWith({ lengths: all, mostPerPage, hasLinks });
          const wanted = all.flatMap((each, id) => (each > 100 ? [] : [id]));
          expect(idsOf(await pick(http, { hasOwnLimit: true }))).toEqual(wanted);
          expect(asked.length).toBeLessThan(440);
        }),
      );
    },
  );

  it.each([
    { count: 50, hasLinks: true, requests: 1 },
    { count: 51, hasLinks: true, requests: 2 },
    { count: 9, hasLinks: false, requests: 1 },
    // Some of a page may not be shown to the token.
    { count: 10, hasLinks: false, requests: 2 },
    { count: 50, hasLinks: false, requests: 2 },
  ])("asks $requests times for $count items (links: $hasLinks)", async ({ count, hasLinks, requests }) => {
    const { http, asked } = forgeWith({ lengths: Array(count).fill(0), hasLinks });
    expect(await pick(http)).toHaveLength(count);
    expect(asked).toEqual(Array.from({ length: requests }, (_, index) => ({ limit: 50, page: index + 1 })));
  });

  it("asks for no more where there is enough, or where the list comes whole", async () => {
    const { http, asked } = forgeWith({ lengths: Array(200).fill(0), hasLinks: true });
    expect(await pick(http, { isEnough: (kept) => kept.length >= 100 })).toHaveLength(100);
    expect(await pick(http, { isOnePage: true })).toHaveLength(50);
    expect(asked).toHaveLength(3);
  });

  it("reads a list whose pages may be short to the first empty one", async () => {
    const short = [[0], [1, 2], [], [3]];
    const http: ForgeHttp = {
      send: ({ query }) => {
        const ids = short[Number(query?.["page"]) - 1] ?? [];
        return Promise.resolve({ json: [...ids.map((id) => ({ id })), ...ids], hasNextPage: undefined });
      },
      close: () => Promise.resolve(),
    };
    expect(idsOf(await pick(http, { isSparse: true }))).toEqual([0, 1, 2]);
    expect(idsOf(await pick(http))).toEqual([0]);
  });

  it("ends at an empty page, even where the answer declares a next one", async () => {
    let requests = 0;
    const http: ForgeHttp = {
      send: () => {
        requests += 1;
        return Promise.resolve({ json: "none", hasNextPage: true });
      },
      close: () => Promise.resolve(),
    };
    expect([await pick(http), requests]).toEqual([[], 1]);
  });

  it("refuses a list of more than 40 pages, or reports that it was cut", async () => {
    const { http, asked } = forgeWith({ lengths: Array(2001).fill(0), hasLinks: true });
    await expect(pick(http)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    expect(asked).toHaveLength(40);
    const cuts: number[] = [];
    expect(await pick(http, { onCut: (pages) => void cuts.push(pages) })).toHaveLength(2000);
    expect(cuts).toEqual([40]);
    const whole = forgeWith({ lengths: Array(2000).fill(0), hasLinks: true });
    expect(await pick(whole.http)).toHaveLength(2000);
  });

  it("A160 asks at most 400 times for smaller pages", async () => {
    const { http, asked } = forgeWith({ lengths: Array(1000).fill(101), hasLinks: true });
    expect(await pick(http, { onCut: () => undefined })).toEqual([]);
    const smaller = asked.filter((query) => query?.["limit"] !== 50);
    expect(smaller).toHaveLength(400);
  });

  it.each([
    { what: "a list that is needed whole", options: { isWhole: true } },
    { what: "a list of one page", options: { isOnePage: true } },
  ])("fails for $what that is too long", async ({ options }) => {
    const { http, asked } = forgeWith({ lengths: [101], hasLinks: true });
    await expect(pick(http, options)).rejects.toMatchObject({ code: "E_FORGE_PROTOCOL" });
    expect(asked).toHaveLength(1);
  });

  it("fails for any other answer that is not understood", async () => {
    const http: ForgeHttp = {
      send: () => Promise.reject(new AppError("E_FORGE_PROTOCOL", "a login page")),
      close: () => Promise.resolve(),
    };
    await expect(pick(http)).rejects.toThrow("a login page");
  });
});

describe("listPages", () => {
  it("gives the whole items of a list, or fails", async () => {
    const good = forgeWith({ lengths: Array(60).fill(1), hasLinks: true });
    expect(idsOf(await listPages(good.http, request, page))).toEqual([...Array(60).keys()]);
    expect(await listPages(good.http, request, page, (items) => items.length > 1)).toHaveLength(50);
    const long = forgeWith({ lengths: [101], hasLinks: true });
    await expect(listPages(long.http, request, page)).rejects.toMatchObject({ code: "E_FORGE_PROTOCOL" });
  });
});
