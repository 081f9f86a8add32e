import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { flagOf } from "../../../src/settings/option-entry.ts";
import { optionTable } from "../../../src/settings/options.ts";
import { commands } from "../../../src/cli/program.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/commands.md"), "utf8");
const sections = new Map(
  page
    .split(/^## /mu)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf("\n")), text]),
);

describe("docs/commands.md", () => {
  it("refers from check to run, whose options it takes", () => {
    expect(sections.get("check")).toContain("It takes the options of [run](#run), except `--print-config`");
    const ofRun = optionTable.filter(({ commands: used }) => used.includes("run"));
    const missing = ofRun.filter(({ commands: used }) => !used.includes("check")).map(flagOf);
    expect(missing).toEqual(["--print-config"]);
  });

  it("describes of an option that switches off what it switches off", () => {
    const off = optionTable.filter((option) => flagOf(option).startsWith("--no-"));
    expect(off.map(flagOf)).toContain("--no-leader-election");
    expect(off.filter(({ description }) => !description.startsWith("Do not ")).map(flagOf)).toEqual([]);
  });

  it("has one section for every command that help shows, and no other", () => {
    const shown = commands.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name);
    expect([...sections.keys()].sort()).toEqual([...shown].sort());
  });

  it.each([...sections])("names every option of %s, with an example, and no option that is not there", (name, text) => {
    const isListed = (used: readonly string[]): boolean =>
      used.includes(name) && !(name === "check" && used.includes("run"));
    const flags = optionTable.filter(({ commands: used }) => isListed(used)).map(flagOf);
    const rows = [...text.matchAll(/^\| `(--[a-z-]+)/gmu)].map(([, flag]) => flag);
    expect(rows.sort()).toEqual([...flags].sort());
    expect(text).toContain("```sh\nrollcall");
  });
});
