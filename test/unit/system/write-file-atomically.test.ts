import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileAtomically, writeFileAtomically } from "../../../src/system/write-file-atomically.ts";

describe("A45 a file for its owner in a folder of several users", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-write-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("is not written to a file that another user put in its way", async () => {
    const path = join(folder, "key.yaml");
    const planted = `${path}.${process.pid}.tmp`;
    await writeFile(planted, "planted");
    await chmod(planted, 0o666);
    await writeFileAtomically(path, "secret");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, "utf8")).toBe("secret");
    expect(await readFile(planted, "utf8")).toBe("planted");
  });

  it("is not written through a link that another user put in its way", async () => {
    const path = join(folder, "key.yaml");
    const elsewhere = join(folder, "elsewhere");
    await writeFile(elsewhere, "");
    await symlink(elsewhere, `${path}.${process.pid}.tmp`);
    await symlink(elsewhere, path);
    await writeFileAtomically(path, "secret");
    expect(await readFile(elsewhere, "utf8")).toBe("");
    expect(await readFile(path, "utf8")).toBe("secret");
  });

  it("leaves nothing behind when it cannot be written", async () => {
    await expect(writeFileAtomically(folder, "secret")).rejects.toThrow();
    const path = join(folder, "no", "key.yaml");
    await expect(writeFileAtomically(path, "secret")).rejects.toMatchObject({ code: "ENOENT", path });
    expect(await readdir(folder)).toEqual([]);
    expect(
      (await readdir(join(folder, ".."))).filter((name) => name.startsWith(`${folder.split("/").at(-1)}.`)),
    ).toEqual([]);
  });

  it("does not take the place of a pipe or a device, such as one that a person names to pass the content on", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const link = join(folder, "link");
    await symlink(pipe, link);
    for (const path of [pipe, link]) {
      await expect(writeFileAtomically(path, "secret")).rejects.toMatchObject({ code: "E_ACCESS" });
      expect((await stat(path)).isFIFO()).toBe(true);
    }
    expect((await readdir(folder)).sort()).toEqual(["link", "pipe"]);
    // /dev/stdout is a link, which may lead to a file. The name is one that a test may leave behind.
    const device = `/dev/${basename(folder)}`;
    await expect(writeFileAtomically(device, "secret")).rejects.toMatchObject({ code: "E_ACCESS" });
    await rm(device, { force: true });
  });

  it("is created by one of several processes, and stays as that one wrote it", async () => {
    const path = join(folder, "key.yaml");
    const contents = Array.from({ length: 20 }, (_, index) => `secret ${index}`);
    const created = await Promise.all(contents.map((content) => createFileAtomically(path, content)));
    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await readFile(path, "utf8")).toBe(contents[created.indexOf(true)]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["key.yaml"]);
    await expect(createFileAtomically(join(folder, "no", "key.yaml"), "secret")).rejects.toThrow();
  });
});
