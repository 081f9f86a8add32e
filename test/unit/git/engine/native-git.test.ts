import { chmod, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeNativeGit } from "../../../../src/git/engine/native-git.ts";
import type { NativeGitOptions } from "../../../../src/git/engine/native-git.ts";
import { isRunning } from "../../../support/is-running.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

/** A program in the place of git, which runs in the folder. */
async function makeGit(script: string, options: Partial<NativeGitOptions> = {}) {
  const { path: folder, remove } = await makeTempFolder();
  onTestFinished(remove);
  await writeFile(join(folder, "git"), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, "git"), 0o755);
  const searchPath = `${folder}:/usr/bin:/bin`;
  const started = async (): Promise<number> => {
    const file = join(folder, "started");
    await expect.poll(() => readFile(file, "utf8").catch(() => "")).toMatch(/\n$/u);
    return Number(await readFile(file, "utf8"));
  };
  return { folder, started, git: makeNativeGit({ folder, protocol: "file", searchPath, ...options }) };
}

describe("a run", () => {
  it("ends in time where git has ended and a program that it started has not", async () => {
    const { started, git } = await makeGit("sleep 100000 & echo $! > started");
    await expect(git.run({ args: ["fetch"], timeoutMs: 300 })).rejects.toMatchObject({
      code: "E_GIT_REMOTE",
      data: { reason: "slow" },
    });
    const pid = await started();
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it.each([
    ["git", "echo $$ > started; exec sleep 100000"],
    ["a git that does not end by itself", "trap '' TERM; echo $$ > started; exec sleep 100000"],
    ["what git started", "sleep 100000 & echo $! > started; wait"],
  ])("ends %s when its signal is aborted", async (_what, script) => {
    const { started, git } = await makeGit(script);
    const [stop, reason] = [new AbortController(), new Error("enough")];
    const run = git.run({ args: ["fetch"], timeoutMs: 20_000, signal: stop.signal });
    const failure = expect(run).rejects.toBe(reason);
    const pid = await started();
    stop.abort(reason);
    await failure;
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("starts nothing when its signal is aborted already", async () => {
    const { folder, git } = await makeGit("touch ran");
    const reason = new Error("enough");
    expect(() => git.start({ args: [], signal: AbortSignal.abort(reason) })).toThrow(reason);
    const run = async () => git.run({ args: [], signal: AbortSignal.abort(reason) });
    await expect(run()).rejects.toBe(reason);
    expect(await readdir(folder)).toEqual(["git"]);
  });

  it("gives what git prints and how it ends, and of its errors the beginning", async () => {
    const { git } = await makeGit("echo out; head -c 5000000 /dev/zero >&2; exit 3");
    const { exitCode, output, errorText } = await git.run({ args: [] });
    expect([exitCode, output]).toEqual([3, "out\n"]);
    expect(errorText.length).toBeGreaterThan(1000);
    expect(errorText.length).toBeLessThan(200_000);
  });

  it("ends a git that shows no progress, and no other", async () => {
    const again = "for n in 1 2 3 4 5 6; do printf '%s\\r' $n >&2; sleep 1; done";
    const { git: slow } = await makeGit(`${again}; echo done`);
    expect((await slow.run({ args: ["fetch"], idleMs: 5000 })).output).toBe("done\n");
    const { git: checking } = await makeGit(
      "printf 'Receiving objects:  99%% (1/2)\\rReceiving objects: 100%% (2/2)' >&2; sleep 4",
    );
    expect((await checking.run({ args: ["fetch"], idleMs: 2000 })).exitCode).toBe(0);
    const { git: hanging } = await makeGit("echo 'remote: Receiving objects: 100% (2/2)' >&2; sleep 100000");
    await expect(hanging.run({ args: ["fetch"], idleMs: 300 })).rejects.toMatchObject({
      message: "run git fetch: the server sent nothing for 300 ms",
      data: { reason: "slow" },
    });
  });

  it("leaves no timer behind, which would keep the program running", async () => {
    const { git } = await makeGit("echo >&2");
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = countTimers();
    for (let run = 0; run < 20; run++) await git.run({ args: ["fetch"], idleMs: 600_000 });
    expect(countTimers() - before).toBeLessThan(10);
  });

  it("shows why git ended after minutes of progress", async () => {
    const { git } = await makeGit(
      "printf 'Receiving objects:   5%% (1/20)\\r%.0s' $(seq 3000) >&2; echo 'fatal: early EOF' >&2; exit 128",
    );
    expect(await git.run({ args: ["fetch"] })).toMatchObject({ exitCode: 128, errorText: "fatal: early EOF\n" });
  });

  it("shows nothing of the progress, and all that is beside it", async () => {
    const said = [
      "Warning: Permanently added 'x'\\r",
      "remote: Enumerating objects: 3, done.",
      "remote: Counting objects:  33% (1/3)\\rremote: Counting objects: 100% (3/3), done.",
      "remote: Total 3 (delta 0), reused 0 (delta 0), pack-reused 0",
      "remote: no more of it",
      "Receiving objects:  10% (1/10)\\rfatal: early EOF",
    ];
    const { git } = await makeGit(`printf "${said.join("\\n").replaceAll("%", "%%")}\\n" >&2; exit 1`);
    const { errorText } = await git.run({ args: ["fetch"] });
    expect(errorText).toBe("Warning: Permanently added 'x'\r\nremote: no more of it\nfatal: early EOF\n");
  });

  it.each([
    ["prints without end", "exec cat /dev/zero", "E_GIT_PROTOCOL"],
    ["is not there", "exit 127", "E_UNSUPPORTED"],
  ])("refuses a git that %s", async (_what, script, code) => {
    const { git } = await makeGit(script);
    await expect(git.run({ args: ["fetch"], timeoutMs: 60_000 })).rejects.toMatchObject({ code });
  });
});

describe("git runs", () => {
  const limits = { cpuSeconds: 7, memoryBytes: 96 * 1024 ** 2, fileBytes: 1024 ** 2 };

  it.each([
    ["the given limits", limits, ["98304", "2048", "7"]],
    ["the usual limits", undefined, ["2097152", "16777216", "600"]],
  ])("A57 with %s", async (_what, given, [memory = "", file = "", seconds = ""]) => {
    const { git } = await makeGit("ulimit -d; ulimit -f; ulimit -t", given ? { limits: given } : {});
    expect((await git.run({ args: [] })).output).toBe(`${memory}\n${file}\n${seconds}\n`);
    // A process that stays may take longer in all.
    const child = git.start({ args: [] });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    await new Promise((resolve) => child.on("close", resolve));
    expect(Buffer.concat(output).toString()).toBe(`${memory}\n${file}\nunlimited\n`);
  });

  it("A22 A23 in an environment of its own", async () => {
    const { folder, git } = await makeGit("env", { configFile: "/ours", sshCommand: "ssh -F none" });
    const { output } = await git.run({ args: [], gitDir: "/copy" });
    const lines = output.split("\n").filter((line) => /^(?:GIT_|PATH=|HOME=|LC_)/u.test(line));
    expect(lines.sort()).toEqual([
      "GIT_ALLOW_PROTOCOL=file",
      "GIT_ATTR_NOSYSTEM=1",
      `GIT_CEILING_DIRECTORIES=${dirname(folder)}`,
      "GIT_CONFIG_GLOBAL=/ours",
      "GIT_CONFIG_NOSYSTEM=1",
      "GIT_DIR=/copy",
      "GIT_LITERAL_PATHSPECS=1",
      "GIT_NO_LAZY_FETCH=1",
      "GIT_NO_REPLACE_OBJECTS=1",
      "GIT_OPTIONAL_LOCKS=0",
      "GIT_SSH_COMMAND=ssh -F none",
      "GIT_SSH_VARIANT=ssh",
      "GIT_TERMINAL_PROMPT=0",
      `HOME=${join(folder, "no-home")}`,
      "LC_ALL=C",
      `PATH=${folder}:/usr/bin:/bin`,
    ]);
    const { git: plain } = await makeGit("env");
    const bare = (await plain.run({ args: [] })).output.split("\n");
    expect(bare).toEqual(expect.arrayContaining(["GIT_CONFIG_GLOBAL=/dev/null", "GIT_SSH_COMMAND=false"]));
    expect(bare.filter((line) => line.startsWith("GIT_DIR="))).toEqual([]);
  });

  it.each([
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.askPass=",
    "credential.helper=",
    "core.fsync=objects,reference",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "http.followRedirects=false",
    "gc.autoDetach=false",
    "maintenance.autoDetach=false",
    "push.gpgSign=false",
  ])("A22 A23 A26 A30 with %s, whatever is configured", async (setting) => {
    const { git } = await makeGit(`printf '%s\\n' "$@"`);
    const words = (await git.run({ args: ["fetch", "it's $(x)"] })).output.split("\n");
    expect(words[words.indexOf(setting) - 1]).toBe("-c");
    expect(words.slice(-3)).toEqual(["fetch", "it's $(x)", ""]);
  });
});
