import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../src");

const lines = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((entry) => entry.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/u.test(file) && !file.includes("generated/"))
  .flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .map((text, index) => ({ file, text, place: `${file}:${index + 1}: ${text.trim()}` })),
  );

/** Places of lines that match, and are not in one of these files or folders. */
function placesOf(pattern: RegExp, except: readonly string[]): string[] {
  return lines
    .filter(({ file, text }) => pattern.test(text) && !except.some((path) => file.startsWith(path)))
    .map(({ place }) => place);
}

describe("text that people read", () => {
  it("shows a commit by shortCommit alone", () => {
    const cut = /(?:commit|head|base|\bid|oid|sha)\w*(?:\)|\?|\.id)*\.(?:slice|substring)\(0, (?:[7-9]|1\d)\)/iu;
    const isOther = /sha256Hex\(|toISOString\(/u;
    const found = placesOf(cut, ["core/short-commit.ts"]).filter((place) => !isOther.test(place));
    expect(found).toEqual([]);
  });

  it("counts nouns by countOf and oneOrMany alone", () => {
    const byHand = /(?<!% 2 )(?:===|!==) 1 \? (?:"[^"]|`[^`])|!== 1 \? ""|(?<!htt)[a-z]\(s\)(?=[ .,:"`])/u;
    expect(placesOf(byHand, [...kubernetesTexts, "core/count-of.ts"])).toEqual([]);
  });

  it("has no noun in the plural beside a count that may be one", () => {
    const nouns =
      "agents|changes|clusters|commits|days|deletions|errors|fields|files|groups|hours|minutes|problems|removals|repositories|requests|rules|tokens|waves|warnings";
    const plural = new RegExp(
      `\\$\\{[^}]*(?:length|size|[cC]ount\\w*|toLocaleString\\([^)]*\\))\\} (?:more |withheld )?(?:${nouns})\\b`,
      "u",
    );
    expect(placesOf(plural, kubernetesTexts)).toEqual([]);
  });
});

/** Messages and columns that are those of Kubernetes, letter by letter. */
const kubernetesTexts = ["embedded-hub/", "embedded-node/", "cel/", "core/formats/"];
