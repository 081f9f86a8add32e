import { readFileSync } from "node:fs";
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
  [/\b(?:verdicts?|teller)\b/giu, "result, reporter"],
  [/\bmints?\b/giu, "issue"],
];

/** Pages that follow the glossary. A page that is rewritten joins the list; none leaves it. */
const pages = [
  "README.md",
  "docs/walk-through.md",
  "docs/life-of-a-cluster.md",
  "docs/policies.md",
  "docs/secrets-in-git.md",
  "docs/signatures.md",
  "docs/page.md",
  "docs/README.md",
  "docs/answers.md",
  "docs/cluster-states.md",
  "docs/faq.md",
  "docs/glossary.md",
  "docs/how-it-compares.md",
  "docs/moving-from-argo-cd.md",
  "docs/rbac.md",
  "docs/sequences.md",
  "docs/troubleshooting.md",
  "docs/operations.md",
  "docs/plan.md",
  "docs/forges.md",
  "docs/architecture.md",
  "src/README.md",
  "examples-repo/README.md",
];

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
