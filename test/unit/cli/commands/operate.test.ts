import { describe, expect, it } from "vitest";
import { runApproveDeletions, runReconcile, runRevoke, runSuspend } from "../../../../src/cli/commands/operate.ts";
import { runCommand } from "../../../support/plain-context.ts";

/** Read after the arguments: who gets this far has given good ones. */
const options = { kubeconfig: "/nonexistent/kubeconfig" };
const sevenDigits = "0123abc";

describe("rollcall approve-deletions", () => {
  const run = (...args: readonly string[]) =>
    runCommand("approve-deletions", runApproveDeletions, { args, options }).catch((error: unknown) => error);

  it.each([
    [sevenDigits, "1"],
    ["0123456789abcdef".repeat(4), "999999"],
    [sevenDigits, "0"],
  ])("takes commit %s and count %s", async (commit, count) => {
    expect(await run(commit, count)).toMatchObject({ code: "E_KUBECONFIG" });
  });

  it.each([
    ["0123ab", "1", "is no id of a commit: at least 7 of its digits are needed"],
    [`${"0123456789abcdef".repeat(4)}0`, "1", "is no id of a commit"],
    ["0123ABC", "1", "is no id of a commit"],
    ["0123abg", "1", "is no id of a commit"],
    ["", "1", "is no id of a commit"],
    [sevenDigits, "", "is no number of removals: write how many are withheld"],
    [sevenDigits, "-1", "is no number of removals"],
    [sevenDigits, "1.5", "is no number of removals"],
    [sevenDigits, "1000000", "is no number of removals"],
    [sevenDigits, "all", "is no number of removals"],
  ])("refuses commit '%s' and count '%s'", async (commit, count, reason) => {
    expect(await run(commit, count)).toMatchObject({
      code: "E_USAGE",
      message: expect.stringContaining(reason) as string,
    });
  });
});

it.each([
  ["reconcile", runReconcile, []],
  ["suspend", runSuspend, ["c1"]],
  ["revoke", runRevoke, ["c1"]],
] as const)("%s reports a hub that is not named", async (name, run, args) => {
  await expect(runCommand(name, run, { args, options })).rejects.toMatchObject({ code: "E_KUBECONFIG" });
});
