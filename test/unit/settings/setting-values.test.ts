import { describe, expect, it } from "vitest";
import type { CommandName, OptionEntry } from "../../../src/settings/option-entry.ts";
import { flagOf } from "../../../src/settings/option-entry.ts";
import { renderConfig } from "../../../src/settings/print-config.ts";
import { settingsFrom } from "../../../src/settings/settings.ts";
import type { SettingSources } from "../../../src/settings/settings.ts";

function option(entry: Partial<OptionEntry> & Pick<OptionEntry, "kind" | "name">): OptionEntry {
  return { commands: ["run"], value: "text", description: "", ...entry };
}

const table: readonly OptionEntry[] = [
  option({ kind: "text", name: "config", value: "file" }),
  option({ kind: "text", name: "repo" }),
  option({ kind: "text", name: "title" }),
  option({ kind: "text", name: "key-file", value: "file" }),
  option({ kind: "text", name: "data", value: "folder", commands: ["run", "plan"] }),
  option({ kind: "text", name: "now", isFlagOnly: true }),
  option({ kind: "text", name: "elsewhere", commands: ["plan"] }),
  option({ kind: "text", name: "far", commands: ["up"] }),
  option({ kind: "list", name: "names" }),
  option({ kind: "count", name: "count" }),
  option({ kind: "switch", name: "once" }),
  option({ kind: "switch", name: "verify", default: true }),
];

function read(sources: Partial<SettingSources>, command: CommandName = "run") {
  return settingsFrom(table, command, { given: {}, environment: { HOME: "/home/ada" }, ...sources });
}

describe("the value of a setting", () => {
  it("is none, 0, off or absent where no source has it, and of another kind than is asked for", () => {
    const settings = read({ given: { names: ["a"], count: "3" } });
    expect([settings.text("title"), settings.list("title"), settings.count("title")]).toEqual([
      undefined,
      undefined,
      0,
    ]);
    expect([settings.text("names"), settings.count("names"), settings.text("count")]).toEqual([
      undefined,
      0,
      undefined,
    ]);
    expect([settings.count("count"), settings.list("names"), settings.isOn("names")]).toEqual([3, ["a"], false]);
  });

  it("is required with the names that a user can set it by", () => {
    expect(read({ given: { "key-file": "a" } }).requiredText("key-file")).toBe("a");
    expect(() => read({}).requiredText("key-file")).toThrow("--key-file is needed (or ROLLCALL_KEY_FILE)");
  });

  it.each([
    [true, true],
    ["true", true],
    [false, false],
    ["false", false],
  ])("of a switch that is given as %j is %s", (raw, isOn) => {
    expect(read({ given: { once: raw, verify: raw } }).isOn("once")).toBe(isOn);
    expect(read({ file: { verify: raw } }).isOn("verify")).toBe(isOn);
  });

  it("of a list has no blanks and no empty names; an empty list is none", () => {
    expect(read({ given: { names: " a, b ,,c" } }).list("names")).toEqual(["a", "b", "c"]);
    expect(read({ file: { names: [" a ", ""] } }).list("names")).toEqual(["a"]);
    expect(read({ file: { names: [] } }).list("names")).toBeUndefined();
    expect(() => read({ given: { names: "," } })).toThrow('--names names nothing: ","');
    expect(() => read({ file: { names: 7 } })).toThrow("names in the file of --config is not a list of texts");
  });

  it("is not what a file leaves empty", () => {
    expect(read({ file: { title: null } }).entries.find(({ option: { name } }) => name === "title")).toMatchObject({
      value: undefined,
      origin: "default",
    });
  });

  it.each([
    { name: "repo", given: "~/fleet/", value: "/home/ada/fleet" },
    { name: "repo", given: "https://git.example/fleet/", value: "https://git.example/fleet/" },
    { name: "key-file", given: "~/key", value: "/home/ada/key" },
    { name: "key-file", given: "-", value: "-" },
    { name: "repo", given: "-", value: "-" },
    { name: "data", given: "~/data/", value: "/home/ada/data" },
    { name: "title", given: "~/fleet/", value: "~/fleet/" },
  ])("of --$name $given is $value: only places of this machine are paths", ({ name, given, value }) => {
    expect(read({ given: { [name]: given } }).text(name)).toBe(value);
  });

  it("is given only when the command line has it", () => {
    const settings = read({ given: { title: "a", verify: false }, file: { once: true } });
    expect(["title", "verify", "once", "names"].map((name) => settings.isGiven(name))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("a file of settings", () => {
  it("may have what any command has that reads it, and nothing else", () => {
    expect(read({ file: { data: "/data", title: "a" } }, "plan").text("data")).toBe("/data");
    for (const other of ["far", "elsewhere", "now", "config"])
      expect(() => read({ file: { [other]: "x" } })).toThrow(`the file of --config has ${other}, which is no setting`);
  });

  it("does not count for what is only a flag, nor does a variable", () => {
    const settings = read({ environment: { ROLLCALL_NOW: "x" } });
    expect(settings.text("now")).toBeUndefined();
    expect(read({ given: { now: "x" } }).text("now")).toBe("x");
  });
});

describe("flagOf", () => {
  it.each([
    ["once", "--once"],
    ["verify", "--no-verify"],
    ["title", "--title"],
  ])("of %s is %s", (name, flag) => {
    const found = table.find((entry) => entry.name === name);
    expect(found && flagOf(found)).toBe(flag);
  });

  it("of a text whose default is no switch has no such form", () => {
    expect(flagOf(option({ kind: "text", name: "a", default: "true" }))).toBe("--a");
    expect(flagOf(option({ kind: "switch", name: "b", default: false }))).toBe("--b");
  });
});

describe("renderConfig", () => {
  it("prints each setting with its source, and what has no value as a comment", () => {
    const settings = read({
      given: { names: ["a", "b"], title: "", now: "x", config: "c" },
      file: { count: 3, repo: "https://ada:secret@git.example/fleet" },
    });
    expect(renderConfig(settings).split("\n")).toEqual([
      "repo: https://git.example/fleet # file",
      "# title:",
      "# keyFile:",
      "# data:",
      "names: [ a, b ] # --names",
      "count: 3 # file",
      "verify: true # default",
      "",
    ]);
  });

  it("A236 leaves passwords out of the addresses of a list, too", () => {
    const text = renderConfig(read({ given: { names: ["https://ada:secret@vault.example", "a"] } }));
    expect(text).toContain("names: [ https://vault.example/, a ] # --names");
    expect(text).not.toContain("secret");
  });

  it("keeps an address without a password as it was written", () => {
    expect(renderConfig(read({ given: { repo: "https://GIT.example/fleet" } }))).toContain(
      "repo: https://GIT.example/fleet # --repo\n",
    );
  });
});
