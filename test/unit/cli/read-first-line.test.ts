import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { readFirstLine } from "../../../src/cli/read-first-line.ts";

describe("the answer to a question", () => {
  const { signal } = new AbortController();

  it.each([
    { text: "yes\nno\n", line: "yes" },
    { text: "yes", line: "yes" },
    { text: "", line: "" },
  ])("is the first line of $text", async ({ text, line }) => {
    const input = new PassThrough();
    input.end(text);
    expect(await readFirstLine(input, signal)).toBe(line);
  });

  it("is not awaited any more after Ctrl-C", async () => {
    const stopping = new AbortController();
    const answer = readFirstLine(new PassThrough(), stopping.signal);
    stopping.abort(new Error("stopped by SIGINT"));
    await expect(answer).rejects.toThrow("stopped by SIGINT");
    await expect(readFirstLine(new PassThrough(), stopping.signal)).rejects.toThrow("stopped by SIGINT");
  });
});
