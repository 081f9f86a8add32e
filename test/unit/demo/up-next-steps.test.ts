import { describe, expect, it } from "vitest";
import { resumeCommand } from "../../../src/demo/up-next-steps.ts";

describe("the command that resumes a fleet", () => {
  it.each([
    { args: ["up"], again: "" },
    { args: ["up", "--dir", "demo", "--clusters", "5"], again: " --dir demo --clusters 5" },
    { args: ["up", "--dir=demo", "--exit-when-healthy"], again: " --dir=demo" },
    { args: ["up", "--protocol", "fleet", "--restore", "--dir", "a b"], again: " --protocol fleet --dir 'a b'" },
    { args: ["up", "--dir", "it's"], again: " --dir 'it'\\''s'" },
  ])("of $args has the options$again", ({ args, again }) =>
    expect(resumeCommand(["node", "/usr/bin/rollcall", ...args])).toBe(`rollcall up${again}`),
  );
});
