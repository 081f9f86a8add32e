import { describe, expect, it } from "vitest";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { createFileParser } from "../../../src/manifests/parse-file.ts";

const parse = createFileParser();
const head = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: a\n";

/** Files that cost more than their size where time is not linear, each of about the given number of characters. */
const shapes: readonly (readonly [string, (length: number) => string])[] = [
  ["documents that are never closed", (length) => fill("---\n[\n", length)],
  ["documents of one cluster", (length) => fill(`---\n${head}`, length)],
  ["unknown fields", (length) => head + numbered("x", length)],
  ["keys that stand twice", (length) => head + fill("kind: Cluster\n", length)],
  ["tags", (length) => fill("- !a b\n", length)],
  ["tags on one value", (length) => `a: ${fill("!a ", length)}`],
  ["anchors", (length) => `[${fill("&a a,", length)}]`],
  ["aliases of nothing", (length) => fill("- *a\n", length)],
  ["quotes that are never closed", (length) => fill('- "\n', length)],
  ["brackets", (length) => fill("[", length)],
  ["closing brackets", (length) => fill("]", length)],
  ["commas", (length) => `[${fill(",", length)}`],
  ["directives", (length) => fill("%TAG !a! x\n", length)],
  [
    "blank lines, then comments",
    (length) => `a:\n  b: 1\n${fill("\n", length / 2)}${fill("   #\n", length / 2)}c: 1\n`,
  ],
  ["one long line", (length) => `${head}spec: ${fill("a ", length)}`],
  ["one long number", (length) => `${head}spec: ${fill("9", length)}`],
  ["a long quoted text", (length) => `a: "${fill(String.raw`\"`, length)}"`],
  ["spaces before a line end", (length) => `a: x\n ${fill("   \n ", length)}y`],
  ["carriage returns", (length) => fill("a: b\r", length)],
  ["lines that end in CRLF", (length) => `${head}${fill("a: b\r\n", length)}`],
  ["byte order marks", (length) => fill("\ufeff", length / 3)],
  ["NUL", (length) => `a: ${fill("\0", length)}`],
  ["a merge conflict in each document", (length) => fill("---\n<<<<<<< a\n[\n", length)],
];

describe("A53 a file with very many problems", () => {
  it.each(shapes)("is read in linear time: %s", (_name, shape) => {
    const smallMs = cpuMsOf(shape(64 * 1024));
    const largeMs = cpuMsOf(shape(255 * 1024));
    // Two doublings of under 2.3 each; below some milliseconds the clock and the collector say more than the file.
    expect(largeMs).toBeLessThan(Math.max(2.3 * 2.3 * smallMs, 150));
    // Forty of them are 10 MiB.
    expect(largeMs).toBeLessThan(600);
  });
});

function cpuMsOf(text: string): number {
  const bytes = new TextEncoder().encode(text);
  const runs = [1, 2].map(() => {
    const before = process.cpuUsage();
    const file = parse({ path: "a.yaml", blobId: "1", bytes });
    const { problems } = checkFleet([file], {});
    const { user, system } = process.cpuUsage(before);
    expect(file.problems.length).toBeLessThan(60);
    expect(problems.length).toBeGreaterThanOrEqual(file.problems.length);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

function fill(piece: string, length: number): string {
  return piece.repeat(Math.floor(length / piece.length));
}

function numbered(name: string, length: number): string {
  let text = "";
  for (let index = 0; text.length < length; index++) text += `${name}${index}: 1\n`;
  return text;
}
