import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readLooseObject } from "../../../../src/git/local/loose-object.ts";

const id = "ab".repeat(20);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loose-object-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, bytes: string | Buffer): string {
  const gitdir = join(folder, name);
  const path = join(gitdir, "objects", id.slice(0, 2), id.slice(2));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return gitdir;
}

describe("readLooseObject", () => {
  it("reads an object of the first folder that has it", () => {
    const borrowed = write("borrowed", deflateSync("blob 5\0hello"));
    const object = readLooseObject([join(folder, "empty"), borrowed], id);
    expect(object?.type).toBe("blob");
    expect(String(object?.content)).toBe("hello");
  });

  it.each([
    ["is not compressed", Buffer.from("blob 5\0hello")],
    ["has another size than it declares", deflateSync("blob 4\0hello")],
    ["has a type that git does not know", deflateSync("blog 5\0hello")],
    ["has no header", deflateSync("x".repeat(64))],
    ["is empty", ""],
    ["unpacks to more than 64 MiB", deflateSync(Buffer.alloc(65 * 1024 * 1024))],
  ])("leaves an object that %s to another reader", (_reason, bytes) => {
    expect(readLooseObject([write("damaged", bytes)], id)).toBeUndefined();
  });

  it("reads a whole object behind a damaged one", () => {
    const gitdirs = [write("damaged", "torn"), write("whole", deflateSync("tree 0\0"))];
    expect(readLooseObject(gitdirs, id)?.type).toBe("tree");
  });
});
