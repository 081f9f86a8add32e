import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";

it("runs commands of two words, and gathers lists from commas and from repeated options", async () => {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-program-"));
  try {
    const lists = ["--label", "a=1", "--label", "b=2,c=3"];
    const argv = ["add", "token", "edge", "--dir", dir, ...lists];
    expect(await runProgram(argv, new AbortController().signal, "0")).toBe(0);
    const text = await readFile(join(dir, "tokens/edge.yaml"), "utf8");
    for (const label of ['a: "1"', 'b: "2"', 'c: "3"']) expect(text).toContain(label);
    expect(await runProgram(["add", "nothing"], new AbortController().signal, "0")).toBe(2);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
