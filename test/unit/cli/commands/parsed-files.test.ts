import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openParsedFiles, saveParsedFiles } from "../../../../src/cli/commands/parsed-files.ts";
import { createFileParser } from "../../../../src/manifests/parse-file.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";
import { createRepository } from "../../../support/git-repositories.ts";

const url = "https://git.example.com/fleet.git";
const parseFile = createFileParser();
/** As many as are worth a file. */
const parsed = Array.from({ length: 100 }, (_value, index) =>
  parseFile({ path: `${index}.yaml`, blobId: `id-${index}`, bytes: Buffer.from(`# ${index}`) }),
);

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "parsed-files-"));
});
afterEach(() => rm(dir, { recursive: true }));

const open = (place: string, cacheDir = join(dir, "copy")) =>
  openParsedFiles(readSettings("plan", { given: { "cache-dir": cacheDir }, environment: {} }), place, {});

async function parseAll(place: string, environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const cache = await open(place);
  for (const file of parsed) cache?.keep(file);
  await saveParsedFiles(cache, environment);
}

describe("what commands keep of the files that they parsed", () => {
  it("is in the repository of a work tree, and beside the copy of a remote repository", async () => {
    const clone = (await createRepository(join(dir, "clone"), { isBare: false })).path;
    for (const [place, folder] of [
      [clone, join(clone, ".git/rollcall")],
      [url, join(dir, "copy")],
    ] as const) {
      await parseAll(place);
      expect((await readdir(folder)).map((name) => name.slice(0, "parsed-".length))).toEqual(["parsed-"]);
      expect((await open(place))?.recall("99.yaml", "id-99")?.text, place).toBe("# 99");
    }
  });

  it("is not written in CI, whose clone is thrown away", async () => {
    await parseAll(url, { CI: "true" });
    expect(existsSync(join(dir, "copy"))).toBe(false);
  });

  it("is nothing in a work tree, where a commit may have made the files", async () => {
    const { path } = await createRepository(join(dir, "clone"), { isBare: false });
    expect(await open(url, join(path, "copy"))).toBeUndefined();
  });
});
