import type { FaultRow } from "../attack-faults.ts";

/** Faults in what signatures vouch for, and in what the histories of branches show. */
export const signatureFaults: readonly FaultRow[] = [
  {
    number: "A140",
    name: "the search for commits that a list of a range has by their dates alone",
    test: "contract/signatures/old-forms.test.ts",
    file: "src/git/objects/commit-history.ts",
    from: "if (!isSkewed) return commits;",
    to: "if (!isSkewed || commits.length > 0) return commits;",
  },
  {
    number: "A141",
    name: "the search for undone changes in all of the range",
    test: "unit/git/signing/verify-range.test.ts",
    file: "src/git/signing/verify-range.ts",
    from: "if (open.size === 0 && base === undefined) break;",
    to: "if (open.size === 0 && (base === undefined || commits.length >= 1000)) break;",
  },
  {
    number: "A141",
    name: "the refusal of a range that is not read to its end",
    test: "unit/git/signing/verify-range.test.ts",
    file: "src/git/signing/verify-range.ts",
    from: "base === undefined ? [] : await protectedFiles(engine, request)",
    to: "[] as string[]",
  },
  {
    number: "A142",
    name: "the one entry of two with one path that is read",
    test: "contract/signatures/old-forms.test.ts",
    file: "src/git/signing/vouched-form.ts",
    from: " && file.isUnsafe !== true",
    to: "",
  },
  {
    number: "A149",
    name: "the search for copies of a commit that approves",
    test: "contract/signatures/remembered-results.test.ts",
    file: "src/daemon/wire-verification.ts",
    from: "!(await hasCopy(git, commit, tip))",
    to: "tip !== hasCopy.name",
  },
  {
    number: "A148",
    name: "the merge of several bases",
    test: "unit/review/plan-merge.test.ts",
    file: "src/review/merge-base.ts",
    from: "others: await mergeOfBases(git, bases, maximumCommits)",
    to: "others: new Map(mergeOfBases.length > 9 ? await mergeOfBases(git, bases, maximumCommits) : [])",
  },
  {
    number: "A149",
    name: "the search for copies of a signed commit",
    test: "contract/signatures/old-forms.test.ts",
    file: "src/git/signing/has-copy.ts",
    from: "if (payload !== undefined && Buffer.compare(payload, signature.payload) === 0) return true;",
    to: "if (payload === undefined && Buffer.compare(signature.payload, signature.payload) !== 0) return true;",
  },
];
