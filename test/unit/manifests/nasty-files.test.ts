import { describe, expect, it } from "vitest";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { cpuMsOf } from "../../support/of-this-machine.ts";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";
import { leastGrowth } from "../../support/least-growth.ts";
import { createFileParser } from "../../../src/manifests/parse-file.ts";
import { scanSimpleYaml } from "../../../src/manifests/scan-simple-yaml.ts";

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
    const wholeMs = leastCpuMs(readingOf(shape(whole)), mostReadingMs);
    expectLinear(wholeMs, (length) => readingOf(shape(length)));
    expect(wholeMs).toBeLessThan(mostReadingMs);
  });
});

/** Documents of about the given number of characters, each with its own number. */
function documents(make: (index: number) => string): (length: number) => string {
  return (length) => {
    let text = "";
    for (let index = 0; text.length < length; index += 1) text += `---\n${make(index)}`;
    return text;
  };
}

const ours = (kind: string, rest: string) => (index: number) =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: ${kind}\nmetadata:\n  name: a${index}\n${rest}`;
const secret = (rest: string) => (index: number) =>
  `apiVersion: v1\nkind: Secret\nmetadata:\n  name: a${index}\n  namespace: fleet\n${rest}`;

describe("a folder of 10 MiB", () => {
  it.each<[string, (length: number) => string]>([
    ["an unknown field in each document", documents(ours("Cluster", "spec:\n  displayNmae: x\n"))],
    ["a field in the wrong place", documents(ours("Cluster", "displayName: x\n"))],
    ["a field that is nowhere", documents(ours("Cluster", "spec:\n  nothing: x\n"))],
    ["deep nesting", documents(ours("Cluster", `spec:\n${deep(40)}`))],
    ["plain Secrets", documents(secret("stringData:\n  password: a\n"))],
    [
      "Secrets like those of SOPS",
      documents(secret("stringData:\n  a: ENC[AES256_GCM]\nsops:\n  mac: ENC[AES256_GCM]\n")),
    ],
    ["groups with selectors", documents(ours("ClusterGroup", "spec:\n  selector:\n    matchLabels:\n      env: e\n"))],
    ["policies", documents(ours("Policy", "spec:\n  rules:\n    - {expression: 'true', message: no}\n"))],
    ["anchors", documents(ours("Cluster", "  labels: &a\n    env: e\nspec:\n  x: *a\n"))],
    ["kinds of others", documents((index) => `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a${index}\n`)],
  ])("A16 of %s costs in proportion to a part of it, and at most three times what reading it takes", (_name, shape) => {
    const plainMs = (plainFolderMs ??= leastOfThreeMs(folderOf(plain(whole))));
    const wholeMs = cpuMsOf(folderOf(shape(whole)));
    expectLinear(wholeMs, (length) => folderOf(shape(length)));
    if (wholeMs < 3 * plainMs) return;
    const [large, small] = [folderOf(shape(whole)), folderOf(plain(whole))];
    const costs = { large: () => leastOfThreeMs(large), small: () => leastOfThreeMs(small) };
    // As a ratio, since machines differ: `npm run bench -- validate` has the seconds of 10 MiB.
    const growth = leastGrowth(costs, 3);
    expect(growth).toBeLessThan(3);
  });
});

describe("10 MiB of many small files", () => {
  it.each<[string, string]>([
    ["documents without content", "---\n"],
    ["empty lists", "---\n[]\n"],
    ["empty maps", "---\n{}\n"],
    ["single words", "---\na\n"],
    ["anchors and aliases", "---\na: &a x\nb: [*a, *a]\n"],
    ["anchors of maps", "---\na: &a\n  b: c\nd: *a\n"],
  ])("A16 of %s are read without the YAML library", (_name, piece) => {
    // The library takes about 10 microseconds for each of two million documents.
    expect(scanSimpleYaml(fill(piece, 5 * 1024))).toHaveLength(Math.floor((5 * 1024) / piece.length));
  });
});

/** Valid clusters, in a form that the YAML library reads. */
const plain = documents(
  (index) =>
    `{apiVersion: rollcall.dev/v1alpha1, kind: Cluster,\n metadata: {name: a${index}}, spec: {displayName: x}}\n`,
);

function deep(levels: number): string {
  return Array.from({ length: levels }, (_, level) => `${"  ".repeat(level + 1)}a:\n`).join("");
}

const whole = 255 * 1024;
/** Forty files of the whole size are 10 MiB. */
const mostReadingMs = 900;
/** Below this the clock and the collector count for more than the file. */
const noiseMs = 150;
/** What valid files of the size take, measured once. */
let plainFolderMs: number | undefined;

/**
 * Four doublings, where the whole is more than noise: only then is the sixteenth measured. In proportion it takes 16 times as long, a
 * quadratic one 256 times. `wholeMs`: of one run.
 */
function expectLinear(wholeMs: number, workOf: (length: number) => () => unknown): void {
  if (wholeMs < noiseMs) return;
  const large = workOf(whole);
  const small = workOf(16 * 1024);
  const costs = { large: () => cpuMsOf(large), small: () => Math.max(noiseMs / 64, leastOfThreeMs(small)) };
  const growth = leastGrowth(costs, 64, wholeMs);
  expect(growth).toBeLessThan(64);
}

function leastOfThreeMs(work: () => unknown): number {
  return Math.min(cpuMsOf(work), cpuMsOf(work), cpuMsOf(work));
}

function folderOf(text: string): () => unknown {
  const bytes = new TextEncoder().encode(text);
  return () => checkFleet([parse({ path: "a.yaml", blobId: "1", bytes })], { defaultWorkspace: "fleet" });
}

function readingOf(text: string): () => unknown {
  const bytes = new TextEncoder().encode(text);
  return () => {
    const file = parse({ path: "a.yaml", blobId: "1", bytes });
    const { problems } = checkFleet([file], {});
    expect(file.problems.length).toBeLessThan(60);
    expect(problems.length).toBeGreaterThanOrEqual(file.problems.length);
  };
}

function fill(piece: string, length: number): string {
  return piece.repeat(Math.floor(length / piece.length));
}

function numbered(name: string, length: number): string {
  let text = "";
  for (let index = 0; text.length < length; index++) text += `${name}${index}: 1\n`;
  return text;
}
