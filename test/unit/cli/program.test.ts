import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
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
    const argv = ["add", "token", "edge", "--dir", dir, "--workspace", "eu", "--workspace", "us", ...lists];
    expect(await runProgram(argv, new AbortController().signal, "0")).toBe(0);
    const text = await readFile(join(dir, "tokens/edge.yaml"), "utf8");
    // Of another option, the last one counts.
    for (const label of ['a: "1"', 'b: "2"', 'c: "3"', "namespace: us\n"]) expect(text).toContain(label);
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
  [["--kubeconfig=f", "status"], "unknown option '--kubeconfig': write it after the command", "rollcall --help"],
  [["--ttl", "1h", "add", "token", "x"], "unknown option '--ttl': write it after the command", "rollcall --help"],
  [["--dry"], "unknown option '--dry'", "rollcall --help"],
  [
    ["get", "clusters", "--namespace", "eu"],
    "get has no option --namespace: use --workspace (-n) for the workspace of the objects; --namespace is the daemon's namespace",
    "rollcall get --help",
  ],
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
  [["reconcile", "--help"], "Do not wait until the run has ended.\n"],
])("describes each command in its help, also one that only has subcommands: %j", async (argv, text) => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    expect(await runProgram(argv, new AbortController().signal, "0")).toBe(0);
    expect(String(write.mock.calls[0]?.[0]).replaceAll(/ {2,}(?=\w+ the file)/gu, "  ")).toContain(text);
  } finally {
    write.mockRestore();
  }
});

/** Runs the program in this process, and resolves with its exit code or failure, and what it wrote. */
async function runQuietly(argv: readonly string[]) {
  let [text, errorText] = ["", ""];
  const writers = [
    vi.spyOn(process.stdout, "write").mockImplementation((part) => ((text += String(part)), true)),
    vi.spyOn(process.stderr, "write").mockImplementation((part) => ((errorText += String(part)), true)),
  ];
  try {
    const outcome = await runProgram(argv, new AbortController().signal, "0").catch((error: unknown) => error);
    return { outcome, text, errorText };
  } finally {
    for (const writer of writers) writer.mockRestore();
  }
}

it("ends with 2 and the help for a command without its second word, and else with the code of the command", async () => {
  expect(await runQuietly(["add"])).toMatchObject({ outcome: 2, text: "" });
  const dir = await mkdtemp(join(tmpdir(), "rollcall-program-"));
  try {
    await writeFile(join(dir, "a.yaml"), "apiVersion: rollcall.dev/v1alpha1\nkind: Clutser\nmetadata: {name: a}\n");
    expect(await runQuietly(["validate", dir])).toMatchObject({ outcome: 1 });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

it("reads the file that ROLLCALL_CONFIG names, and warns beside the answer of what has no effect in it", async () => {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-program-"));
  try {
    const path = join(dir, "settings.yaml");
    await writeFile(path, "verifyPaths: [clusters/]\npageAddress: nowhere\n");
    vi.stubEnv("ROLLCALL_CONFIG", path);
    const { outcome, text, errorText } = await runQuietly(["run", "--repo", dir]);
    expect(outcome).toMatchObject({ code: "E_USAGE", message: expect.stringContaining("page-address") as string });
    expect([text, errorText]).toEqual([
      "",
      "warning: verifyPaths in the file of --config has no effect: it requires --verify-keys-secret\n",
    ]);
  } finally {
    vi.unstubAllEnvs();
    await rm(dir, { recursive: true, force: true });
  }
});
