import { describe, expect, it } from "vitest";
import { readSettings } from "../../../src/settings/read-settings.ts";

describe("an empty option of the command line", () => {
  it.each([
    ["kubeconfig", "", "--kubeconfig"],
    ["context", "", "--context"],
    ["workspaces", "", "--workspaces"],
    ["workspaces", [""], "--workspaces"],
  ])("is refused: --%s %j", (name, value, flag) => {
    expect(() => readSettings("run", { given: { [name]: value }, environment: {} })).toThrow(
      `${flag} is empty: give it a value, or leave the option out`,
    );
  });

  it("takes back what the environment or the file sets", () => {
    const given = { context: "", branch: "" };
    const settings = readSettings("run", { given, environment: { ROLLCALL_CONTEXT: "a" }, file: { branch: "b" } });
    expect([settings.text("context"), settings.text("branch")]).toEqual([undefined, undefined]);
    expect(() => readSettings("run", { given, environment: { ROLLCALL_CONTEXT: "" }, file: { branch: "b" } })).toThrow(
      "--context is empty",
    );
  });

  it("is refused for an option of the command line alone, whatever the environment has of its name", () => {
    const sources = { given: { selector: "" }, environment: { ROLLCALL_SELECTOR: "env=dev" } };
    expect(() => readSettings("get", sources)).toThrow("--selector is empty");
  });

  it.each([
    { reason: "the command line", sources: { given: { workspaces: " , " }, environment: {} }, place: "--workspaces" },
    {
      reason: "the environment",
      sources: { given: {}, environment: { ROLLCALL_WORKSPACES: "," } },
      place: "ROLLCALL_WORKSPACES",
    },
    { reason: "a file", sources: { given: {}, environment: {}, file: { workspaces: "," } }, place: "workspaces in" },
  ])("A235 refuses a list of nothing but separators, which is no list of everything: $reason", ({ sources, place }) => {
    expect(() => readSettings("run", sources)).toThrow(`${place}`);
    expect(() => readSettings("run", sources)).toThrow("names nothing");
  });
});
