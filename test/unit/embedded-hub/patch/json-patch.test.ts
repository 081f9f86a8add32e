import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { applyJsonPatch } from "../../../../src/embedded-hub/patch/json-patch.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";

const object: JsonObject = { a: { b: "1", "x/y": "2", "m~n": "3" }, list: ["p", "q", "r"] };

function patched(...operations: JsonObject[]): Json {
  const result = applyJsonPatch(object, operations);
  return result.kind === "patched" ? result.object : result.code;
}

/** What kube-apiserver 1.34.4 answered to JSON patches of a custom object with `s`: the `s` that it has then, or code and message. */
interface Recorded {
  readonly s: JsonObject;
  readonly answers: readonly (readonly [patch: Json, outcome: Json])[];
}

const file = new URL("golden/json-patches.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as Recorded;

describe("a JSON patch", () => {
  it.each(recorded.answers.map(([patch, outcome]) => [JSON.stringify(patch), patch, outcome] as const))(
    "that was recorded has the same outcome: %s",
    (_text, patch, outcome) => {
      const result = applyJsonPatch({ metadata: {}, s: recorded.s }, patch);
      if (result.kind === "patched") expect(result.object["s"]).toEqual(outcome);
      else expect(result.code === 422 ? [422] : [result.code, result.message]).toEqual(outcome);
    },
  );

  it.each<[JsonObject, Json]>([
    [{ op: "test", path: "/a/none" }, 422],
    [{ op: "test", path: "" }, 422],
    [{ op: "test", path: "", value: object }, object],
    [{ op: "test", path: "", value: {} }, 422],
    [{ op: "replace", path: "", value: { z: 1 } }, { z: 1 }],
    [{ op: "replace", path: "", value: [] }, 422],
    [{ op: "replace", path: "", value: null }, 422],
    [{ op: "replace", path: "", value: "x" }, 422],
  ])("of the whole object, and a test without a value: %j", (operation, outcome) => {
    expect(patched(operation)).toEqual(outcome);
  });

  it("adds, replaces and removes", () => {
    expect(patched({ op: "add", path: "/a/c", value: 1 })).toMatchObject({ a: { b: "1", c: 1 } });
    expect(patched({ op: "replace", path: "/a/b", value: null })).toMatchObject({ a: { b: null } });
    expect(patched({ op: "remove", path: "/a/b" })).toMatchObject({ a: { "x/y": "2" } });
    expect(patched({ op: "add", path: "/a/x~1y", value: "n" })).toMatchObject({ a: { "x/y": "n" } });
    expect(patched({ op: "replace", path: "/a/m~0n", value: "n" })).toMatchObject({ a: { "m~n": "n" } });
  });

  it("works on lists by index, from the end, and behind the end", () => {
    expect(patched({ op: "add", path: "/list/1", value: "n" })).toMatchObject({ list: ["p", "n", "q", "r"] });
    expect(patched({ op: "add", path: "/list/-", value: "n" })).toMatchObject({ list: ["p", "q", "r", "n"] });
    expect(patched({ op: "remove", path: "/list/0" })).toMatchObject({ list: ["q", "r"] });
    expect(patched({ op: "add", path: "/list/9", value: "n" })).toBe(422);
    expect(patched({ op: "replace", path: "/list/01", value: "n" })).toMatchObject({ list: ["p", "n", "r"] });
  });

  it("replaces what is not there, as API servers do", () => {
    expect(patched({ op: "replace", path: "/none", value: 1 })).toMatchObject({ none: 1 });
  });

  it("moves and copies", () => {
    expect(patched({ op: "move", from: "/a/b", path: "/c" })).toMatchObject({ c: "1" });
    expect(patched({ op: "move", from: "/a/b", path: "/c" })).not.toHaveProperty("a.b");
    expect(patched({ op: "copy", from: "/list", path: "/copy" })).toMatchObject({ copy: ["p", "q", "r"] });
  });

  it("stops at a test that fails, and leaves the object alone", () => {
    expect(patched({ op: "test", path: "/a/b", value: "1" }, { op: "remove", path: "/list" })).not.toHaveProperty(
      "list",
    );
    expect(patched({ op: "remove", path: "/list" }, { op: "test", path: "/a/b", value: "2" })).toBe(422);
    expect(object["list"]).toEqual(["p", "q", "r"]);
  });

  it("refuses what cannot be done", () => {
    for (const operation of [
      { op: "remove", path: "/none" },
      { op: "add", path: "/none/below", value: 1 },
      { op: "move", from: "/none", path: "/a" },
    ]) {
      expect(patched(operation), JSON.stringify(operation)).toBe(422);
    }
  });

  it("refuses a body that is no list of operations, and one that is too long", () => {
    expect(applyJsonPatch(object, { op: "add" })).toMatchObject({ kind: "refused", code: 400 });
    const many = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a/b", value: "1" }));
    expect(applyJsonPatch(object, many)).toMatchObject({ kind: "refused", code: 413 });
    expect(applyJsonPatch(object, many.slice(1))).toMatchObject({ kind: "patched" });
  });

  it("copies 3 MiB, as kube-apiserver does, and refuses more", () => {
    const add = { op: "add", path: "/text", value: "x".repeat(1024 * 1024 - 2) };
    const copies = Array.from({ length: 4 }, (_, index) => ({ op: "copy", from: "/text", path: `/copy-${index}` }));
    expect(patched(add, ...copies.slice(1))).toHaveProperty("copy-3");
    expect(patched(add, ...copies)).toBe(422);
  });

  it.each<[string, JsonObject[]]>([
    ["what it copied already", Array.from({ length: 60 }, (_, n) => ({ op: "copy", from: "/a", path: `/a/k${n}` }))],
    [
      "thousands of objects",
      [
        { op: "add", path: "/many", value: Array.from({ length: 5000 }, () => ({ a: 1 })) },
        ...Array.from({ length: 9000 }, () => ({ op: "copy", from: "/many", path: "/copy" })),
      ],
    ],
  ])("A189 does not hold the hub by copying %s again and again", (_what, operations) => {
    expect(patched(...operations)).toBe(422);
    expect(leastCpuMs(() => patched(...operations), 500)).toBeLessThan(500);
  });
});
