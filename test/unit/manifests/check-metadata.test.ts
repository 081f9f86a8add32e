import { describe, expect, it } from "vitest";
import { checkMetadata } from "../../../src/manifests/check-metadata.ts";
import type { JsonObject } from "../../../src/core/json.ts";

const found = (value: JsonObject): string[] => checkMetadata(value).map(({ path }) => path.join(" "));
const labels = (key: string): JsonObject => ({ metadata: { labels: { [key]: "" } } });
const annotations = (key: string): JsonObject => ({ metadata: { annotations: { [key]: "" } } });

describe("checkMetadata: keys of labels and annotations", () => {
  it.each(["a", "A_b.c-1", "a".repeat(63), "example.com/a", `${"a".repeat(253)}/a`, "a-b.c/x"])(
    "%s may be one",
    (key) => {
      expect(found(labels(key))).toEqual([]);
      expect(found(annotations(key))).toEqual([]);
    },
  );

  it.each([
    "",
    "-a",
    "a-",
    "a".repeat(64),
    "a b",
    "a/b/c",
    "/a",
    "a/",
    "-x.com/a",
    "x-.com/a",
    "x..com/a",
    `${"a".repeat(254)}/a`,
  ])("%j may be none", (key) => {
    expect(found(labels(key))).toEqual([`metadata labels ${key}`]);
    expect(found(annotations(key))).toEqual([`metadata annotations ${key}`]);
  });

  it("of an annotation may have a prefix with upper-case letters, of a label not", () => {
    expect(found(annotations("Example.com/a"))).toEqual([]);
    expect(found(labels("Example.com/a"))).toHaveLength(1);
  });

  it.each(["labels", "annotations", "clusterLabels"])("are checked in spec.%s, too", (field) => {
    expect(found({ spec: { [field]: { "a b": "" } } })).toEqual([`spec ${field} a b`]);
  });

  it("A16 may have annotations of 256 KiB together", () => {
    const sized = (length: number): JsonObject => ({ metadata: { annotations: { a: "x".repeat(length - 2), b: "" } } });
    expect(found(sized(256 * 1024))).toEqual([]);
    expect(found(sized(256 * 1024 + 1))).toEqual(["metadata annotations"]);
    expect(found({ spec: { annotations: { a: "ä".repeat(128 * 1024) } } })).toEqual(["spec annotations"]);
    expect(found({ metadata: { labels: { a: "x".repeat(300 * 1024) } } })).toEqual([]);
    expect(found({ metadata: { annotations: { a: 7 } } })).toEqual([]);
  });
});
