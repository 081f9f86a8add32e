import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { fileErrorCode, readIfThere, writeFileDurably } from "../../../../src/git/local/durable-files.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

let folder = "";

beforeEach(async () => {
  const made = await makeTempFolder();
  folder = made.path;
  return made.remove;
});

it.each([
  [undefined, 0o644],
  [0o600, 0o600],
])("writes a file of the mode %s over an earlier one, and leaves no other", async (mode, given) => {
  const [path, temporaryPath] = [join(folder, "a"), join(folder, "tmp")];
  await writeFile(path, "before");
  await writeFileDurably(path, "after", { temporaryPath, ...(mode === undefined ? {} : { mode }) });
  expect([await readFile(path, "utf8"), (await stat(path)).mode & 0o777]).toEqual(["after", given]);
  expect(await readdir(folder)).toEqual(["a"]);
});

it("keeps the earlier file where it cannot be replaced, and leaves no other", async () => {
  await mkdir(join(folder, "a", "below"), { recursive: true });
  const write = writeFileDurably(join(folder, "a"), "after", { temporaryPath: join(folder, "tmp") });
  await expect(write).rejects.toMatchObject({ syscall: "rename" });
  expect(await readdir(folder)).toEqual(["a"]);
});

it("reads a file, or that there is none, and passes on other errors", async () => {
  await writeFile(join(folder, "a"), "text");
  expect([await readIfThere(join(folder, "a")), await readIfThere(join(folder, "b"))]).toEqual(["text", undefined]);
  await expect(readIfThere(folder)).rejects.toMatchObject({ code: "EISDIR" });
});

it.each([
  [Object.assign(new Error("of a file"), { code: "ENOENT", syscall: "open" }), "ENOENT"],
  [Object.assign(new Error("of another kind"), { code: "E_OTHER" }), undefined],
  [{ code: "ENOENT", syscall: "open" }, undefined],
  [undefined, undefined],
])("fileErrorCode of %s is %s", (error, code) => {
  expect(fileErrorCode(error)).toBe(code);
});
