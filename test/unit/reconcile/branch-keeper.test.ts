import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import type { KeeperRules, WantedBranch } from "../../../src/reconcile/branch-keeper.ts";
import { BranchKeeper } from "../../../src/reconcile/branch-keeper.ts";
import type { BranchOwner } from "../../../src/reconcile/branch-owner.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

const owner: BranchOwner = { hubId: "hub-1", repository: "rollcall.fleet" };
const otherOwners: readonly { readonly reason: string; readonly other: BranchOwner }[] = [
  { reason: "hub", other: { ...owner, hubId: "hub-2" } },
  { reason: "Repository of this hub", other: { ...owner, repository: "rollcall.other" } },
];
const plain = "rollcall/join/fleet/edge";

describe("BranchKeeper", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository: TestRepository;
  let git: GitEngine;
  beforeEach(async () => {
    folder = await makeTempFolder();
    repository = await createRepository(`${folder.path}/fleet.git`);
    await repository.commit({ files: { "main.yaml": "1" } });
    const cacheDir = `${folder.path}/cache`;
    git = await openLocalEngine(repository.path, cacheDir);
  });
  afterEach(async () => {
    await git.close();
    await folder.remove();
  });

  /** A keeper of a new process. */
  function open(rules: Partial<KeeperRules> = {}, of: BranchOwner = owner) {
    const keeper = new BranchKeeper(git, { prefix: "rollcall/join/", ...rules });
    return async (wanted: readonly WantedBranch[], ownNames: readonly string[] = []) => {
      const source = (await git.fetchHead("main")) ?? "";
      const { signal } = new AbortController();
      const { branches, states } = await keeper.sync(wanted, { source, owner: of, nowMs: 0, signal }, ownNames);
      return {
        branches: branches.map(({ branch }) => branch),
        states: [...states.values()].map(({ state }) => state),
      };
    };
  }

  function want(files: Readonly<Record<string, string>>, name = "fleet/edge"): WantedBranch {
    const digest = JSON.stringify(files);
    return { name, digest, files: () => new Map(Object.entries(files)), message: "join: it\n", title: "t", body: "b" };
  }

  const branches = async (): Promise<readonly string[]> =>
    (await repository.git("for-each-ref", "--format=%(refname:short)", "refs/heads/rollcall")).trim().split("\n");
  const added = async (branch: string): Promise<string> =>
    (await repository.git("diff", "--name-only", `main...${branch}`)).trim();

  it("makes a branch, writes it once, and deletes it when it is not wanted", async () => {
    const sync = open();
    const wanted = [want({ "a.yaml": "1" })];
    expect(await sync(wanted)).toEqual({ branches: [plain], states: ["Proposed"] });
    const head = await repository.head(plain);
    await sync(wanted);
    expect(await repository.head(plain)).toBe(head);
    expect(await sync([])).toEqual({ branches: [], states: [] });
    expect(await branches()).toEqual([""]);
  });

  it("deletes a branch of an earlier process that is not wanted, and keeps it when a person worked on it", async () => {
    await open()([want({ "a.yaml": "1" }), want({ "b.yaml": "1" }, "fleet/other")]);
    await repository.commit({ branch: plain, files: { "mine.yaml": "1" } });
    await open()([]);
    expect(await branches()).toEqual([plain]);
  });

  it.each(otherOwners)("neither writes nor deletes a branch of another $reason", async ({ other }) => {
    const syncOther = open({}, other);
    await syncOther([want({ "theirs.yaml": "1" })]);
    const head = await repository.head(plain);
    await open()([], ["fleet/edge"]);
    expect(await repository.head(plain)).toBe(head);

    const sync = open();
    const kept = await sync([want({ "ours.yaml": "1" })]);
    expect(await repository.head(plain)).toBe(head);
    const [own = ""] = kept.branches;
    expect(own).toMatch(/^rollcall\/join\/fleet\/edge_[0-9a-f]{12}$/u);
    expect([await added(plain), await added(own)]).toEqual(["theirs.yaml", "ours.yaml"]);

    await syncOther([]);
    expect(await branches()).toEqual([own]);
    expect((await open()([want({ "ours.yaml": "1", "more.yaml": "1" })])).branches).toEqual([own]);
    await sync([]);
    expect(await open()([])).toEqual({ branches: [], states: [] });
    expect(await branches()).toEqual([""]);
  });

  it("leaves a merged branch of another hub to that hub", async () => {
    await open({}, { ...owner, hubId: "hub-2" })([want({ "theirs.yaml": "1" })]);
    await repository.git("update-ref", "refs/heads/main", plain);
    await open()([]);
    expect(await branches()).toEqual([plain]);
  });

  it("continues with a branch of an earlier version, which names no owner, and deletes it only under an own name", async () => {
    const message = "join: let a in\n";
    const by = { name: "Rollcall", email: "rollcall@rollcall.dev" };
    const parent = (await git.fetchHead("main")) ?? "";
    const changes = new Map([["a.yaml", "1"]]);
    await git.commitAndPush({
      branch: plain,
      parent,
      isNewBranch: true,
      changes,
      message,
      author: by,
      committedAtMs: 0,
    });
    await open()([]);
    expect(await branches()).toEqual([plain]);
    await repository.git("branch", "rollcall/join/fleet/gone", plain);
    await open()([], ["fleet/gone"]);
    expect(await branches()).toEqual([plain]);
    expect((await open()([want({ "a.yaml": "1", "b.yaml": "1" })])).branches).toEqual([plain]);
    expect(await added(plain)).toBe("a.yaml\nb.yaml");
    await open()([], ["fleet/edge"]);
    expect(await branches()).toEqual([""]);
  });

  it("lets branches of a workspace wait beyond the bound", async () => {
    const sync = open({ openAtMost: 1 });
    const wanted = [want({ "a.yaml": "1" }), want({ "b.yaml": "1" }, "fleet/b"), want({ "c.yaml": "1" }, "west/c")];
    expect((await sync(wanted)).states).toEqual(["Proposed", "Waiting", "Proposed"]);
    expect(await branches()).toEqual([plain, "rollcall/join/west/c"]);
  });

  it("does not make a branch again that a person deleted, until it is made from something else", async () => {
    const sync = open();
    await sync([want({ "a.yaml": "1" })]);
    await repository.git("update-ref", "-d", `refs/heads/${plain}`);
    await repository.commit({ files: { "main.yaml": "2" } });
    expect(await sync([want({ "a.yaml": "1" })])).toEqual({ branches: [], states: ["Declined"] });
    expect((await sync([want({ "a.yaml": "2" })])).states).toEqual(["Proposed"]);
  });

  it.each([
    { areEditsKept: true, left: [plain] },
    { areEditsKept: false, left: [""] },
  ])(
    "ends a change that is not wanted: $areEditsKept leaves $left, and it is deleted when it is merged",
    async (rules) => {
      await open(rules)([want({ "main.yaml": "2" })]);
      await repository.commit({ files: { "else.yaml": "1" } });
      const sync = open(rules);
      await sync([]);
      expect(await branches()).toEqual(rules.left);
      await repository.commit({ files: { "main.yaml": "2" } });
      await sync([]);
      expect(await branches()).toEqual([""]);
    },
  );

  it("makes a branch again that was not wanted for a while, and one that is wanted for the first time later", async () => {
    const sync = open();
    const wanted = [want({ "a.yaml": "1" })];
    for (let round = 0; round < 2; round += 1) {
      expect((await sync([])).states).toEqual([]);
      expect(await sync(wanted)).toEqual({ branches: [plain], states: ["Proposed"] });
    }
  });

  it("keeps the branch of an earlier process as it is when the followed branch moves", async () => {
    await open()([want({ "a.yaml": "1" })]);
    const head = await repository.head(plain);
    await repository.commit({ files: { "main.yaml": "2" } });
    expect((await open()([want({ "a.yaml": "1" })])).branches).toEqual([plain]);
    expect(await repository.head(plain)).toBe(head);
  });

  it.each([
    { isUpdated: true, content: "2" },
    { isUpdated: false, content: "1" },
  ])("gives a file that is wanted with a new content that one only with isUpdated: $isUpdated", async (each) => {
    await open()([want({ "a.yaml": "1" })]);
    await open(each.isUpdated ? { isUpdated: true } : {})([want({ "a.yaml": "2" })]);
    expect(await repository.git("show", `${plain}:a.yaml`)).toBe(each.content);
  });

  it("lets a branch wait that would change nothing", async () => {
    expect(await open()([want({})])).toEqual({ branches: [], states: ["Waiting"] });
  });

  it("still has a branch that is not wanted when a person works on it", async () => {
    const sync = open();
    await sync([want({ "a.yaml": "1" })]);
    await repository.commit({ branch: plain, files: { "mine.yaml": "1" } });
    expect((await sync([])).branches).toEqual([plain]);
  });

  it("deletes a change that is not wanted once the followed branch has it, beside a branch of another hub", async () => {
    await open({}, { ...owner, hubId: "hub-2" })([want({ "theirs.yaml": "1" }, "fleet/theirs")]);
    const sync = open({ areEditsKept: true });
    await sync([want({ "main.yaml": "2" })]);
    await sync([]);
    await repository.commit({ files: { "main.yaml": "2" } });
    await sync([]);
    expect(await branches()).toEqual(["rollcall/join/fleet/theirs"]);
  });

  it("leaves branches of another prefix alone", async () => {
    await open({ prefix: "rollcall/hub/" })([want({ "a.yaml": "1" })]);
    await open()([]);
    expect(await branches()).toEqual(["rollcall/hub/fleet/edge"]);
  });

  it("asks for branches no more when there are none of its own and none is wanted", async () => {
    await open({}, { ...owner, hubId: "hub-2" })([want({ "theirs.yaml": "1" })]);
    let asked = 0;
    const counted: GitEngine = Object.create(git, {
      listBranches: {
        value: (signal: AbortSignal) => {
          asked += 1;
          return git.listBranches(signal);
        },
      },
    }) as GitEngine;
    const keeper = new BranchKeeper(counted, { prefix: "rollcall/join/" });
    for (const nowMs of [0, 1, 2]) {
      // The followed branch moves.
      const source = await repository.commit({ files: { "main.yaml": `${nowMs}` } });
      await keeper.sync([], { source, owner, nowMs, signal: new AbortController().signal });
    }
    expect(asked).toBe(1);
  });

  it("names a branch so that git takes it", async () => {
    expect((await open()([want({ "a.yaml": "1" }, "fleet/a.lock")])).branches).toEqual(["rollcall/join/fleet/a.lock_"]);
  });
});
