import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, it, vi } from "vitest";
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
  [["help", "statsu"], "unknown command 'statsu', did you mean status?", "rollcall --help"],
  [["help", "add", "tokn"], "unknown command 'tokn', did you mean token?", "rollcall add --help"],
  [["statsu", "--help"], "unknown command 'statsu', did you mean status?", "rollcall --help"],
  [["add", "tokn", "x", "--help"], "unknown command 'tokn', did you mean token?", "rollcall add --help"],
  [["add", "--frobnicate"], "unknown option '--frobnicate'", "rollcall add --help"],
  [["completion", "zhs"], "shell is zhs; it can be bash, zsh, fish (did you mean zsh?)", "rollcall completion --help"],
  [
    ["bootstrap", "githb", "a/b"],
    "forge is githb; it can be github, gitlab, gitea, git (did you mean github?)",
    "rollcall bootstrap --help",
  ],
  [["--kubeconfig", "f", "status"], "unknown option '--kubeconfig': write it after the command", "rollcall --help"],
  [["add", "--dir", "f", "token", "x"], "unknown option '--dir': write it after the command", "rollcall add --help"],
  [["--dry"], "unknown option '--dry'", "rollcall --help"],
  [["plan", "--commit", "--kubeconfig", "f"], "option '--commit <commit>' argument missing", "rollcall plan --help"],
  [["get", "clusters", "-n", "-A"], "option '-n, --workspace <name>' argument missing", "rollcall get --help"],
  [["status", "--kubeconfig", "--help"], "option '--kubeconfig <file>' argument missing", "rollcall status --help"],
  [
    ["add", "token", "x", "--label", "--dir"],
    "option '--label <key=value>' argument missing",
    "rollcall add token --help",
  ],
  [["status", ""], "the argument cluster is empty", "rollcall status --help"],
  [["get", "clusters", "a", ""], "the argument name is empty", "rollcall get --help"],
  [["validate", ""], "the argument path is empty", "rollcall validate --help"],
  [["status", "-o", "yaml"], "--output is yaml; it can be text, json", "rollcall status --help"],
  [["import", "x"], "project is x; it can be fleet, kubefleet, clusternet, cluster-api", "rollcall import --help"],
])("throws a mistake in the words of the command line as one of use: %j", async (argv, message, help) => {
  const failure: unknown = await runProgram(argv, new AbortController().signal, "0").catch((error: unknown) => error);
  expect(describeFailure(failure, argv)).toBe(`rollcall: E_USAGE: ${message}\nSee: ${help}\n`);
});

it.each([
  [["help"], "Usage: rollcall [options] [command]"],
  [["help", "status"], "Usage: rollcall status [options] [cluster]"],
  [["help", "add"], "Usage: rollcall add [options] [command]"],
  [["help", "add", "token"], "Usage: rollcall add token [options] <name>"],
  [["add", "help", "token"], "Usage: rollcall add token [options] <name>"],
])("prints the help of the whole command, also of one of two words: %j", async (argv, usage) => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    expect(await runProgram(argv, new AbortController().signal, "0")).toBe(0);
    expect(String(write.mock.calls[0]?.[0]).split("\n")[0]).toBe(usage);
  } finally {
    write.mockRestore();
  }
});

it.each([
  [["--help"], "  hub [options] "],
  [["--help"], "  add  write the file of a cluster or of a registration token\n"],
  [["add", "--help"], "Write the file of a cluster or of a registration token.\n"],
  [["remove", "--help"], "Delete the file of a cluster or of a registration token.\n"],
  [["trust", "--help"], "Replace the hub's trust key.\n"],
])("describes each command in its help, also one that only has subcommands: %j", async (argv, text) => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    expect(await runProgram(argv, new AbortController().signal, "0")).toBe(0);
    expect(String(write.mock.calls[0]?.[0]).replaceAll(/ {2,}(?=\w+ the file)/gu, "  ")).toContain(text);
  } finally {
    write.mockRestore();
  }
});
