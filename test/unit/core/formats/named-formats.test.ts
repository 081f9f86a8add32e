import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fitsFormat, isKnownFormat } from "../../../../src/core/formats/named-formats.ts";

/** What kube-openapi, as Kubernetes 1.34.4 has it, answers for texts of each format. */
const answers = JSON.parse(readFileSync(join(import.meta.dirname, "../golden/named-formats.json"), "utf8")) as Readonly<
  Record<string, { readonly fits: readonly string[]; readonly fails: readonly string[] }>
>;

describe("formats", () => {
  it.each(Object.entries(answers))("%s: are checked as kube-apiserver does", (format, { fits, fails }) => {
    expect(isKnownFormat(format)).toBe(true);
    const asked = [...fits, ...fails].sort();
    expect(asked.filter((text) => fitsFormat(format, text))).toEqual([...fits].sort());
  });

  it.each(["date-time", "hex-color"])("are checked with dashes in their names, too: %s", (format) => {
    expect([isKnownFormat(format), fitsFormat(format, "no text of any format")]).toEqual([true, false]);
  });

  it("are ignored when they are unknown", () => {
    expect(isKnownFormat("int32")).toBe(false);
    expect(isKnownFormat("constructor")).toBe(false);
    expect(fitsFormat("k8s-short-name", "NOT A NAME")).toBe(true);
  });
});
