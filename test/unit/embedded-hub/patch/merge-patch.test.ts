import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { applyMergePatch } from "../../../../src/embedded-hub/patch/merge-patch.ts";

function patched(object: JsonObject, patch: JsonObject): unknown {
  const result = applyMergePatch(object, patch);
  return result.kind === "patched" ? result.object : result.code;
}

/** What kube-apiserver 1.34.4 answered to merge patches of a custom object with `s`: the `s` that it has then, or code and message. */
interface Recorded {
  readonly s: JsonObject;
  readonly answers: readonly (readonly [patch: Json, outcome: Json])[];
}

const file = new URL("golden/merge-patches.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as Recorded;

describe("a merge patch", () => {
  it.each(recorded.answers.map(([patch, outcome]) => [JSON.stringify(patch), patch, outcome] as const))(
    "that was recorded has the same outcome: %s",
    (_text, patch, outcome) => {
      const result = applyMergePatch({ metadata: {}, s: recorded.s }, patch);
      if (result.kind === "patched") expect(result.object["s"] ?? null).toEqual(outcome);
      else expect([result.code, result.message]).toEqual(outcome);
    },
  );

  it("merges objects, replaces everything else, and removes by null", () => {
    const object = { a: { b: 1, c: 2 }, list: [1, 2], d: "x" };
    expect(patched(object, { a: { b: null, e: 3 }, list: [3], d: { f: 1 } })).toEqual({
      a: { c: 2, e: 3 },
      list: [3],
      d: { f: 1 },
    });
  });

  it("leaves an object as it is when it is empty, and twice is the same as once", () => {
    const json = fc.dictionary(
      fc.constantFrom("a", "b"),
      fc.oneof(fc.integer(), fc.dictionary(fc.constantFrom("c", "d"), fc.integer())),
    );
    fc.assert(
      fc.property(json, json, (object, patch) => {
        expect(patched(object, {})).toEqual(object);
        const once = patched(object, patch) as JsonObject;
        expect(patched(once, patch)).toEqual(once);
      }),
    );
  });
});
