import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".md"),
);
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CODE_OF_CONDUCT.md",
  "GOVERNANCE.md",
  "src/README.md",
  "examples-repo/README.md",
  ...docs.map((name) => `docs/${name}`),
];

/** Text outside of code: what a forge renders. */
function proseOf(page: string): string {
  const text = readFileSync(join(root, page), "utf8");
  return text.replace(/^```.*?^```/gmsu, "").replace(/`[^`\n]*`/gu, (code) => code.replace(/[[\]()#]/gu, "x"));
}

/** The anchors of a page, as GitHub, GitLab and Gitea make them of headings. */
function anchorsOf(page: string): Set<string> {
  const headings = readFileSync(join(root, page), "utf8")
    .replace(/^```.*?^```/gmsu, "")
    .matchAll(/^#{1,6} (.*)$/gmu);
  return new Set(
    [...headings].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s/gu, "-"),
    ),
  );
}

function brokenLinksOf(page: string): string[] {
  const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target = ""]) => target);
  return links.filter((target) => !/^[a-z]+:/u.test(target)).filter((target) => !leadsSomewhere(page, target));
}

function leadsSomewhere(page: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : relative(root, resolve(root, dirname(page), path));
  if (!existsSync(join(root, file))) return false;
  if (anchor === undefined) return true;
  return statSync(join(root, file)).isFile() && anchorsOf(file).has(anchor);
}

describe("links of the documentation", () => {
  it.each(pages)("%s", (page) => expect(brokenLinksOf(page)).toEqual([]));

  it("a page below docs is found from the index", () => {
    const index = readFileSync(join(root, "docs/README.md"), "utf8");
    const inIndex = [...index.matchAll(/\]\(([^)#\s]+)/gu)].map(([, target = ""]) => target);
    const top = docs.filter((name) => !name.includes("/") && name !== "README.md");
    expect(top.filter((name) => !inIndex.includes(name))).toEqual([]);
  });

  it("a decision has a number of its own", () => {
    const numbers = docs.filter((name) => name.startsWith("decisions/")).map((name) => name.slice(10, 14));
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });
});
