import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolder } from "../../../src/system/make-folder.ts";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "make-folder-"));
});
afterEach(() => rmSync(parent, { recursive: true }));

describe("makeFolder", () => {
  it("makes the folders above it, and leaves what is there", async () => {
    const path = join(parent, "a", "b", "c");
    await Promise.all([makeFolder(path, 0o700), makeFolder(path, 0o700)]);
    await makeFolder(path, 0o755);
    for (const folder of [path, join(path, "..")]) expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("reports that a file has the name, or is above it", async () => {
    const file = join(parent, "a");
    await writeFile(file, "");
    await expect(makeFolder(file)).rejects.toMatchObject({ code: "EEXIST" });
    await expect(makeFolder(join(file, "b"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  it.skipIf(!existsSync("/proc/self"))("ends where a file system takes no new folders", async () => {
    await expect(makeFolder("/proc/rollcall/hub")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
