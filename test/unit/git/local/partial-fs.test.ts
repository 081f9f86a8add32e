import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeLooseOnlyFs, makePackOnlyFs } from "../../../../src/git/local/partial-fs.ts";
import type { PartialFs } from "../../../../src/git/local/partial-fs.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

interface Files {
  readFile(path?: string, options?: string): Promise<unknown>;
  readdir(path: string): Promise<string[]>;
  stat(path: string): Promise<{ isDirectory(): boolean; readonly size: number }>;
}

let folder = "";
const filesOf = ({ client }: PartialFs) => (client as unknown as { readonly promises: Files }).promises;
const loose = () => join(folder, "objects", "ab", "cdef");
const packed = () => join(folder, "objects", "pack", "a.idx");

beforeEach(async () => {
  const made = await makeTempFolder();
  folder = made.path;
  for (const path of [loose(), packed()]) {
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, path);
  }
  return made.remove;
});

describe("a part of a file system", () => {
  it.each([
    ["packs", makePackOnlyFs, packed, loose],
    ["loose objects", makeLooseOnlyFs, loose, packed],
  ])("has %s alone", async (_what, make, seen, unseen) => {
    const files = filesOf(make());
    expect(String(await files.readFile(seen()))).toBe(seen());
    for (const path of [unseen(), undefined])
      await expect(files.readFile(path)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(files.readFile(`${seen()}-none`)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("of packs reads text when it is asked for it", async () => {
    expect(await filesOf(makePackOnlyFs()).readFile(packed(), "utf8")).toBe(packed());
  });

  it("remembers lists and folders until it forgets them, and files never", async () => {
    const part = makePackOnlyFs();
    const files = filesOf(part);
    const packs = join(folder, "objects", "pack");
    expect([await files.readdir(packs), (await files.stat(packs)).isDirectory()]).toEqual([["a.idx"], true]);
    expect((await files.stat(packed())).size).toBe(packed().length);
    await writeFile(packed(), "other");
    expect((await files.stat(packed())).size).toBe(5);
    await rm(packs, { recursive: true });
    expect([await files.readdir(packs), (await files.stat(packs)).isDirectory()]).toEqual([["a.idx"], true]);
    part.forget();
    await expect(files.readdir(packs)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(files.stat(packs)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("of loose objects lists nothing", async () => {
    expect(await filesOf(makeLooseOnlyFs()).readdir(join(folder, "objects", "pack"))).toEqual([]);
  });
});
