import { describe, expect, it } from "vitest";
import { adoptStatusBranch } from "../../../src/demo/adopt-status-branch.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";

describe("adoptStatusBranch", () => {
  it.each([
    { reason: "no branch", head: undefined, statusCommit: undefined, patches: [] },
    { reason: "a branch that this hub wrote", head: "a", statusCommit: "a", patches: [] },
    { reason: "a branch of a former hub", head: "a", statusCommit: undefined, patches: ["a"] },
    { reason: "a commit on top of its own", head: "b", statusCommit: "a", patches: ["b"] },
  ])("of $reason, has the daemon take over $patches", async ({ head, statusCommit, patches }) => {
    const seen: unknown[] = [];
    const hubApi: Partial<KubeApi> = {
      get: () =>
        Promise.resolve({
          apiVersion: "v1",
          kind: "Repository",
          metadata: { name: "fleet" },
          status: { statusCommit },
        }),
      mergePatch: (_ref, body) => {
        seen.push(body);
        return Promise.resolve({} as never);
      },
    };
    const git = { fetchHead: () => Promise.resolve(head) };
    const { signal } = new AbortController();
    const target = { namespace: "system", name: "fleet", branch: "rollcall/status" };
    await adoptStatusBranch({ hubApi: hubApi as KubeApi, git, ...target, signal });
    expect(seen).toEqual(patches.map((commit) => ({ metadata: { annotations: { "rollcall.dev/adopt": commit } } })));
  });
});
