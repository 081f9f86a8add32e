import type { FaultRow } from "../attack-faults.ts";

/** Faults in what signatures vouch for. */
export const signatureFaults: readonly FaultRow[] = [
  {
    number: "A140",
    name: "the question whether the base has a voucher already",
    test: "contract/signatures/old-forms.test.ts",
    file: "src/git/signing/verify-range.ts",
    from: "if (await engine.isAncestor(commit.id, base)) return [];",
    to: "",
  },
  {
    number: "A141",
    name: "the search for undone changes in all of the range",
    test: "unit/git/verify-range.test.ts",
    file: "src/git/signing/verify-range.ts",
    from: "if (open.size === 0 && base === undefined) break;",
    to: "if (open.size === 0 && (base === undefined || commits.length >= 1000)) break;",
  },
  {
    number: "A141",
    name: "the refusal of a range that is not read to its end",
    test: "unit/git/verify-range.test.ts",
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
];
