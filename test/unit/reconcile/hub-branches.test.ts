import { describe, expect, it } from "vitest";
import type { CommitRequest } from "../../../src/git/git.ts";
import type { HubChange } from "../../../src/model/hub-change.ts";
import { HubBranches } from "../../../src/reconcile/hub-branches.ts";
import { hubChange, parsedFile, snapshotOf } from "./hub-changes.ts";
import { createMemoryGit } from "./removals/memory-git.ts";

const owner = { hubId: "hub-1", repository: "system.fleet" };
const create = (name: string, fields: Partial<HubChange> = {}): HubChange =>
  hubChange(name, {
    path: `clusters/fleet/${name}.yaml`,
    file: { kind: "Create", text: `name: ${name}\n` },
    ...fields,
  });

/** Branches for changes of one commit; `pushes` is what was pushed since the last time. */
function open() {
  const git = createMemoryGit();
  const source = git.commit({ "clusters.yaml": "name: x\n" }, "First\n");
  const pushes: CommitRequest[] = [];
  const remote = new Map<string, string>();
  const branches = new HubBranches({
    ...git,
    listBranches: () => Promise.resolve(remote),
    fetchHead: (branch: string) => Promise.resolve(remote.get(branch)),
    commitAndPush: (request: CommitRequest) => {
      pushes.push(request);
      const commit = git.commit({ "other.yaml": request.branch }, request.message, {
        isBeside: true,
        parents: [source],
      });
      remote.set(request.branch, commit);
      return Promise.resolve(commit);
    },
  });
  const sync = async (...changes: readonly HubChange[]) => {
    pushes.length = 0;
    const snapshot = {
      ...snapshotOf(parsedFile("clusters.yaml", { text: "name: x\n" })),
      commit: await git.readCommit(source),
    };
    const { signal } = new AbortController();
    const { proposals, branches: kept } = await branches.sync({ changes, snapshot, owner, nowMs: 5, signal });
    return {
      states: proposals.map(({ change, state, branch }) => `${change.live.metadata.name} ${state} ${branch}`),
      kept: kept.map(({ branch }) => branch),
      pushed: pushes.map(({ branch, changes: files }) => [branch, ...files.keys()].join(" ")),
    };
  };
  return { sync, pushes, remote };
}

describe("HubBranches", () => {
  it("proposes each change on a branch that names its object as kubectl does", async () => {
    const { sync } = open();
    const branch = (name: string): string => `rollcall/hub/fleet/clusters.rollcall.dev/${name}`;
    expect(await sync(create("a"), create("b"))).toEqual({
      states: [`a Proposed ${branch("a")}`, `b Proposed ${branch("b")}`],
      kept: [branch("a"), branch("b")],
      pushed: [`${branch("a")} clusters/fleet/a.yaml`, `${branch("b")} clusters/fleet/b.yaml`],
    });
  });

  it("names the kind of an object that is of no known one", async () => {
    const live = { apiVersion: "example.org/v1", kind: "Widget", metadata: { name: "a", namespace: "fleet" } };
    expect((await open().sync(create("a", { live }))).kept).toEqual(["rollcall/hub/fleet/widget/a"]);
  });

  it("commits in the name of the one user who made the change, and names the hub", async () => {
    const { sync, pushes } = open();
    await sync(create("a", { users: ["jane"] }));
    expect(pushes).toMatchObject([{ author: { name: "jane" }, committer: { name: "Rollcall" }, committedAtMs: 5 }]);
    expect(pushes[0]?.message).toContain("Rollcall-Hub: hub-1\n");
    await sync(create("b", { users: ["jane", "joe"] }));
    expect(pushes).toMatchObject([{ author: { name: "Rollcall" } }]);
  });

  it("writes a branch again for another content or another object of the name, and not otherwise", async () => {
    const { sync } = open();
    await sync(create("a"));
    expect((await sync(create("a"))).pushed).toEqual([]);
    expect((await sync(create("a", { file: { kind: "Create", text: "name: b\n" } }))).pushed).toHaveLength(1);
    const live = { ...create("a").live, metadata: { name: "a", namespace: "fleet", uid: "another" } };
    expect((await sync(create("a", { live }))).pushed).toHaveLength(1);
    expect((await sync(create("a", { live, path: "moved.yaml" }))).pushed).toHaveLength(1);
  });

  it("leaves a change declined whose branch a person deleted", async () => {
    const { sync, remote } = open();
    const [, ...others] = [await sync(create("a")), create("b")];
    remote.clear();
    const { states } = await sync(create("a"), ...others);
    expect(states).toEqual([
      "a Declined rollcall/hub/fleet/clusters.rollcall.dev/a",
      "b Proposed rollcall/hub/fleet/clusters.rollcall.dev/b",
    ]);
  });

  it("lets what is beyond twenty open branches of a workspace wait", async () => {
    const changes = Array.from({ length: 21 }, (_, index) => create(`c${String(index).padStart(2, "0")}`));
    const { states, kept } = await open().sync(...changes);
    expect(kept).toHaveLength(20);
    expect(states.at(-1)).toBe("c20 Waiting rollcall/hub/fleet/clusters.rollcall.dev/c20");
  });
});
