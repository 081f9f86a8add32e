import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeFailure } from "../../../src/cli/explain-failure.ts";
import { runProgram } from "../../../src/cli/program.ts";

it("runs commands of two words, and gathers lists from commas and from repeated options", async () => {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-program-"));
  try {
    const lists = ["--label", "a=1", "--label", "b=2,c=3"];
    const argv = ["add", "token", "edge", "--dir", dir, ...lists];
    expect(await runProgram(argv, new AbortController().signal, "0")).toBe(0);
    const text = await readFile(join(dir, "tokens/edge.yaml"), "utf8");
    for (const label of ['a: "1"', 'b: "2"', 'c: "3"']) expect(text).toContain(label);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

it.each([
  [["statsu"], "unknown command 'statsu', did you mean status?", "rollcall --help"],
  [["add", "nothing"], "unknown command 'nothing'", "rollcall add --help"],
  [["status", "--namespce", "x"], "unknown option '--namespce', did you mean --namespace?", "rollcall status --help"],
  [["get"], "missing required argument 'kind'", "rollcall get --help"],
])("throws a mistake in the words of the command line as one of use: %j", async (argv, message, help) => {
  const failure: unknown = await runProgram(argv, new AbortController().signal, "0").catch((error: unknown) => error);
  expect(describeFailure(failure, argv)).toBe(`rollcall: E_USAGE: ${message}\nSee: ${help}\n`);
});
