import type { FaultRow } from "../attack-faults.ts";

/** Faults in what strangers have the daemon read at a forge. */
export const forgeFaults: readonly FaultRow[] = [
  {
    number: "A152",
    name: "the author of a comment",
    test: "contract/forge/github-app.test.ts",
    file: "src/forge/open-forge.ts",
    from: "marked.filter(({ authorId }) => authorId === userId)",
    to: 'marked.filter(({ authorId }) => authorId !== "55" && userId !== "")',
  },
  {
    number: "A160",
    name: "the smaller pages",
    test: "contract/forge/long-texts.test.ts",
    file: "src/forge/list-pages.ts",
    from: "if (!isTooLong(error) || isOnePage || isWhole) throw error;",
    to: "throw error;",
  },
  {
    number: "A160",
    name: "the bound of requests for smaller pages",
    test: "contract/forge/long-texts.test.ts",
    file: "src/forge/list-pages.ts",
    from: "++smallerPages > maximumSmallerPages",
    to: "++smallerPages > 1e9",
  },
  {
    number: "A160",
    name: "the bound of an answer, which is that of what is parsed",
    test: "contract/forge/long-texts.test.ts",
    file: "src/forge/forge-http.ts",
    from: "maximumBytes = 16 * 1024 * 1024",
    to: "maximumBytes = 32 * 1024 * 1024",
  },
  {
    number: "A160",
    name: "the texts of forks",
    test: "contract/forge/long-texts.test.ts",
    file: "src/forge/pull-request-json.ts",
    from: 'body: isFork ? "" : keptOfBody(',
    to: "body: keptOfBody(",
  },
  {
    number: "A161",
    name: "the whole list of a request's commits",
    test: "contract/forge/long-texts.test.ts",
    file: "src/forge/list-pages.ts",
    from: "isWhole: true, ",
    to: "",
  },
  {
    number: "A161",
    name: "the comment among the first ones that are read",
    test: "contract/forge/long-texts.test.ts",
    file: "src/forge/open-forge.ts",
    from: "if (isCut && found.length === 0) {",
    to: "if (isCut) {",
  },
  {
    number: "A161",
    name: "the statuses of a commit whose comment is refused",
    test: "unit/reconcile/review-pull-requests.test.ts",
    file: "src/reconcile/review-pull-requests.ts",
    from: "(await this.#tolerate(number, () => this.#changeComment(number, change))) === true",
    to: "(await this.#changeComment(number, change))",
  },
];
