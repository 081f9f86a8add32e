import { describe, expect, it } from "vitest";
import { checkName, readLabels } from "../../../../src/cli/commands/read-labels.ts";

const name = (length: number): string => "a".repeat(length);

describe("a label of the command line", () => {
  it.each<readonly [string, readonly string[], Readonly<Record<string, string>>]>([
    ["none", [], {}],
    ["several", ["env=prod", "example.com/tier=a.b_c-d"], { env: "prod", "example.com/tier": "a.b_c-d" }],
    ["one without a value", ["env="], { env: "" }],
    ["the last one of a key", ["env=prod", "env=test"], { env: "test" }],
    ["one of 63 characters each", [`${name(63)}=${name(63)}`], { [name(63)]: name(63) }],
  ])("is read: %s", (_what, pairs, labels) => {
    expect(readLabels(pairs)).toEqual(labels);
  });

  it.each([
    ["env", '"env" is no label: write key=value, such as env=prod'],
    ["=prod", "is no label"],
    ["env=a=b", "is no label"],
    ["env=-a", "is no label"],
    ["env=a b", "is no label"],
    ["-env=a", "is no label"],
    ["Example.com/a=b", "is no label"],
    [`${name(64)}=a`, "is no label"],
    [`a=${name(64)}`, "is no label"],
    ["rollcall.dev/cluster=a", "label rollcall.dev/cluster is reserved: choose another prefix"],
  ])("is refused: %s", (pair, reason) => {
    expect(() => readLabels(["env=prod", pair])).toThrow(
      expect.objectContaining({ code: "E_USAGE", message: expect.stringContaining(reason) as string }) as Error,
    );
  });
});

describe("a name of the command line", () => {
  it.each(["a", "edge-7", "7", name(63)])("is taken: %s", (value) => {
    expect(checkName(value, "the name")).toBe(value);
  });

  it.each(["", "-a", "a-", "A", "a.b", "a/b", "a\n", name(64)])("is refused: '%s'", (value) => {
    expect(() => checkName(value, "the name")).toThrow(/^the name ".*" cannot be used: lower-case letters/u);
  });
});
