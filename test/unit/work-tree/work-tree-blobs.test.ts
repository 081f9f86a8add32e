import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { objectIdOf } from "../../../src/git/objects/git-object.ts";
import { withWorkTreeBlobs } from "../../../src/work-tree/work-tree-blobs.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const idOf = (text: string) => objectIdOf("blob", bytesOf(text), "sha1");
const commit = "1".repeat(40);

describe("withWorkTreeBlobs", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let dir: string;
  beforeAll(async () => {
    folder = await makeTempFolder();
    dir = join(folder.path, "fleet");
    await createRepository(dir, { isBare: false });
    await mkdir(join(dir, "folder.yaml"));
    const largest = 1024 * 1024;
    const texts = {
      "same.yaml": "same\n",
      "edited.yaml": "after\n",
      "link-target": "link\n",
      "unsafe.yaml": "unsafe\n",
    };
    for (const [name, text] of Object.entries(texts)) await writeFile(join(dir, name), text);
    await writeFile(join(dir, "largest.yaml"), "x".repeat(largest));
    await writeFile(join(dir, "too-large.yaml"), "y".repeat(largest + 1));
    await symlink("link-target", join(dir, "link.yaml"));
  });
  afterAll(() => folder.remove());

  /** An engine that has unpacked `unpacked` blobs, and what is read from the repository from then on. */
  async function open(unpacked: number) {
    const fromRepository: string[] = [];
    const listings: string[] = [];
    const file = (path: string, text: string, more: object = {}) => ({
      path,
      blobId: idOf(text),
      mode: "file",
      ...more,
    });
    const git = {
      readBlob: (blobId: string) => Promise.resolve(void fromRepository.push(blobId)),
      listFiles: (of: string) => {
        listings.push(of);
        return Promise.resolve([
          file("same.yaml", "same\n"),
          file("edited.yaml", "before\n"),
          file("missing.yaml", "missing\n"),
          file("folder.yaml", "folder\n"),
          file("link.yaml", "link\n", { mode: "link" }),
          file("unsafe.yaml", "unsafe\n", { isUnsafe: true }),
          file("largest.yaml", "x".repeat(1024 * 1024)),
          file("too-large.yaml", "y".repeat(1024 * 1024 + 1)),
        ]);
      },
    } as unknown as GitEngine;
    const engine = await withWorkTreeBlobs(git, dir, commit);
    for (let count = 0; count < unpacked; count++) await engine.readBlob("0");
    fromRepository.length = 0;
    return { engine, fromRepository, listings };
  }

  it("unpacks the first 64 blobs, and lists the commit once when there are more", async () => {
    const { engine, fromRepository, listings } = await open(63);
    await engine.readBlob(idOf("same\n"));
    expect([fromRepository, listings]).toEqual([[idOf("same\n")], []]);
    for (let times = 0; times < 3; times++) expect(await engine.readBlob(idOf("same\n"))).toEqual(bytesOf("same\n"));
    expect([fromRepository, listings]).toEqual([[idOf("same\n")], [commit]]);
  });

  it.each([
    { text: "x".repeat(1024 * 1024), where: "largest.yaml, which is as large as it may be", isRead: true },
    { text: "y".repeat(1024 * 1024 + 1), where: "too-large.yaml", isRead: false },
    { text: "before\n", where: "a file that was edited since", isRead: false },
    { text: "missing\n", where: "a file that is not checked out", isRead: false },
    { text: "folder\n", where: "a folder in the place of the file", isRead: false },
    { text: "link\n", where: "a link", isRead: false },
    { text: "unsafe\n", where: "a path that leads elsewhere", isRead: false },
    { text: "other\n", where: "no file of the commit", isRead: false },
  ])("takes a blob from $where: $isRead", async ({ text, isRead }) => {
    const { engine, fromRepository } = await open(64);
    const bytes: Uint8Array | undefined = await engine.readBlob(idOf(text));
    expect(bytes && Buffer.from(bytes).equals(bytesOf(text))).toBe(isRead ? true : undefined);
    expect(fromRepository).toEqual(isRead ? [] : [idOf(text)]);
  });

  it.each([
    { maximumBytes: 5, isRead: true },
    { maximumBytes: 4, isRead: false },
  ])("leaves a file to the repository that is larger than asked for ($maximumBytes bytes)", async (row) => {
    const { engine, fromRepository } = await open(64);
    await engine.readBlob(idOf("same\n"), { maximumBytes: row.maximumBytes });
    expect(fromRepository).toHaveLength(row.isRead ? 0 : 1);
  });
});
