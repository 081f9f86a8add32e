import { expect, it } from "vitest";
import { runInOneStream } from "../../support/run-in-one-stream.ts";

it("a program's errors are among its output, where it wrote them, and its exit code is its own", async () => {
  const script = 'for n in 1 2 3 4; do echo "$n"; echo "$1 $n" >&2; done; exit 3';
  const { code, output } = await runInOneStream("sh", ["-c", script, "sh", "a b"]);
  expect(output).toBe([1, 2, 3, 4].map((n) => `${n}\na b ${n}\n`).join(""));
  expect(code).toBe(3);
});
