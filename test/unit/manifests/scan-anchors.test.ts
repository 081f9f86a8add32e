import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import {
  createScanAnchors,
  openAnchor,
  resolveAlias,
  scanAnchorName,
  setAnchor,
} from "../../../src/manifests/scan-anchors.ts";

describe("scanAnchorName", () => {
  it.each([
    { text: "&a b", found: { name: "a", end: 2 } },
    { text: "*a-1", found: { name: "a-1", end: 4 } },
    { text: "*a]", found: { name: "a", end: 2 } },
    { text: "& a", found: undefined },
    { text: "&a:", found: undefined },
    { text: "&ä b", found: undefined },
  ])("finds $found in $text", ({ text, found }) => {
    expect(scanAnchorName(text, 0)).toEqual(found);
  });
});

describe("resolveAlias", () => {
  it("gives a copy of the last value, and none while it is read", () => {
    const anchors = createScanAnchors();
    const value: Json = { a: [1] };
    setAnchor(anchors, "x", 1);
    setAnchor(anchors, "x", value);
    expect(resolveAlias(anchors, "x")).toEqual(value);
    expect(resolveAlias(anchors, "x")).not.toBe(value);
    openAnchor(anchors, "x");
    expect(resolveAlias(anchors, "x")).toBeUndefined();
    expect(resolveAlias(anchors, "constructor")).toBeUndefined();
  });

  it.each<{ value: Json; times: number; reason: string }>([
    { value: 1, times: 50, reason: "a value counts once" },
    { value: [1, { a: 2 }], times: 12, reason: "a list and a map count with what is in them" },
    { value: "x".repeat(10 * 1024), times: 4, reason: "a long text counts by its length" },
  ])("A17 expands to at most 50 values of a document: $reason", ({ value, times }) => {
    const anchors = createScanAnchors();
    setAnchor(anchors, "x", value);
    for (let count = 0; count < times; count++) expect(resolveAlias(anchors, "x")).toEqual(value);
    expect(resolveAlias(anchors, "x")).toBeUndefined();
  });
});
