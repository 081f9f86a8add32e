import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** `npx rollcall` and `npm install rollcall` fetch the package of a stranger: the name is not ours in the registry. */
const byName =
  /\b(?:npx|npm (?:exec|x)|pnpm dlx|yarn dlx|bunx)(?: -\S+)* rollcall\b|\bnpm (?:i|install|add)(?: -\S+)* rollcall\b(?![-.\w])/u;
const warning = "Do not install or run `rollcall` by its name alone";

describe("commands of the documentation, the messages and the examples", () => {
  const files = execFileSync("git", ["ls-files", "--", ":!*.png", ":!test/rules/run-by-path.test.ts"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((name) => /^(?:docs|src|deploy|examples-repo|bin|\.ci|\.github|[A-Z]+\.md)/u.test(name));

  it("A46 name the program by its path, never by a name that a registry answers", () => {
    expect(files.length).toBeGreaterThan(100);
    const found = files.flatMap((name) => {
      const paragraphs = readFileSync(join(root, name), "utf8").split("\n\n");
      return paragraphs
        .filter((text) => byName.test(text) && !text.startsWith(warning))
        .map((text) => `${name}: ${text}`);
    });
    expect(found).toEqual([]);
  });

  it("A46 would notice each form", () => {
    const forms = ["npx rollcall up", "npx --yes rollcall", "npm exec rollcall", "npm install --global rollcall"];
    expect(forms.filter((form) => !byName.test(form))).toEqual([]);
    expect(byName.test("npm install --global ./rollcall-0.1.0.tgz")).toBe(false);
  });
});
