import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { runCompletion } from "../../../src/cli/completion.ts";
import type { CommandSummary } from "../../../src/cli/command-context.ts";

const commands: readonly CommandSummary[] = [
  { name: "plan", summary: "what a hub's plan is" },
  { name: "run", summary: "run" },
  { name: "add token", summary: "a token" },
  { name: "add cluster", summary: "a cluster" },
  { name: "completion", summary: "this" },
  { name: "hub", summary: "hidden", isHidden: true },
];

async function scriptOf(shell: string): Promise<string> {
  let text = "";
  await runCompletion({ args: [shell], commands, stdout: { write: (part) => (text += part) } });
  return text;
}

describe("rollcall completion", () => {
  it.each([
    { words: ["rollcall", "p"], offered: ["plan"], reason: "a command" },
    { words: ["rollcall", "h"], offered: [], reason: "a hidden command" },
    { words: ["rollcall", "add", ""], offered: ["token", "cluster"], reason: "a second word" },
    { words: ["rollcall", "add", "token", "x", "--tt"], offered: ["--ttl"], reason: "an option of two words" },
    { words: ["rollcall", "plan", "--output", "j"], offered: ["json"], reason: "a choice" },
    { words: ["rollcall", "run", "--no-l"], offered: ["--no-leader-election"], reason: "a switch that is on" },
    { words: ["rollcall", "completion", "z"], offered: ["zsh"], reason: "a shell" },
    { words: ["rollcall", "plan", "--repo", ""], offered: [], reason: "a value, which the shell completes" },
  ])("offers $offered for $reason in bash", async ({ words, offered }) => {
    const set = `COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}`;
    const script = `${await scriptOf("bash")}\n${set}; _rollcall; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const printed = execFileSync("bash", ["--norc", "-c", script], { encoding: "utf8" });
    expect(printed.split("\n").filter((line) => line !== "")).toEqual(offered);
  });

  it("has commands, options and choices for zsh and fish, and quotes what people wrote", async () => {
    expect(await scriptOf("zsh")).toMatch(/"plan --output"\) compadd -- text markdown json; return ;;/u);
    const fish = await scriptOf("fish");
    expect(fish).toContain(String.raw`-a plan -d 'what a hub\'s plan is'`);
    expect(fish).toContain("__fish_seen_subcommand_from add; and __fish_seen_subcommand_from token' -l ttl -r");
    expect(fish).not.toContain("hidden");
  });

  it("refuses another shell", () => {
    const stdout = { write: () => true };
    for (const shell of ["", "tcsh", "toString"]) {
      expect(() => runCompletion({ args: [shell], commands, stdout })).toThrow(/bash, zsh, fish/u);
    }
  });
});
