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
});
