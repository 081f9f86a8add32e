import { describe, expect, it } from "vitest";
import { parseGoDuration } from "../../../src/core/formats/go-duration.ts";
import { parseDurationNanos, parseWordyDuration } from "../../../src/cel/go-duration.ts";
import { fitsFormat } from "../../../src/core/formats/named-formats.ts";
import { parseQuantity } from "../../../src/core/formats/quantity.ts";
import { parseFieldTerms } from "../../../src/embedded-hub/selectors/field-selector.ts";
import { parseLabelSelector } from "../../../src/embedded-hub/selectors/label-selector.ts";
import { parseCommit } from "../../../src/git/objects/commit-format.ts";
import { isUnsafeName } from "../../../src/git/objects/unsafe-name.ts";
import { applySuppressions } from "../../../src/manifests/suppressions.ts";
import { findTemplates } from "../../../src/manifests/unfilled-template.ts";
import { numberOfQuantity } from "../../../src/core/quantity.ts";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";

const length = 200_000;
const commitBy = (author: string): Uint8Array =>
  Buffer.from(`tree ${"0".repeat(40)}\nauthor ${author}\ncommitter a <a@b> 1 +0000\n\nx\n`);

/** Texts that a regular expression of these readers tries in many ways before it gives up. */
const cases: readonly (readonly [reader: string, text: string, read: (text: string) => unknown])[] = [
  ["a duration", `${"11h".repeat(40)}x`, parseGoDuration],
  ["a duration", `${"1".repeat(length)}x`, parseGoDuration],
  ["a duration of CEL", `${"11h".repeat(40)}x`, parseDurationNanos],
  ["a duration of CEL", `${"1".repeat(length)}x`, parseDurationNanos],
  ["a duration in words", "1".repeat(length), parseWordyDuration],
  ["the format duration", `${"11h".repeat(40)}x`, (text) => fitsFormat("duration", text)],
  ["the format duration", "1".repeat(length), (text) => fitsFormat("duration", text)],
  ["a quantity", `${"1".repeat(length)}x`, parseQuantity],
  ["a quantity of the page", `${"1".repeat(length)}x`, numberOfQuantity],
  ["a field selector", `a${"\\=".repeat(length)}`, (text) => attempt(() => parseFieldTerms(text))],
  ["a label selector", "a in (".padEnd(length, "b,"), (text) => attempt(() => parseLabelSelector(text))],
  ["an author", "<".repeat(length), (text) => parseCommit("0".repeat(40), commitBy(text))],
  ["a name in a tree", `${". ".repeat(length)}\u200cx`, isUnsafeName],
  ["a template", "{{".repeat(length), (text) => findTemplates({ spec: { text } })],
  ["a template", "${".repeat(length), (text) => findTemplates({ spec: { text } })],
  [
    "a suppressing comment",
    `# rollcall-ignore A: b${" ".repeat(length)}x\n# rollcall-ignore${" ".repeat(length)}x`,
    (text) => applySuppressions([], [{ path: "a.yaml", text }]),
  ],
];

function attempt(read: () => unknown): void {
  try {
    read();
  } catch {
    // That it is refused is fine: only the time counts.
  }
}

describe("A61 a text of a stranger", () => {
  it.each(cases)("takes less than 200 ms of CPU as %s", (_reader, text, read) => {
    expect(leastCpuMs(() => read(text), 200)).toBeLessThan(200);
  });
});

describe("parseGoDuration", () => {
  it.each([
    ["1h30m", 5_400_000],
    ["1.5s", 1500],
    ["1.s", 1000],
    [".5s", 500],
    ["11h11h", 79_200_000],
    ["-2m", -120_000],
    ["0", 0],
    ["1", undefined],
    [".s", undefined],
    ["1h 1m", undefined],
  ])("reads %s as %s ms", (text, expected) => expect(parseGoDuration(text)).toBe(expected));
});
