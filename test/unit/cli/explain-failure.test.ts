import { describe, expect, it } from "vitest";
import { describeFailure } from "../../../src/cli/explain-failure.ts";
import { AppError } from "../../../src/core/errors.ts";

describe("describeFailure", () => {
  it.each([
    [["get", "x"], "rollcall get --help"],
    [["add", "token", "--ttl"], "rollcall add token --help"],
    [["--bad\u001b[2J"], "rollcall --help"],
    [[], "rollcall --help"],
  ])("names the help of the command after a message that says how to use it: %j", (argv, help) => {
    const text = describeFailure(new AppError("E_USAGE", "say where it goes: --a or --b"), argv);
    expect(text).toBe(`rollcall: E_USAGE: say where it goes: --a or --b\nSee: ${help}\n`);
  });

  it("says of other failures what to do", () => {
    expect(describeFailure(new AppError("E_GIT_FOLDER", "open /x: it is no git repository"))).toBe(
      "rollcall: E_GIT_FOLDER: open /x: it is no git repository\n" +
        "What to do: Name the folder of a repository: a clone, or one that `git init` has made.\n",
    );
    expect(describeFailure(new Error("x"))).toBe("rollcall: x\n");
  });
});
