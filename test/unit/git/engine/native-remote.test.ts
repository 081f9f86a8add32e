import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import type { NativeGit } from "../../../../src/git/engine/native-git.ts";
import { fetchArguments, makeCommandRemote } from "../../../../src/git/engine/native-remote.ts";

const [one, two, three] = ["1".repeat(40), "2".repeat(40), "3".repeat(40)];
const wide = "a".repeat(64);
const ref = "refs/heads/main";
const address = "git@git.example.com:fleet.git";
const url = "ssh://git@git.example.com/fleet.git";

interface Result {
  readonly exitCode?: number;
  readonly output?: string;
  readonly errorText?: string;
}

/** A remote by a git that gives these results one after the other. */
function remoteWith(
  results: readonly Result[],
  more: { readonly isLocal?: boolean; readonly emptyFormat?: "sha256" } = {},
) {
  const runs: Parameters<NativeGit["run"]>[0][] = [];
  const run: NativeGit["run"] = (request) => {
    const result = results[runs.push(request) - 1] ?? {};
    return Promise.resolve({ exitCode: 0, output: "", errorText: "", ...result } as Awaited<
      ReturnType<NativeGit["run"]>
    >);
  };
  const explain = ({ errorText }: { readonly errorText: string }) =>
    Promise.resolve(new AppError("E_GIT_REMOTE", `explained: ${errorText}`));
  const openGit = () => Promise.resolve({ run } as NativeGit);
  const remote = makeCommandRemote({ openGit, address, url, emptyFormat: "sha1", isLocal: false, explain, ...more });
  return { remote, runs, commands: () => runs.map(({ args }) => args.join(" ")) };
}

const failed = { exitCode: 128, errorText: "no route" };
const listed = (...refs: readonly (readonly [string, string])[]): Result => ({
  output: refs.map(([name, id]) => `${id}\t${name}\n`).join(""),
});

describe("readRef and readRefs", () => {
  it.each([
    ["of a ref that is there", [listed([ref, one])], { id: one, format: "sha1" }, 1],
    ["of a ref with an id of SHA-256", [listed([ref, wide])], { id: wide, format: "sha256" }, 1],
    ["of none, by another ref", [{}, listed(["refs/heads/b", wide])], { id: undefined, format: "sha256" }, 2],
    ["of a tail of its name", [listed([`x/${ref}`, one]), listed(["b", one])], { id: undefined, format: "sha1" }, 2],
    ["of an empty repository", [{}, {}], { id: undefined, format: "sha1" }, 2],
  ])("give the place and the format %s", async (...[, results, outcome, count]) => {
    const { remote, runs } = remoteWith(results);
    expect(await remote.readRef(ref)).toEqual(outcome);
    expect(runs.length).toBe(count);
  });

  it("take the given format for an empty repository, and ask once for any ref", async () => {
    const { remote, commands } = remoteWith([{}, {}, {}], { emptyFormat: "sha256" });
    for (const _time of [1, 2]) expect(await remote.readRef(ref)).toEqual({ id: undefined, format: "sha256" });
    const list = `ls-remote --quiet --refs -- ${address}`;
    expect(commands()).toEqual([`${list} ${ref}`, list, `${list} ${ref}`]);
  });

  it("list refs by their prefix, with the signal", async () => {
    const { remote, runs, commands } = remoteWith([listed([ref, one], ["refs/heads/b", two])]);
    const { signal } = new AbortController();
    expect(await remote.readRefs("refs/heads/", signal)).toEqual(
      new Map([
        [ref, one],
        ["refs/heads/b", two],
      ]),
    );
    expect(commands()).toEqual([`ls-remote --quiet --refs -- ${address} refs/heads/*`]);
    expect(runs[0]?.signal).toBe(signal);
  });

  it("explain a command that fails", async () => {
    await expect(remoteWith([failed]).remote.readRef(ref)).rejects.toThrow("explained: no route");
  });
});

describe("fetch", () => {
  const request = { ref, localRef: "refs/rollcall/main", gitDir: "/copy" };

  it("runs git in the copy, and explains a failure", async () => {
    const { remote, runs } = remoteWith([{}, failed]);
    await remote.fetch(request);
    expect(runs).toEqual([{ args: fetchArguments(address, request), gitDir: "/copy", idleMs: 120_000 }]);
    await expect(remote.fetch(request)).rejects.toThrow("explained: no route");
    expect(runs[0]?.args.slice(-3)).toEqual(["--", address, `+${ref}:refs/rollcall/main`]);
  });

  it("overrules the programs of a repository of this machine", async () => {
    const { remote, commands } = remoteWith([{}, {}, {}], { isLocal: true });
    await remote.fetch(request);
    await remote.readRefs("refs/");
    await remote.push({ ref, oldId: one, newId: two, objects: [], gitDir: "/copy" });
    expect(commands().map((command) => command.includes("core.hooksPath=/dev/null"))).toEqual([true, true, true]);
    expect(commands()[2]).toMatch(/--receive-pack=git .* receive-pack -- /u);
  });
});

describe("push", () => {
  const push = { ref, oldId: one, newId: two, objects: [], gitDir: "/copy" };
  const refusal = { exitCode: 1, output: `!\t${two}:${ref}\t[remote rejected]\n`, errorText: "hook declined" };

  it.each([
    ["an update", push, `=${ref}:${one}`, `${two}:${ref}`],
    ["a new ref", { ...push, oldId: undefined }, `=${ref}:`, `${two}:${ref}`],
    ["a deletion", { ...push, newId: undefined }, `=${ref}:${one}`, `:${ref}`],
  ])("runs git for %s", async (_what, request, lease, change) => {
    const { remote, runs } = remoteWith([{}]);
    const { signal } = new AbortController();
    await remote.push({ ...request, signal });
    expect(runs).toEqual([
      {
        args: expect.arrayContaining([`--force-with-lease${lease}`]) as string[],
        gitDir: "/copy",
        idleMs: 120_000,
        signal,
      },
    ]);
    expect(runs[0]?.args.slice(-3)).toEqual(["--", address, change]);
  });

  it.each([
    ["is there all the same", [refusal, listed([ref, two])], undefined],
    [
      "lost a race",
      [refusal, listed([ref, three])],
      { code: "E_GIT_PUSH_RACE", data: { expected: one, actual: three } },
    ],
    ["was refused", [refusal, listed([ref, one])], { code: "E_GIT_PUSH_DENIED", recovery: "stalled", data: { ref } }],
    ["got no answer", [failed, listed([ref, one])], { code: "E_GIT_PUSH_DENIED", recovery: "transient" }],
    ["got no answer, nor does a question", [failed, failed], { code: "E_GIT_REMOTE" }],
  ])("asks after a failure whether the commit %s", async (_what, results, error) => {
    const pushed = remoteWith(results).remote.push(push);
    if (error === undefined) await pushed;
    else await expect(pushed).rejects.toMatchObject(error);
  });

  it("shows the text of a refusal", async () => {
    const pushed = remoteWith([refusal, listed([ref, one])]).remote.push(push);
    await expect(pushed).rejects.toThrow(/refuses: hook declined ! /u);
  });

  it("shows what a server printed to a key that may only read, and not git's advice to check it", async () => {
    const errorText =
      "ERROR: The key you are authenticating with has been marked as read only.\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n";
    const pushed = remoteWith([{ exitCode: 128, errorText }, listed([ref, one])]).remote.push(push);
    await expect(pushed).rejects.toThrow(
      /refuses: ERROR: The key you are authenticating with has been marked as read only\.$/u,
    );
  });
});
