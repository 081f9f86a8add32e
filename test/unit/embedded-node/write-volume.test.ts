import { mkdtemp, readFile, readdir, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isVolumePath, writeVolume } from "../../../src/embedded-node/write-volume.ts";

let folder = "";
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "rollcall-volume-")), "v");
});
afterEach(() => rm(join(folder, ".."), { recursive: true, force: true }));

const files = (entries: Record<string, string>, mode = 0o644) =>
  Object.fromEntries(Object.entries(entries).map(([path, text]) => [path, { content: Buffer.from(text), mode }]));

describe("writeVolume", () => {
  it("shows the files, for this user alone", async () => {
    await writeVolume(folder, files({ a: "1", "deep/b": "2" }));
    expect(await readFile(join(folder, "a"), "utf8")).toBe("1");
    expect(await readFile(join(folder, "deep", "b"), "utf8")).toBe("2");
    expect([(await stat(join(folder, "a"))).mode & 0o777, (await stat(folder)).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it.each([
    { mode: 0o755, expected: 0o700 },
    { mode: 0o555, expected: 0o500 },
    { mode: 0o440, expected: 0o400 },
    { mode: 0o4777, expected: 0o700 },
  ])("gives a file of mode $mode the bits of its owner alone", async ({ mode, expected }) => {
    await writeVolume(folder, files({ a: "1" }));
    await writeVolume(folder, files({ a: "1" }, mode));
    expect((await stat(join(folder, "a"))).mode & 0o7777).toBe(expected);
    await writeVolume(folder, files({ a: "2" }, mode));
    expect(await readFile(join(folder, "a"), "utf8")).toBe("2");
  });

  it("replaces all of them by one rename, and leaves nothing of the old", async () => {
    await writeVolume(folder, files({ a: "1", gone: "x" }));
    const before = await readlink(join(folder, "..data"));
    await writeVolume(folder, files({ a: "2", b: "3" }));
    expect(await readlink(join(folder, "..data"))).not.toBe(before);
    expect((await readdir(folder)).sort()).toEqual(["..data", await readlink(join(folder, "..data")), "a", "b"].sort());
    expect(await readFile(join(folder, "a"), "utf8")).toBe("2");
  });

  it("does nothing when nothing changed, and continues after a crash in the middle", async () => {
    await writeVolume(folder, files({ a: "1" }));
    const { ctimeMs } = await stat(join(folder, "a"));
    await writeVolume(folder, files({ a: "1" }));
    expect((await stat(join(folder, "a"))).ctimeMs).toBe(ctimeMs);
    await writeFile(join(folder, "..data_tmp"), "left over");
    await writeVolume(folder, files({ a: "2" }));
    expect(await readFile(join(folder, "a"), "utf8")).toBe("2");
  });

  it("shows a file whose link was not made before a crash, and hides one that was left", async () => {
    await writeVolume(folder, files({ a: "1", b: "2" }));
    await rm(join(folder, "b"));
    await symlink(join("..data", "former"), join(folder, "former"));
    await writeVolume(folder, files({ a: "1", b: "2" }));
    expect(await readFile(join(folder, "b"), "utf8")).toBe("2");
    expect(await readdir(folder)).not.toContain("former");
  });
});

describe("isVolumePath", () => {
  it.each(["../a", "/a", "a/../b", "..a", "", "a//b"])("refuses %j", (path) => {
    expect(isVolumePath(path)).toBe(false);
  });
  it.each(["a", "a/b", ".hidden", "a..b"])("takes %j", (path) => {
    expect(isVolumePath(path)).toBe(true);
  });
});
