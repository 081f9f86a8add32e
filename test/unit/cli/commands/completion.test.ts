import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { runCompletion } from "../../../../src/cli/commands/completion.ts";
import type { CommandSummary } from "../../../../src/cli/commands/command-context.ts";
import { flagOf } from "../../../../src/settings/option-entry.ts";
import { optionTable } from "../../../../src/settings/options.ts";
import { commands as allCommands } from "../../../../src/cli/program.ts";

const commands: readonly CommandSummary[] = [
  { name: "plan", summary: "what a hub's plan is" },
  { name: "run", summary: "run" },
  { name: "add token", summary: "a token" },
  { name: "add cluster", summary: "a cluster" },
  { name: "completion", summary: "this", choices: ["bash", "zsh", "fish"] },
  { name: "bootstrap", summary: "a repository", choices: ["github", "gitlab", "gitea", "git"] },
  { name: "hub", summary: "hidden", isHidden: true },
  { name: "get", summary: "list" },
  { name: "status", summary: "the fleet" },
  { name: "remove token", summary: "a token" },
  { name: "logs", summary: "the log of an agent" },
  { name: "wait", summary: "wait" },
  { name: "join", summary: "install the agent" },
];

/** In place of the program: what its hub has. */
const program = `rollcall() { case "$2 $4" in
  "clusters jsonpath={.items[*].metadata.name}") printf 'eu-1 eu-2 us-1' ;;
  "tokens jsonpath={.items[*].metadata.name}") printf 'edge' ;;
  "clusters name") printf 'cluster.rollcall.dev/eu-1\ncluster.rollcall.dev/us-1\n' ;;
  *) echo "no hub" >&2; return 1 ;; esac; }`;

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
    { words: ["rollcall", "bootstrap", ""], offered: ["github", "gitlab", "gitea", "git"], reason: "a forge" },
    { words: ["rollcall", "bootstrap", "gite"], offered: ["gitea"], reason: "a forge" },
    { words: ["rollcall", "bootstrap", "git", ""], offered: [], reason: "an address" },
    { words: ["rollcall", "plan", "--repo", ""], offered: [], reason: "a value, which the shell completes" },
    { words: ["rollcall", "get", "re"], offered: ["registrations", "reports", "repositories"], reason: "a kind" },
    { words: ["rollcall", "get", "clusters", "eu"], offered: ["eu-1", "eu-2"], reason: "the name of an object" },
    { words: ["rollcall", "get", "nothing", "eu"], offered: [], reason: "a kind that there is none of" },
    { words: ["rollcall", "get", "clusters", "--sel"], offered: ["--selector"], reason: "an option after a kind" },
    { words: ["rollcall", "get", "clusters", "--selector", ""], offered: [], reason: "the value of an option" },
    { words: ["rollcall", "status", "us"], offered: ["us-1"], reason: "the name of a cluster" },
    { words: ["rollcall", "logs", "us"], offered: ["us-1"], reason: "a cluster with an agent" },
    {
      words: ["rollcall", "wait", "cluster.rollcall.dev/u"],
      offered: ["cluster.rollcall.dev/us-1"],
      reason: "an object",
    },
    { words: ["rollcall", "join", "--from-hub", ""], offered: ["edge"], reason: "the name of a token" },
    { words: ["rollcall", "remove", "token", "e"], offered: ["edge"], reason: "the token that is removed" },
  ])("offers $offered for $reason in bash", async ({ words, offered }) => {
    const set = `COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}`;
    const script = `${program}\n${await scriptOf("bash")}\n${set}; _rollcall; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const printed = execFileSync("bash", ["--norc", "-c", script], { encoding: "utf8" });
    expect(printed.split("\n").filter((line) => line !== "")).toEqual(offered);
  });

  it.each([
    { line: ["rollcall", "status", ""], reason: "names of clusters" },
    { line: ["rollcall", "get", "clusters", ""], reason: "names of objects" },
    { line: ["rollcall", "wait", ""], reason: "objects" },
    { line: ["rollcall", "join", "--from-hub", ""], reason: "names of tokens" },
  ])("A233 bash runs nothing of $reason that a hub answers, and offers no such name", async ({ line }) => {
    const answer = ["$(echo${IFS}ran>&2)", "`echo${IFS}ran>&2`", "/*", "eu-1;ls", "eu-1"];
    const hub = `rollcall() { printf '%s\\n' ${answer.map((word) => `'${word}'`).join(" ")}; }`;
    const set = `COMP_WORDS=(${line.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${line.length - 1}`;
    const script = `${hub}\n${await scriptOf("bash")}\n${set}; _rollcall; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout).toBe("eu-1\n");
  });

  it("has commands, options and choices for zsh and fish, and quotes what people wrote", async () => {
    expect(await scriptOf("zsh")).toMatch(/"plan --output"\) compadd -- text markdown json; return ;;/u);
    const fish = await scriptOf("fish");
    expect(fish).toContain(String.raw`-a plan -d 'what a hub\'s plan is'`);
    expect(fish).toContain("__fish_seen_subcommand_from add; and __fish_seen_subcommand_from token' -l ttl -r");
    expect(fish).not.toContain("hidden");
  });

  it("offers exactly the words that a command takes", async () => {
    const withChoices = allCommands.filter(({ choices }) => choices !== undefined);
    expect(withChoices.map(({ name }) => name)).toEqual(["bootstrap", "import", "completion"]);
    for (const { name, choices = [], arguments: [first] = [] } of withChoices) {
      for (const word of choices) expect(first?.description, name).toContain(word);
    }
    expect(await scriptOf("zsh")).toContain('"bootstrap bootstrap") compadd -- github gitlab gitea git ;;');
    expect(await scriptOf("fish")).toContain("-f -a 'github gitlab gitea git'");
  });

  const isInstalled = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;
  const visible = allCommands.filter(({ isHidden }) => isHidden !== true);
  const flagsOf = (name: string) =>
    optionTable.filter((option) => option.commands.some((command) => command === name)).map(flagOf);

  // What the shells themselves offer after `rollcall <command> --`, one line for each command.
  const shells = [
    {
      shell: "bash",
      args: ["--norc", "-c"],
      ask: (words: readonly string[]) =>
        `COMP_WORDS=(rollcall ${words.join(" ")} --); COMP_CWORD=${words.length + 1}; _rollcall; echo "\${COMPREPLY[*]}"`,
      prelude: "",
    },
    {
      shell: "zsh",
      args: ["-f", "-c"],
      ask: (words: readonly string[]) =>
        `words=(rollcall ${words.join(" ")} --); CURRENT=\$#words; offered=(); _rollcall; print -r -- "\$offered"`,
      prelude: 'compdef() { :; }; compadd() { shift; offered+=("$@"); };',
    },
    {
      shell: "fish",
      args: ["--no-config", "-c"],
      ask: (words: readonly string[]) => `echo (complete -C 'rollcall ${words.join(" ")} --' | string split -f1 \\t)`,
      prelude: "",
    },
  ];
  it.for(shells)("offers every option of every command in $shell", async ({ shell, args, ask, prelude }, { skip }) => {
    skip(!isInstalled(shell), `${shell} is not installed`);
    const parts: string[] = [prelude];
    await runCompletion({ args: [shell], commands: allCommands, stdout: { write: (part) => parts.push(part) } });
    const questions = visible.map(({ name }) => ask(name.split(" ")));
    const printed = execFileSync(shell, [...args, [...parts, ...questions].join("\n")], { encoding: "utf8" });
    const lines = printed.split("\n");
    for (const [index, { name }] of visible.entries()) {
      const offered = new Set((lines[index] ?? "").split(" "));
      expect(
        flagsOf(name).filter((flag) => !offered.has(flag)),
        name,
      ).toEqual([]);
    }
    expect(visible.length).toBeGreaterThan(18);
  });

  it("offers kinds, and then names also of a kind in the singular, in fish", async ({ skip }) => {
    skip(!isInstalled("fish"), "fish is not installed");
    const listing = `function rollcall; test "$argv[2]" = token; and printf edge; end`;
    const ask = (line: string): string => `echo (complete -C '${line}' | string split -f1 \\t)`;
    const script = [listing, await scriptOf("fish"), ask("rollcall get t"), ask("rollcall get token ")].join("\n");
    expect(execFileSync("fish", ["--no-config", "-c", script], { encoding: "utf8" })).toBe("tokens\nedge\n");
  });

  it("refuses another shell", () => {
    const stdout = { write: () => true };
    for (const shell of ["", "tcsh", "toString"]) {
      expect(() => runCompletion({ args: [shell], commands, stdout })).toThrow(/bash, zsh, fish/u);
    }
  });
});
