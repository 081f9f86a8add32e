import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openKeptValues } from "../../../src/system/kept-values.ts";

let parent: string;
let folder: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "kept-values-"));
  folder = join(parent, "values");
});
afterEach(() => rmSync(parent, { recursive: true }));

const open = (options: { program?: string; mostValues?: number; mostBytes?: number } = {}) =>
  openKeptValues({ folder, program: "one", ...options });
const paths = (): string[] => readdirSync(folder).map((name) => join(folder, name));

describe("openKeptValues", () => {
  it("keeps values that only this user may read", async () => {
    await open().write("a", { n: 1 });
    expect(await open().read("a")).toEqual({ n: 1 });
    expect(await open().read("b")).toBeUndefined();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(paths().map((path) => statSync(path).mode & 0o777)).toEqual([0o600]);
  });

  it("reads nothing that another version of the program wrote", async () => {
    await open().write("a", { n: 1 });
    expect(await open({ program: "two" }).read("a")).toBeUndefined();
  });

  it("A80 reads nothing in a work tree of git, where a commit may have made the file", async () => {
    await open().write("a", { n: 1 });
    mkdirSync(join(parent, ".git"));
    expect(await open().read("a")).toBeUndefined();
    await open().write("b", { n: 2 });
    expect(paths()).toHaveLength(1);
  });

  it("reads no value that has the name of another", async () => {
    await open().write("a", { n: 1 });
    const [first = ""] = paths();
    const content = readFileSync(first);
    await open().write("b", { n: 2 });
    const other = paths().find((path) => path !== first) ?? "";
    writeFileSync(other, content);
    expect(await open().read("b")).toBeUndefined();
  });

  it("reads no value that another user may have written, or that is damaged", async () => {
    await open().write("a", { n: 1 });
    const [path = ""] = paths();
    chmodSync(path, 0o666);
    expect(await open().read("a")).toBeUndefined();
    chmodSync(path, 0o600);
    expect(await open().read("a")).toEqual({ n: 1 });
    writeFileSync(path, readFileSync(path, "utf8").replace('"n":1', '"n":2'));
    expect(await open().read("a")).toBeUndefined();
    writeFileSync(path, "");
    expect(await open().read("a")).toBeUndefined();
  });

  it("keeps the newest values, and none that is too large", async () => {
    const values = open({ mostValues: 2, mostBytes: 300 });
    for (const [index, key] of ["a", "b", "c"].entries()) {
      await values.write(key, { key });
      for (const path of paths())
        if (readFileSync(path, "utf8").endsWith(`{"key":"${key}"}`)) utimesSync(path, index, index);
    }
    expect(await values.read("a")).toBeUndefined();
    expect([await values.read("b"), await values.read("c")]).toEqual([{ key: "b" }, { key: "c" }]);
    await values.write("d", { text: "x".repeat(400) });
    expect(await values.read("d")).toBeUndefined();
    expect([await values.read("b"), await values.read("c")]).toEqual([{ key: "b" }, { key: "c" }]);
    expect(paths()).toHaveLength(2);
  });

  it("removes no file of another name", async () => {
    mkdirSync(folder);
    const notes = join(folder, "notes.txt");
    writeFileSync(notes, "");
    utimesSync(notes, 0, 0);
    const values = open({ mostValues: 1 });
    for (const key of ["a", "b"]) await values.write(key, {});
    expect(paths()).toHaveLength(2);
    expect(paths()).toContain(notes);
  });

  it("leaves nothing behind where the folder cannot be made", async () => {
    writeFileSync(folder, "a file");
    await open().write("a", { n: 1 });
    expect(readdirSync(parent)).toEqual(["values"]);
    expect(await open().read("a")).toBeUndefined();
  });
});
