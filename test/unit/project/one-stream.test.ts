import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { inOneStream } from "../../support/one-stream.ts";

it("a program's errors are among its output, where it wrote them, and its exit code is its own", async () => {
  const { command, args } = inOneStream("sh", [
    "-c",
    'for n in 1 2 3 4; do echo "$n"; echo "$1 $n" >&2; done; exit 3',
    "sh",
    "a b",
  ]);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
  const [printed, ended] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect(printed).toBe([1, 2, 3, 4].map((n) => `${n}\na b ${n}\n`).join(""));
  expect(ended).toEqual([3, null]);
});
