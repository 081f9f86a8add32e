import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { giveInput } from "../../support/give-input.ts";

it.each(["", "a line\n"])("a program that ends before it is given %j fails by its exit code alone", async (input) => {
  const child = spawn("sh", ["-c", "exit 3"]);
  const exited = once(child, "exit");
  // Nothing here runs between the start of the program and its end, as on a machine that has no processor to spare.
  spawnSync("sh", ["-c", `while ! grep -q "^State:.Z" /proc/${child.pid}/status; do :; done`]);
  giveInput(child.stdin, input);
  expect(await exited).toEqual([3, null]);
});
