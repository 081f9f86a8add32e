import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { makeCopyWork } from "../../../../src/git/engine/copy-work.ts";
import { fetchingIntoCopy } from "../../../../src/git/engine/fetching-into-copy.ts";
import type { NativeCopy } from "../../../../src/git/engine/native-copy.ts";
import type { NativeRemote } from "../../../../src/git/engine/native-remote.ts";
import type { ObjectFormat, ObjectReader } from "../../../../src/git/objects/git-object.ts";

const [one, two, three] = ["1".repeat(40), "2".repeat(40), "3".repeat(40)];
const ref = "refs/heads/main";
const commit = `tree ${one}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nm\n`;

interface Scene {
  readonly remoteHead?: string | undefined;
  readonly localHead?: string;
  readonly format?: ObjectFormat;
  readonly isWhole?: boolean;
  /** Of the downloads, one after the other. */
  readonly failures?: readonly (Error | undefined)[];
  /** Where a download brings the head. */
  readonly fetched?: string;
}

/** A copy and a remote that note what is done with them. */
function sceneOf({ remoteHead, localHead, format = "sha1", isWhole = true, failures = [], fetched }: Scene) {
  const done: string[] = [];
  let head = localHead;
  let downloads = 0;
  const note = (text: string) => Promise.resolve(void done.push(text));
  const copy = {
    gitDir: "/copy",
    objects: { format: "sha1" },
    isThere: () => true,
    localRefOf: (name: string) => `local/${name}`,
    readHead: () => Promise.resolve(head),
    writeHead: (_ref: string, id: string | undefined) => note(`head ${id}`),
    prepare: (wanted: string) => note(`prepare ${wanted}`),
    empty: () => note("empty"),
    isWhole: () => note("check").then(() => isWhole),
    removeUnfinished: () => note("tidy"),
  } as unknown as NativeCopy;
  const remote = {
    readRef: () => Promise.resolve({ id: remoteHead, format }),
    fetch: async ({ localRef }: { readonly localRef: string }) => {
      await note(`fetch ${localRef}`);
      const failure = failures[downloads++];
      if (failure) throw failure;
      head = fetched ?? remoteHead;
    },
  } as unknown as NativeRemote;
  const read = (id: string) => note(`read ${id}`).then(() => ({ type: "commit", content: Buffer.from(commit) }));
  const objects = { format: "sha1", read } as unknown as ObjectReader;
  const [work, damage] = [makeCopyWork(), { isFound: false }];
  return { fetch: fetchingIntoCopy({ copy, remote, objects, work, damage }), done, damage, work };
}

const download = `fetch local/${ref}`;

describe("fetchingIntoCopy", () => {
  it.each([
    ["that is here already", { remoteHead: one, localHead: one }, one, ["prepare sha1"]],
    ["that is not there any more", { localHead: one }, undefined, ["prepare sha1", "head undefined"]],
    ["that is new", { remoteHead: two, localHead: one }, two, ["prepare sha1", download, `read ${two}`]],
    ["that moves meanwhile", { remoteHead: two, fetched: three }, three, ["prepare sha1", download, `read ${three}`]],
    ["of another format", { remoteHead: one, localHead: one, format: "sha256" as const }, one, ["prepare sha256"]],
  ])("fetches the head of a branch %s", async (_what, scene, head, steps) => {
    const { fetch, done } = sceneOf(scene);
    expect(await fetch(ref)).toBe(head);
    expect(done).toEqual(steps);
  });

  it("empties a damaged copy before it fetches, once", async () => {
    const { fetch, done, damage } = sceneOf({ remoteHead: one });
    damage.isFound = true;
    for (const _time of [1, 2]) await fetch(ref);
    expect(done).toEqual(["empty", "prepare sha1", download, `read ${one}`, "prepare sha1"]);
  });

  it.each([true, false])("checks a copy after each third failure in a row; it is whole: %s", async (isWhole) => {
    const failure = new AppError("E_GIT_REMOTE", "fetch: no answer");
    const failures = [failure, failure, undefined, failure, failure, failure, failure];
    const { fetch, done, damage } = sceneOf({ remoteHead: one, fetched: two, isWhole, failures });
    const found: boolean[] = [];
    for (const expected of failures) {
      expect(await fetch(ref).catch((error: unknown) => error)).toBe(expected ?? two);
      found.push(damage.isFound);
      damage.isFound = false;
    }
    expect(found).toEqual(failures.map((_failure, index) => index === 5 && !isWhole));
    expect(done.filter((step) => step === "check").length).toBe(1);
    // Each failed download leaves an unfinished pack.
    expect(done.filter((step) => step === "tidy").length).toBe(6);
  });

  it("leaves an unfinished pack there while another branch is downloaded", async () => {
    const failures = [new Error("of the first"), new Error("of the second")];
    const { fetch, done, work } = sceneOf({ remoteHead: one, failures });
    let end: () => void = () => undefined;
    const other = work.beside(() => new Promise<void>((resolve) => (end = resolve)));
    await expect(fetch(ref)).rejects.toThrow("of the first");
    expect(done).not.toContain("tidy");
    end();
    await other;
    await expect(fetch(ref)).rejects.toThrow("of the second");
    expect(done.at(-1)).toBe("tidy");
  });
});
