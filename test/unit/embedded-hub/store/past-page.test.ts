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
