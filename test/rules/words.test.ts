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

/** Programs and objects do not speak, look or stand. Tables that quote titles of tests and names of planted faults are left out. */
const replacedInProse: readonly (readonly [RegExp, string])[] = [
  [/\b(?:tells|told|telling|hears?|heard)\b/giu, "reports, notifies, receives"],
  [/\b(?:looks?|looked|looking) (?:at|again|for)\b/giu, "reads, checks, requeues, searches"],
  [/\bstands? (?:for|in|there|alone|behind|beside|twice)\b/giu, "maps to, is in, is"],
  [/\b(?:says|said)\b/giu, "reports, declares, states"],
  [/\b(?:goes|went) (?:on|away|out)\b/giu, "continues, is deleted"],
];
const quotesTests = /docs\/(?:simulation|promises-at-the-edges|embedded-hub-checks)\.md$/u;

/** The same of what users and readers of comments read. */
const replacedForUsers: readonly (readonly [RegExp, string])[] = [
  ...replaced,
  [/\b(?:came|comes|let) in\b(?! (?:the|a)\b)/giu, "joined, is admitted"],
  [/\bthe leave\b/giu, "offboarding"],
  [/\bgoes on (?:under|where)\b/giu, "continues"],
  [/\bsilent\b(?! watches)/giu, "unresponsive"],
  [/\bwakes?\b/giu, "enqueues, starts a run"],
  [/\bsomeone\b/giu, "name the subject"],
];

/** Decisions of their time, and titles of errors that are in the code. The pages of schemas are checked with these. */
const isExcluded = (name: string): boolean =>
  /^docs\/(?:spec|decisions)\//u.test(name) || /errors\/(?:E_GIT_PUSH_RACE|E_OWNED_ELSEWHERE|README)\.md$/u.test(name);

const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);
const pages = ["README.md", "src/README.md", "examples-repo/README.md", ...docs].filter((name) => !isExcluded(name));

/** Words of the table in these lines of a file. */
const findReplaced = (file: string, lines: readonly string[], table = replaced): string[] => {
  const patterns = table.filter(([pattern]) => lines.some((line) => line.search(pattern) >= 0));
  return lines.flatMap((line, index) =>
    patterns.flatMap(([pattern, term]) =>
      [...line.matchAll(pattern)].map(([word]) => `${file}:${index + 1}: "${word}", say: ${term}`),
    ),
  );
};

/** The lines of a source file with only their comments: whole lines, and what follows code. */
const commentLines = (text: string): string[] => {
  let isInside = false;
  return text.split("\n").map((line) => {
    const isWhole = isInside || /^\s*\{?(?:\/\*|\/\/)/u.test(line);
    const isBlock = isInside || /^\s*\{?\/\*/u.test(line);
    isInside = isBlock && !line.includes("*/");
    return isWhole ? line : (/\s(?:\/\/|\/\*) .*$/u.exec(line)?.[0] ?? "");
  });
};

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:tsx?|mjs)$/u.test(name) && !name.includes("generated/"))
    .map((name) => `${folder}/${name}`);
const sources = sourcesIn("src");

describe("pages in standard terms", () => {
  it.each(pages)("%s", (page) => {
    const lines = readFileSync(join(root, page), "utf8").split("\n");
    const table = quotesTests.test(page) ? replacedForUsers : [...replacedForUsers, ...replacedInProse];
    expect(findReplaced(page, lines, table)).toEqual([]);
  });
});

describe("descriptions of fields in standard terms", () => {
  const schemas = readdirSync(join(root, "schemas"), { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.(?:json|yaml)$/u.test(name) && !/^(?:foreign|generated)\//u.test(name),
  );

  it("has no word of a dialect of our own", () => {
    expect(schemas.length).toBeGreaterThan(60);
    const found = schemas.flatMap((name) => {
      const lines = readFileSync(join(root, "schemas", name), "utf8").split("\n");
      const described = lines.map((line) => /\bdescription"?: (.*)$/u.exec(line)?.[1] ?? "");
      return findReplaced(`schemas/${name}`, described, [...replacedForUsers, ...replacedInProse]);
    });
    expect(found).toEqual([]);
  });
});

describe("comments in standard terms", () => {
  it("reads whole lines, blocks, and what follows code", () => {
    const text = ["/** a", " * b", " */", 'const c = "d"; // e', "// f", "{/* g */}", 'const h = "i";'].join("\n");
    expect(commentLines(text)).toEqual(["/** a", " * b", " */", " // e", "// f", "{/* g */}", ""]);
  });

  it.each([
    ["src", sources],
    ["test", sourcesIn("test")],
    ["scripts", sourcesIn("scripts")],
  ])("has no word of a dialect of our own in a comment of %s", (folder, files) => {
    expect(files.length).toBeGreaterThan(folder === "scripts" ? 20 : 1000);
    const found = files.flatMap((file) => {
      const lines = commentLines(readFileSync(join(root, file), "utf8"));
      return findReplaced(file, lines, [...replacedForUsers, ...replacedInProse]);
    });
    expect(found).toEqual([]);
  });
});

describe("titles of tests in standard terms", () => {
  /** A call of `it` or `describe`, or of what `each` returned, with its title; without the names of columns in it. */
  const calls = /(?:\b(?:it|describe)(?:\.\w+(?:\([^()]*\))?)*|\]\))\(\s*(["`])((?:(?!\1)[^\n])*)\1/gu;
  const titlesOf = (text: string): string[] =>
    [...text.matchAll(calls)].map(([, , title = ""]) => title.replaceAll(/\$\w+/gu, ""));

  it("has no word of a dialect of our own", () => {
    const found = sourcesIn("test").map((file) => ({ file, titles: titlesOf(readFileSync(join(root, file), "utf8")) }));
    expect(found.flatMap(({ titles }) => titles).length).toBeGreaterThan(8000);
    expect(
      found.flatMap(({ file, titles }) => findReplaced(file, titles, [...replacedForUsers, ...replacedInProse])),
    ).toEqual([]);
  });
});

describe("comments of a width that a review shows", () => {
  const widest = 130;

  it("has no wider line", () => {
    const found = sources.flatMap((name) => {
      const lines = readFileSync(join(root, name), "utf8").split("\n");
      return lines.flatMap((line, index) =>
        /^\s*(?:\*|\/\*|\/\/)/u.test(line) && line.length > widest ? [`${name}:${index + 1}: ${line.length}`] : [],
      );
    });
    expect(found).toEqual([]);
  });
});

describe("names in standard terms", () => {
  /** In names of files and of what they export. */
  const dialect =
    /door|newcomer|sole-?name|mints|minted|(?<!heart)beat|cluster-?memory|judge|verdict|(?<!t)heir|stretch|\bwake/iu;

  it("has no file, and no export, with a word of a dialect of our own", () => {
    const exported = sources.flatMap((name) => {
      const text = readFileSync(join(root, name), "utf8");
      const found = text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gmu);
      return [...found].map(([, word]) => `${name}: ${word ?? ""}`);
    });
    expect(exported.length).toBeGreaterThan(1000);
    expect([...sources, ...exported].filter((name) => dialect.test(name))).toEqual([]);
  });
});
