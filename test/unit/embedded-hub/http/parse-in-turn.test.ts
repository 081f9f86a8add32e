import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseInTurn } from "../../../../src/embedded-hub/http/parse-in-turn.ts";
import { createTurns } from "../../../../src/embedded-hub/operations/turns.ts";

const http = resolve(import.meta.dirname, "../../../../src/embedded-hub/http");

describe("A51 a large body", () => {
  it.each([
    { reason: "that took long to read leaves others their turn before it is written", tookMs: 5, others: 1 },
    { reason: "that was read at once does not wait", tookMs: 0, others: 0 },
  ])("A51 $reason", async ({ tookMs, others }) => {
    let nowMs = 0;
    let turnsOfOthers = 0;
    setImmediate(() => void (turnsOfOthers += 1));
    const turns = createTurns(() => nowMs);
    expect(await parseInTurn({ turns }, () => (nowMs += tookMs))).toBe(tookMs);
    expect(turnsOfOthers).toBe(others);
  });

  it("A51 is read so by every write, long YAML on another thread", () => {
    const files = ["serve-write.ts", "serve-delete.ts"].map((name) => readFileSync(resolve(http, name), "utf8"));
    const calls = files.flatMap((text) => text.split("\n").filter((line) => /\bparse(?:Body|Patch)\(/u.test(line)));
    expect(calls).toHaveLength(4);
    expect(calls.filter((line) => !/\(body, \{.*\breadYaml \}\)/u.test(line))).toEqual([]);
    expect(readFileSync(resolve(http, "read-body.ts"), "utf8")).toContain("await parseInTurn(scope, () => parse(body,");
  });
});
