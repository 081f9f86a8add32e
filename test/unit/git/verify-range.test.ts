import { expect, it } from "vitest";
import { verifyRange } from "../../../src/git/signing/verify-range.ts";

it("A59 looks at each commit of a range of 600, not at the newest 500", async () => {
  const commits = Array.from({ length: 600 }, (_, index) => ({
    id: `c${index}`,
    treeId: "t",
    parents: [],
    author: { name: "a", email: "a@example.com" },
    committedAtMs: 0,
    message: "",
  }));
  const reader = {
    readSignature: () => Promise.resolve(undefined),
    listCommits: ({ limit = 1000 }) => Promise.resolve(commits.slice(0, limit)),
    changedPaths: () => Promise.resolve([{ path: "a.yaml" }]),
    isAncestor: () => Promise.resolve(true),
  };
  const request = { base: "b", head: "c0", policy: { rules: [{}] }, signers: [], atMs: 0 };
  const { commits: seen, unverified } = await verifyRange(reader, request);
  expect(seen).toHaveLength(600);
  expect(unverified).toEqual(["a.yaml"]);
});
