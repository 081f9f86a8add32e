import { describe, expect, it } from "vitest";
import { decodeMessage } from "../../../../src/embedded-hub/protobuf/decode-message.ts";
import { messageType } from "../../../../src/embedded-hub/types/type-registry.ts";

const field = (number: number, wireType: number, ...bytes: readonly number[]): number[] => [
  number * 8 + wireType,
  ...bytes,
];
const bytes = (number: number, content: readonly number[]): number[] => field(number, 2, content.length, ...content);
const text = (number: number, value: string): number[] => bytes(number, [...Buffer.from(value)]);
const metadata = (...parts: readonly (readonly number[])[]): number[] => bytes(1, parts.flat());
const label = (key: string, value: string): number[] => bytes(11, [...text(1, key), ...text(2, value)]);

function decoded(...parts: readonly (readonly number[])[]): unknown {
  return decodeMessage(messageType("core.ConfigMap"), Uint8Array.from(parts.flat()));
}

describe("a message with a field twice, as kube-apiserver reads it", () => {
  it("merges a message, with its maps and lists", () => {
    const first = metadata(text(1, "a"), label("x", "1"), text(14, "example.org/a"));
    const second = metadata(label("y", "2"), text(14, "example.org/b"));
    expect(decoded(first, second)).toEqual({
      metadata: { name: "a", labels: { x: "1", y: "2" }, finalizers: ["example.org/a", "example.org/b"] },
    });
  });

  it("takes the last scalar", () => {
    expect(decoded(metadata(text(1, "a")), metadata(text(1, "b")), field(4, 0, 1), field(4, 0, 0))).toEqual({
      metadata: { name: "b" },
      immutable: false,
    });
  });
});

describe("fields that kube-apiserver skips", () => {
  it.each([
    ["a number", field(15, 0, 5)],
    ["a group", [...field(15, 3), ...field(1, 0, 1), ...field(15, 4)]],
    ["a group in a group", [...field(15, 3), ...field(14, 3), ...field(14, 4), ...field(15, 4)]],
    ["a group that another number ends", [...field(15, 3), ...field(14, 4)]],
  ])("are unknown: %s", (_what, unknown) => {
    expect(decoded(unknown, metadata(text(1, "a")))).toEqual({ metadata: { name: "a" } });
  });
});

describe("JSON in a message", () => {
  it("keeps each digit of a whole number beyond 2^53", () => {
    const data = bytes(2, text(1, '{"id":9007199254740993}'));
    expect(decodeMessage(messageType("apps.ControllerRevision"), Uint8Array.from(data))).toEqual({
      data: { id: 9_007_199_254_740_993n },
    });
  });
});

describe("bytes that kube-apiserver refuses", () => {
  it.each([
    ["the end of no group", field(15, 4)],
    ["a group without an end", field(15, 3)],
    ["a wire type that does not exist", field(15, 6)],
    ["a field with the number 0", [0, 0]],
    ["a message as a number", field(1, 0, 1)],
    ["a map as a number", field(2, 0, 1)],
    ["an item of a list as a number", metadata(field(14, 0, 1))],
    ["a message as an empty group", [...field(1, 3), ...field(1, 4)]],
  ])("are malformed: %s", (_what, part) => {
    expect(decoded(metadata(text(1, "a")), part)).toBeUndefined();
  });

  it("are not deep: ten thousand groups in each other are skipped", () => {
    const depth = 10_000;
    const open = Array.from({ length: depth }, () => field(15, 3)).flat();
    const close = Array.from({ length: depth }, () => field(15, 4)).flat();
    expect(decoded(open, close, metadata(text(1, "a")))).toEqual({ metadata: { name: "a" } });
    expect(decoded(open, close.slice(1))).toBeUndefined();
  });
});
