import { describe, expect, it } from "vitest";
import { describePath, pathOfPointer, showText } from "../../../src/manifests/schema-finding.ts";

describe("describePath", () => {
  it.each([
    { path: [], shown: "" },
    { path: ["spec"], shown: "spec" },
    { path: ["spec", "agent", "env", 0, "name"], shown: "spec.agent.env[0].name" },
    { path: ["spec", "taints", "12", "key"], shown: "spec.taints[12].key" },
    { path: ["metadata", "labels", "example.com/a"], shown: 'metadata.labels["example.com/a"]' },
    { path: ["metadata", "labels", "1a"], shown: 'metadata.labels["1a"]' },
    { path: ["metadata", "labels", "a1"], shown: "metadata.labels.a1" },
    { path: ["a-b", "_c", ""], shown: 'a-b._c[""]' },
    { path: ["a b"], shown: '["a b"]' },
    { path: ["-a", "é"], shown: '["-a"]["é"]' },
    { path: ["a", "b".repeat(60)], shown: `a.${"b".repeat(60)}` },
    { path: ["a", "b".repeat(61)], shown: `a["${"b".repeat(60)}…"]` },
    { path: ["9".repeat(61)], shown: `["${"9".repeat(60)}…"]` },
  ])("shows $path as $shown", ({ path, shown }) => {
    expect(describePath(path)).toBe(shown);
  });
});

describe("pathOfPointer", () => {
  it.each([
    { pointer: "", path: [] },
    { pointer: "/", path: [""] },
    { pointer: "/spec/taints/0", path: ["spec", "taints", "0"] },
    { pointer: "/metadata/labels/a~1b~1c", path: ["metadata", "labels", "a/b/c"] },
    { pointer: "/a~0b~0c/~01", path: ["a~b~c", "~1"] },
  ])("reads $pointer", ({ pointer, path }) => {
    expect(pathOfPointer(pointer)).toEqual(path);
  });
});

describe("showText", () => {
  it.each([
    { reason: "60 characters whole", text: "x".repeat(60), shown: `"${"x".repeat(60)}"` },
    { reason: "60 characters of a longer text", text: `${"x".repeat(60)}y`, shown: `"${"x".repeat(60)}…"` },
    { reason: "quotes and line ends escaped", text: 'a"\n\u0007', shown: '"a\\"\\n\\u0007"' },
  ])("A44 shows $reason", ({ text, shown }) => {
    expect(showText(text)).toBe(shown);
  });
});
