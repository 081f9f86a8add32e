import { chmodSync, chownSync, mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readOwnFile } from "../../../src/system/own-file.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "own-file-"));
  path = join(folder, "file");
  writeFileSync(path, "content", { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = async (name = path, maximumBytes = 100): Promise<string | undefined> =>
  (await readOwnFile(name, maximumBytes))?.toString();

describe("readOwnFile", () => {
  it("reads a file of this user", async () => {
    expect(await read()).toBe("content");
  });

  it("does not read a file that a group or all users may write", async () => {
    chmodSync(path, 0o620);
    expect(await read()).toBeUndefined();
    chmodSync(path, 0o602);
    expect(await read()).toBeUndefined();
  });

  it.skipIf(process.getuid?.() !== 0)("does not read a file of another user (needs root)", async () => {
    chownSync(path, 65_534, 65_534);
    expect(await read()).toBeUndefined();
  });

  it("follows no link, and reads no folder and nothing that is missing", async () => {
    symlinkSync(path, join(folder, "link"));
    mkdirSync(join(folder, "folder"));
    for (const name of ["link", "folder", "missing"]) expect(await read(join(folder, name))).toBeUndefined();
  });

  it("does not read a file that is larger than it may be", async () => {
    expect(await read(path, 7)).toBe("content");
    expect(await read(path, 6)).toBeUndefined();
  });
});
