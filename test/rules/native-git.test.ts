import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const folder = resolve(import.meta.dirname, "../../src/git/engine");

/** Commands that read and write objects and refs. None of them writes a work tree, so none runs a filter or a submodule. */
const allowed = ["cat-file", "fetch", "init", "ls-remote", "push"];
const forbidden = /--(?:filters|textconv|recurse-submodules(?!=no)|ext-diff|checkout)/u;

describe("native git", () => {
  const sources = readdirSync(folder)
    .filter((file) => file.startsWith("native-"))
    .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));
  const lists = sources.flatMap(({ text }) =>
    [...text.matchAll(/\bargs(?::| =) \[([^\]]*)\]/gu)].map(([, list = ""]) => list),
  );

  it("A22 A23 runs no command that writes a work tree", () => {
    const commands = lists.map((list) => /^\s*"([a-z-]+)"/u.exec(list)?.[1]);
    expect(commands.length).toBeGreaterThan(3);
    expect(commands.filter((command) => command === undefined || !allowed.includes(command))).toEqual([]);
  });

  it("A22 A23 passes no option that runs filters or enters submodules", () => {
    expect(sources.filter(({ text }) => forbidden.test(text)).map(({ file }) => file)).toEqual([]);
  });
});
