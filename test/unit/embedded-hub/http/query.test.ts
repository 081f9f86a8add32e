import { describe, expect, it } from "vitest";
import { ApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import { readDeleteQuery, readPatchQuery, readWriteQuery } from "../../../../src/embedded-hub/http/query.ts";

function refusalOf(read: (query: URLSearchParams) => unknown, fieldManager: string): ApiFailure {
  try {
    read(new URLSearchParams({ fieldManager }));
  } catch (error) {
    if (error instanceof ApiFailure) return error;
    throw error;
  }
  throw new Error("the manager was taken");
}

describe("a field manager", () => {
  const reads = [
    (query: URLSearchParams) => readWriteQuery(query, "CreateOptions"),
    (query: URLSearchParams) => readWriteQuery(query, "UpdateOptions"),
    (query: URLSearchParams) => readPatchQuery(query, false),
    (query: URLSearchParams) => readPatchQuery(query, true),
  ];

  it.each(reads)("has no unprintable characters, each of which is named with its place in bytes", (read) => {
    expect(refusalOf(read, "ä\u0001b\u200b").message).toMatch(
      /invalid character U\+0001 \(at position 2\), .*invalid character U\+200B \(at position 4\)\]$/u,
    );
  });

  it.each(reads)("A210 that is too long is refused as that alone, however many characters it may not have", (read) => {
    const { status } = refusalOf(read, "\u0001".repeat(1_000));
    expect(status.message).toMatch(/is invalid: fieldManager: Too long: may not be more than 128 bytes$/u);
    expect(status.details?.causes).toHaveLength(1);
  });
});

describe("the options of a delete in a URL", () => {
  it.each<readonly [string, object]>([
    ["", { dryRun: [] }],
    ["dryRun=All&dryRun=x", { dryRun: ["All", "x"] }],
    ["gracePeriodSeconds=-5", { dryRun: [], gracePeriodSeconds: -5 }],
    ["uid=&resourceVersion=", { dryRun: [] }],
    ["uid=u", { dryRun: [], preconditions: { uid: "u" } }],
    ["uid=u&resourceVersion=5", { dryRun: [], preconditions: { uid: "u", resourceVersion: "5" } }],
    ["propagationPolicy=Orphan", { dryRun: [], propagationPolicy: "Orphan" }],
    ["propagationPolicy=", { dryRun: [], propagationPolicy: "" }],
    ["orphanDependents", { dryRun: [], orphanDependents: true }],
    ["orphanDependents=1", { dryRun: [], orphanDependents: true }],
    ["orphanDependents=False", { dryRun: [], orphanDependents: false }],
    ["orphanDependents=0", { dryRun: [], orphanDependents: false }],
  ])("%s", (query, options) => {
    expect(readDeleteQuery(new URLSearchParams(query))).toEqual(options);
  });

  it("are refused when a number is none", () => {
    for (const [text, reason] of [
      ["x", "invalid syntax"],
      ["9".repeat(30), "value out of range"],
    ] as const) {
      expect(() => readDeleteQuery(new URLSearchParams({ gracePeriodSeconds: text }))).toThrow(reason);
    }
  });
});
