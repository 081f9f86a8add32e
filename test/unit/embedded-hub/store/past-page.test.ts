import { describe, expect, it } from "vitest";
import { readPastPage } from "../../../../src/embedded-hub/store/past-page.ts";
import { SortedKeys } from "../../../../src/embedded-hub/store/sorted-keys.ts";
import { makeRecord } from "../../../../src/embedded-hub/store/stored-record.ts";

const prefix = "//configmaps/fleet/";
const nameOf = (index: number): string => `${prefix}c-${String(index).padStart(5, "0")}`;

/** 10,000 objects at revision 1, of which each tenth was deleted later; counts the keys that are visited. */
function pastOf(count: number) {
  const visited: string[] = [];
  const all = Array.from({ length: count }, (_, index) => nameOf(index));
  const live = new SortedKeys(all.filter((_, index) => index % 10 !== 0));
  const deleted = new SortedKeys(all.filter((_, index) => index % 10 === 0));
  const readAt = (key: string) => {
    visited.push(key);
    return makeRecord(key, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: key } }, { create: 1, mod: 1 });
  };
  return { keys: { live, deleted, readAt }, visited, all };
}

describe("a page of a list whose collection moved on", () => {
  it("visits what is on it and one more, wherever it begins", () => {
    const { keys, visited, all } = pastOf(10_000);
    for (const start of [0, 5_000, 9_499]) {
      visited.length = 0;
      const page = readPastPage(keys, prefix, {
        atRevision: 1,
        limit: 500,
        continueAfter: nameOf(start),
        countsRemaining: false,
      });
      expect(page.items.map(({ key }) => key)).toEqual(all.slice(start + 1, start + 501));
      expect(visited.length).toBeLessThanOrEqual(501);
      expect(page.continueAfter).toBe(start === 9_499 ? undefined : nameOf(start + 500));
    }
  });

  it("counts what follows when that is asked for", () => {
    const { keys } = pastOf(100);
    const page = readPastPage(keys, prefix, { atRevision: 1, limit: 30 });
    expect([page.items.length, page.remainingCount, page.continueAfter]).toEqual([30, 70, nameOf(29)]);
  });
});

describe("a page of the past of few objects", () => {
  const at = (key: string, mod: number) =>
    makeRecord(key, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: key } }, { create: 1, mod });
  /** `b` and `d` were deleted since; `c` did not exist then. */
  const keys = {
    live: new SortedKeys(["a", "c", "e"].map((name) => prefix + name)),
    deleted: new SortedKeys(["b", "d"].map((name) => prefix + name)),
    readAt: (key: string) => (key.endsWith("c") ? undefined : at(key, 1)),
  };
  const page = (options: object) => {
    const { items, remainingCount, continueAfter } = readPastPage(keys, prefix, { atRevision: 1, ...options });
    return [items.map(({ key }) => key.slice(prefix.length)).join(""), remainingCount, continueAfter];
  };

  it.each([
    { options: {}, expected: ["abde", 0, undefined] },
    { options: { limit: 4 }, expected: ["abde", 0, undefined] },
    { options: { limit: 2 }, expected: ["ab", 2, `${prefix}b`] },
    { options: { limit: 2, countsRemaining: false }, expected: ["ab", 1, `${prefix}b`] },
    { options: { continueAfter: `${prefix}b` }, expected: ["de", 0, undefined] },
    { options: { continueAfter: `${prefix}bb`, limit: 1 }, expected: ["d", 1, `${prefix}d`] },
    { options: { continueAfter: `${prefix}e` }, expected: ["", 0, undefined] },
    { options: { limit: 0 }, expected: ["", 4, undefined] },
  ])("has $expected for $options", ({ options, expected }) => {
    expect(page(options)).toEqual(expected);
  });

  it("keeps to its prefix", () => {
    const one = readPastPage(keys, `${prefix}d`, { atRevision: 1 });
    expect(one.items.map(({ key }) => key)).toEqual([`${prefix}d`]);
    expect(readPastPage(keys, "//secrets/", { atRevision: 1 }).items).toEqual([]);
  });
});
