import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Words of a dialect of our own, and the terms that readers of Kubernetes know. */
const replaced: readonly (readonly [RegExp, string])[] = [
  [/\b(?:open|close|at) (?:a |the )?doors?\b/giu, "registration token"],
  [/\bnewcomers?\b/giu, "pending admissions"],
  [/\bputs? back\b/giu, "revert"],
  [/\b(?:goes|went) on where it was\b/giu, "resumes"],
  [/\bis gone\b/giu, "is deleted"],
  [/\bleft alone\b/giu, "is suspended, is not changed"],
  [/\b(?:heirs?|sole names?|strip holds|barred)\b/giu, "successor, exclusive names, remove finalizers"],
  [/\b(?:house rules|rules? of the house)\b/giu, "policy"],
  [/\b(?:whoever|nobody|somebody)\b/giu, "name the subject"],
  [/\b(?:(?<!api-)verdicts?|teller)\b/giu, "result, reporter"],
  [/\bmint(?:s|ed)?\b/giu, "issue"],
  [/(?<!heart)\bbeats?\b/giu, "heartbeat"],
  [/\bjudg(?:e|es|ed|ing)\b/giu, "evaluate, check"],
  [/\b(?:fall|falls|fell|fallen) silent\b/giu, "becomes unresponsive"],
];

/** Generated of texts of schemas, decisions of their time, and titles of errors that stand in the code. */
const isExcluded = (name: string): boolean =>
  /^docs\/(?:spec|decisions)\//u.test(name) || /errors\/(?:E_GIT_PUSH_RACE|E_OWNED_ELSEWHERE|README)\.md$/u.test(name);

const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);
const pages = ["README.md", "src/README.md", "examples-repo/README.md", ...docs].filter((name) => !isExcluded(name));

describe("pages in standard terms", () => {
  it.each(pages)("%s", (page) => {
    const lines = readFileSync(join(root, page), "utf8").split("\n");
    const found = lines.flatMap((line, index) =>
      replaced.flatMap(([pattern, term]) =>
        [...line.matchAll(pattern)].map(([word]) => `${page}:${index + 1}: "${word}", say: ${term}`),
      ),
    );
    expect(found).toEqual([]);
  });
});

describe("names in standard terms", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/u.test(name) && !name.startsWith("model/generated/"),
  );
  /** In names of files and of what they export. */
  const dialect =
    /door|newcomer|sole-?name|mints|minted|(?<!heart)beat|cluster-?memory|judge|verdict|(?<!t)heir|stretch|\bwake/iu;

  it("has no file, and no export, with a word of a dialect of our own", () => {
    const exported = files.flatMap((name) => {
      const text = readFileSync(join(root, "src", name), "utf8");
      const found = text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gmu);
      return [...found].map(([, word]) => `${name}: ${word ?? ""}`);
    });
    expect(exported.length).toBeGreaterThan(1000);
    expect([...files, ...exported].filter((name) => dialect.test(name))).toEqual([]);
  });
});
