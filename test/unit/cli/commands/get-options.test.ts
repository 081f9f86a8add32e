import { describe, expect, it } from "vitest";
import { queryOf } from "../../../../src/cli/commands/list-objects.ts";
import { flagOf } from "../../../../src/settings/option-entry.ts";
import { optionTable } from "../../../../src/settings/options.ts";
import { refuseWithoutEffect } from "../../../../src/settings/options-without-effect.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";
import { readObjectForm } from "../../../../src/cli/render/object-form.ts";

const commands = ["get", "describe", "events", "wait", "top", "logs"] as const;

describe("--workspace and --all-namespaces", () => {
  it.each(commands)("are refused together, and are alike for each of these commands: %s", (command) => {
    const settingsOf = (given: Readonly<Record<string, unknown>>) => readSettings(command, { given, environment: {} });
    const both = settingsOf({ workspace: "fleet", "all-namespaces": true, context: "hub" });
    expect(() => refuseWithoutEffect(command, { settings: both, args: [] })).toThrow(
      "--workspace has no effect: --all-namespaces lists every namespace",
    );
    expect(settingsOf({}).text("workspace")).toBeUndefined();
    const letters = optionTable
      .filter((option) => option.commands.includes(command) && option.short !== undefined)
      .map((option) => [option.short, flagOf(option)]);
    expect(letters).toEqual(
      expect.arrayContaining([
        ["n", "--workspace"],
        ["A", "--all-namespaces"],
      ]),
    );
    expect(new Set(letters.map(([letter]) => letter)).size).toBe(letters.length);
  });
});

describe("--selector", () => {
  it.each(["get", "describe", "top"] as const)("is what %s asks the hub for", (command) => {
    const query = (given: Readonly<Record<string, string>>) =>
      queryOf({ settings: readSettings(command, { given, environment: {} }), signal: new AbortController().signal });
    expect(query({ selector: "env=prod", workspace: "fleet" })).toMatchObject({
      labelSelector: "env=prod",
      namespace: "fleet",
    });
    expect(query({})).toEqual({ signal: expect.any(AbortSignal) as AbortSignal });
  });
});

describe("-o", () => {
  it.each([
    ["jsonpath", "jsonpath=TEMPLATE"],
    ["jsonpaht", "jsonpath=TEMPLATE"],
    ["jsno", "json"],
  ])("names the form that %s meant, and never what was given", (given, meant) => {
    expect(() => readObjectForm(given)).toThrow(`jsonpath=TEMPLATE (did you mean ${meant}?)`);
  });
});

describe("-o jsonpath", () => {
  const print = (template: string, value: unknown): string => {
    const form = readObjectForm(`jsonpath=${template}`);
    return form.kind === "jsonpath" ? form.print(value) : "";
  };
  const value = { a: { b: [1, { c: "x" }], "d.e": true }, t: "{}" };

  it.each([
    ["{.a.b[0]}", "1"],
    ["{$.a.b[1].c}", "x"],
    ["{.a.b[*]}", '1 {"c":"x"}'],
    ["{ .a['d.e'] }", "true"],
    ["c={.a.b[1].c}, {.t}!", "c=x, {}!"],
    ['{"{.a}"}{"\\n"}', "{.a}\n"],
    ["{.a.nothing}", ""],
    ["{.constructor}", ""],
    ["", ""],
  ])("prints %s", (template, text) => {
    expect(print(template, value)).toBe(text);
  });

  it.each(["{..a..b}", "{range .a}", "{end}", "{a}", "{}", "{.a", "}", '{"\\q"}', "{process.exit()}", "{@.a}"])(
    "refuses %s loudly",
    (template) => {
      expect(() => print(template, value)).toThrow(/is not supported|has no partner/u);
    },
  );

  it("shows marks that control a terminal as text", () => {
    expect(print("{.m}", { m: "\u001b[31mred" })).toBe("\\u{1b}[31mred");
  });

  it("costs time in line with the length of a template", () => {
    const template = "{.a}".repeat(20_000);
    expect(print(template, { a: "y" })).toHaveLength(20_000);
    expect(() => print("{".repeat(20_000), {})).toThrow("has no partner");
    expect(() => print(`{${"'".repeat(20_001)}`, {})).toThrow("has no partner");
  });
});
