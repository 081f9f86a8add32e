import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { checkImage } from "../../../../src/cli/commands/read-image.ts";

describe("checkImage", () => {
  it.each([
    "rollcall",
    "localhost:5000/rollcall",
    "registry.example.com/my_group/rollcall:1.2_3-RC1",
    `registry.example.com:5000/a/b/rollcall:1@sha256:${"0a".repeat(32)}`,
  ])("takes %s, which is the same in YAML without quotes", (image) => {
    expect(checkImage(image, "--image")).toBe(image);
    expect(parse(`image: ${image} # of the daemon\n`)).toEqual({ image });
  });

  it.each([
    "",
    "a b",
    "a#b",
    "a: b",
    "rollcall\n      options: --privileged",
    "$IMAGE",
    "https://r/a",
    "a@sha256:0",
    "a:",
  ])("refuses %j", (image) => {
    expect(() => checkImage(image, "--image")).toThrow(/^--image .* is no image, such as /u);
  });

  it("reads a long text in a time that grows with its length", () => {
    expect(() => checkImage(`${"a:".repeat(200_000)}!`, "--image")).toThrow("is no image");
    expect(() => checkImage("a/".repeat(200), "--image")).toThrow("is no image");
  });
});
