import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { writeAllOrNone } from "../../../../src/cli/commands/write-new-files.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

/** The last name is longer than a file system takes. */
const files = new Map([
  ["README.md", "a"],
  ["clusters/eu/a.yaml", "b"],
  [`${"n".repeat(300)}.yaml`, "c"],
]);

async function makeFolder(): Promise<string> {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  return folder.path;
}

describe("files that are written together", () => {
  it("leave nothing when one of them cannot be written, so that the same command works again", async () => {
    const dir = await makeFolder();
    await expect(writeAllOrNone(dir, files, { isNew: false })).rejects.toMatchObject({ code: "E_ACCESS" });
    expect(await readdir(dir)).toEqual([]);
  });

  it("leave no folder that was made for them", async () => {
    const parent = await makeFolder();
    await expect(writeAllOrNone(join(parent, "fleet"), files, { isNew: true })).rejects.toMatchObject({
      code: "E_ACCESS",
    });
    expect(await readdir(parent)).toEqual([]);
  });

  it("leave what was there before", async () => {
    const dir = await makeFolder();
    await mkdir(join(dir, ".git"));
    await expect(writeAllOrNone(dir, files, { isNew: false })).rejects.toMatchObject({ code: "E_ACCESS" });
    expect(await readdir(dir)).toEqual([".git"]);
  });

  it("A216 are not written through a linked folder, whose files are not read", async () => {
    const [dir, other] = [await makeFolder(), await makeFolder()];
    await symlink(other, join(dir, "clusters"));
    const linked = new Map([["clusters/eu/a.yaml", "a"]]);
    await expect(writeAllOrNone(dir, linked, { isNew: false })).rejects.toMatchObject({
      code: "E_SYMLINK",
      message: `write ${join(dir, "clusters/eu/a.yaml")}: clusters is a symbolic link; files below it are not read`,
    });
    expect(await readdir(other)).toEqual([]);
  });
});
