import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { openOrWait, refusingEngine } from "../../../src/daemon/patient-engine.ts";
import { leadingGit } from "../../../src/daemon/leading-git.ts";
import type { GitEngine } from "../../../src/git/git.ts";

const url = "https://git.example.com/fleet.git";
const locked = new AppError("E_DIR_LOCKED", "another process has it");
const author = { name: "a", email: "a@example.com" };
const commit = { branch: "b", parent: "1", changes: new Map(), message: "m", author, committedAtMs: 0 };

/** One call of everything that an engine does. */
const calls: readonly { readonly name: keyof GitEngine; readonly args: readonly unknown[] }[] = [
  { name: "fetchHead", args: ["main"] },
  { name: "readCommit", args: ["1"] },
  { name: "readSignature", args: ["1"] },
  { name: "isAncestor", args: ["1", "2"] },
  { name: "listCommits", args: [{ to: "2", limit: 5 }] },
  { name: "listFiles", args: ["1", ["a"]] },
  { name: "changedPaths", args: ["1", "2", ["a"]] },
  { name: "readBlob", args: ["b1", { maximumBytes: 5 }] },
  { name: "listBranches", args: [] },
  { name: "commitAndPush", args: [commit] },
  { name: "moveBranch", args: [{ branch: "b", from: "1", to: "2" }] },
  { name: "deleteBranch", args: ["b", "1"] },
];
const call = (git: GitEngine, { name, args }: (typeof calls)[number]): unknown =>
  (git as unknown as Record<string, (...given: unknown[]) => unknown>)[name]?.(...args);

/** An engine that answers each call with its own name and arguments; how often it was closed. */
function echoingEngine() {
  const closed: string[] = [];
  const echo = Object.fromEntries(
    calls.map(({ name }) => [name, (...args: unknown[]) => Promise.resolve([name, ...args])]),
  );
  const git = { url, ...echo, close: async () => void closed.push("closed") } as unknown as GitEngine;
  return { git, closed };
}

/** Opens an engine that cannot be opened so many times first. */
async function openLate(failures: number) {
  const warnings: unknown[] = [];
  const log: Log = {
    ...silentLog,
    warn: (message: string, fields?: LogFields) => void warnings.push([message, fields]),
  };
  const { git, closed } = echoingEngine();
  let tries = 0;
  const open = () => (tries++ < failures ? Promise.reject(locked) : Promise.resolve(git));
  return { engine: await openOrWait(url, open, log), git, closed, warnings, tries: () => tries };
}

describe("openOrWait", () => {
  it("is the engine itself where it can be opened", async () => {
    const { engine, git, warnings } = await openLate(0);
    expect(engine).toBe(git);
    expect(warnings).toEqual([]);
  });

  it.each(["E_DIR_LOCKED", "E_DISK_WRITE"] as const)("logs %s and opens again with the next call", async (code) => {
    let error: AppError | undefined = new AppError(code, "not now");
    const { git } = echoingEngine();
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (message) => void warnings.push(message) };
    const engine = await openOrWait(url, () => (error ? Promise.reject(error) : Promise.resolve(git)), log);
    expect(engine.url).toBe(url);
    expect(warnings).toEqual(["a repository cannot be opened yet"]);
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code });
    error = undefined;
    expect(await engine.fetchHead("main")).toEqual(["fetchHead", "main"]);
  });

  it("rejects with what no waiting mends", async () => {
    const refused = openOrWait(url, () => Promise.reject(new AppError("E_GIT_URL", "no")), silentLog);
    await expect(refused).rejects.toMatchObject({ code: "E_GIT_URL" });
  });

  it("opens once for all calls, and is opened when it works no second time", async () => {
    const { engine, tries } = await openLate(1);
    await Promise.all([engine.fetchHead("a"), engine.fetchHead("b")]);
    await engine.fetchHead("c");
    expect(tries()).toBe(2);
  });

  it.each(calls)("passes $name on with what it is given", async (each) => {
    const { engine } = await openLate(1);
    expect(await call(engine, each)).toEqual([each.name, ...each.args]);
  });

  it("closes what was opened, and opens nothing to close it", async () => {
    const opened = await openLate(1);
    await opened.engine.fetchHead("main");
    await opened.engine.close();
    expect(opened.closed).toEqual(["closed"]);
    const unopened = await openLate(1);
    await unopened.engine.close();
    expect(unopened.tries()).toBe(1);
  });
});

describe("refusingEngine", () => {
  it.each(calls)("answers $name with the reason why there is no engine, and can be closed", async (each) => {
    const engine = refusingEngine(url, locked);
    await expect(call(engine, each)).rejects.toBe(locked);
    await expect(engine.close()).resolves.toBeUndefined();
    expect(engine.url).toBe(url);
  });
});

describe("leadingGit", () => {
  it.each(calls)("passes $name on with what it is given, while the term is current", async (each) => {
    const { git, closed } = echoingEngine();
    const leading = leadingGit(git, { signal: new AbortController().signal, isCurrent: () => true });
    expect(await call(leading, each)).toEqual([each.name, ...each.args]);
    await leading.close();
    expect(closed).toEqual(["closed"]);
    expect(leading.url).toBe(url);
  });
});
