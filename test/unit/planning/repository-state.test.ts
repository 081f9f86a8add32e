import { describe, expect, it } from "vitest";
import type { RepositorySpec, RepositoryStatus } from "../../../src/model/generated/repository.ts";
import { isElsewhere } from "../../../src/planning/repository-state.ts";

const url = "https://git.example.com/fleet";

describe("isElsewhere", () => {
  it.each<{ reason: string; status: RepositoryStatus | undefined; spec?: Partial<RepositorySpec>; isThere: boolean }>([
    { reason: "nothing was settled", status: undefined, isThere: false },
    { reason: "the same place", status: { settledFrom: { url, branch: "main" } }, isThere: false },
    { reason: "another branch", status: { settledFrom: { url, branch: "next" } }, isThere: true },
    { reason: "another address", status: { settledFrom: { url: `${url}2`, branch: "main" } }, isThere: true },
    {
      reason: "another address, which an unsettled run has read",
      status: { url, settledFrom: { url: `${url}2`, branch: "main" } },
      isThere: true,
    },
    {
      reason: "the branch that is named",
      status: { settledFrom: { url, branch: "next" } },
      spec: { ref: { branch: "next" } },
      isThere: false,
    },
    { reason: "another address, settled by an earlier version", status: { url: `${url}2` }, isThere: true },
    { reason: "the same address, settled by an earlier version", status: { url }, isThere: false },
  ])("is $isThere: $reason", ({ status, spec, isThere }) => {
    expect(isElsewhere(status, { url, ...spec })).toBe(isThere);
  });
});
