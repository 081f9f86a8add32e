import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realRandom } from "../../../src/system/real-clock.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { Forge, ForgeProvider } from "../../../src/forge/forge.ts";
import { openForge } from "../../../src/forge/open-forge.ts";
import { readPlanMarker } from "../../../src/forge/plan-comment.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { desiredObjects } from "../../../src/planning/desired-objects.ts";
import type { Observed } from "../../../src/planning/observed.ts";
import { observedFromRecords } from "../../../src/planning/observed-from-records.ts";
import { createRepositoryPlanner } from "../../../src/review/review.ts";
import { filesInForce, readSource } from "../../../src/review/read-source.ts";
import type { MainBranch } from "../../../src/reconcile/review-pull-requests.ts";
import { PullRequestReviewer } from "../../../src/reconcile/review-pull-requests.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import type { ForgeServer } from "../../support/forge/forge-server.ts";
import { forgeToken } from "../../support/forge/forge-state.ts";
import type { FakePull } from "../../support/forge/forge-state.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const providers: ForgeProvider[] = ["GitHub", "GitLab", "Gitea", "Forgejo"];

describe.each(providers)("what the daemon writes on pull requests of %s", (provider) => {
  let server: ForgeServer;
  let forge: Forge;
  let folder: { path: string; remove: () => Promise<void> };
  let repository: TestRepository;
  let git: GitEngine;
  let hub: Observed;
  let reviewer: PullRequestReviewer;
  let clock: ManualClock;
  let hubChanges: number;

  beforeEach(async () => {
    server = await startForgeServer(provider);
    clock = createManualClock();
    hubChanges = 0;
    forge = openForge({ provider, repositoryUrl: server.repositoryUrl, token: forgeToken, clock });
    folder = await makeTempFolder();
    repository = await createRepository(join(folder.path, "fleet.git"));
    const url = repository.path;
    git = await openGitEngine({ url, cacheDir: `${url}.cache`, isLocalAllowed: true, clock, random: realRandom });
    reviewer = makeReviewer();
    const files = Object.fromEntries(["eu-1", "eu-2", "eu-3"].map((name) => [`${name}.yaml`, clusterFile(name)]));
    await repository.commit({ files });
  });
  afterEach(async () => {
    await forge.close();
    await server.stop();
    await git.close();
    await folder.remove();
  });

  const signal = new AbortController().signal;
  const failure = provider === "GitLab" ? "failed" : "failure";
  const fleet = (): Repository => ({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { name: "fleet", namespace: "rollcall-system" },
    spec: { url: server.repositoryUrl, forge: { provider }, defaultWorkspace: "fleet" },
  });
  const checkFleet = fleetChecker("rollcall-system");

  const observed: Observed = {
    isComplete: true,
    get: (ref) => hub.get(ref),
    list: (type) => hub.list(type),
    isWorkspace: () => true,
  };

  function makeReviewer(told = forge): PullRequestReviewer {
    return new PullRequestReviewer({
      git,
      planner: createRepositoryPlanner({
        git,
        source: sourceOptions(fleet),
        checkFleet,
        observed,
        rememberedLabels: () => undefined,
        nowMs: () => clock.nowMs(),
      }),
      observed,
      openForge: async () => told,
      monotonicMs: () => clock.monotonicMs(),
      hubChanges: () => hubChanges,
      log: silentLog,
    });
  }

  /** The main branch as the daemon has read it, and a hub that has what it declares. */
  async function readMain(): Promise<MainBranch> {
    const head = (await git.fetchHead("main")) ?? "";
    const snapshot = await readSource(head, undefined, undefined, { git, ...sourceOptions(fleet) });
    const { fleet: declared, problems } = checkFleet(filesInForce(snapshot), fleet());
    const repositoryLabel = "rollcall-system.fleet";
    const desired = desiredObjects(declared, { repositoryLabel, rememberedLabels: () => undefined }).objects;
    hub = observedFromRecords({ desired, clusters: [], tokens: [], repositoryLabel, isAllThere: true });
    return { repository: { ...fleet(), status: { appliedCommit: head } }, snapshot, problems };
  }

  async function openPull(number: number, files: Record<string, string | null>, more: Partial<FakePull> = {}) {
    const head = `change-${number}`;
    const from = await repository.head("main");
    const headCommit = await repository.commit({ branch: head, files, ...(from ? { from } : {}) });
    noteHead(number, { head, headCommit, ...more });
    return headCommit;
  }

  function noteHead(number: number, change: Partial<FakePull>): void {
    const before = server.state.pulls.find((pull) => pull.number === number);
    const made: FakePull = {
      number,
      title: "Change the fleet",
      body: "",
      head: "",
      headCommit: "",
      base: "main",
      isOpen: true,
      isDraft: false,
      headRepositoryId: 1,
      ...before,
      ...change,
    };
    server.state.pulls = [...server.state.pulls.filter((pull) => pull.number !== number), made];
    server.state.commits.push(made.headCommit);
  }

  const commentsOf = (number: number): string[] =>
    server.state.comments.filter(({ pull }) => pull === number).map(({ body }) => body);
  const statusesOf = (commit: string): string[] => {
    const newest = new Map<string, string>();
    for (const { commit: of, context, state, description } of server.state.statuses)
      if (of === commit) newest.set(context, `${context}: ${state}: ${description}`);
    return [...newest.values()].sort();
  };
  const writes = (): number => server.lines().filter((line) => !line.startsWith("GET")).length;

  it("is the plan of the merge in one comment, and two statuses of the newest commit", async () => {
    const head = await openPull(1, { "eu-1.yaml": null, "eu-4.yaml": clusterFile("eu-4") });
    const main = await readMain();
    expect(await reviewer.review(main, signal)).toBeUndefined();
    expect(commentsOf(1)).toHaveLength(1);
    expect(readPlanMarker(commentsOf(1)[0] ?? "")).toEqual({
      repository: "rollcall-system.fleet",
      base: main.snapshot.commit.id,
      head,
      isVoid: false,
    });
    expect(commentsOf(1)[0]).toContain("This removes 1 cluster");
    expect(statusesOf(head)).toEqual([
      "rollcall/rollcall-system.fleet/validation: success: No errors",
      "rollcall/rollcall-system.fleet: success: Plan: removes 1 cluster; creates 1 cluster",
    ]);
    const made = writes();
    await reviewer.review(main, signal);
    expect(writes()).toBe(made);
    // A daemon that was started anew reads what is there, and writes nothing.
    await makeReviewer().review(main, signal);
    expect(writes()).toBe(made);
  });

  it("A59 with an approval shows what a squash does to it, and shows it anew when the text of the request changes", async () => {
    server.state.pullCommits = ["First", "Second"].map((message) => ({ message, email: "a@example.com" }));
    server.state.repositorySettings = {
      squash_merge_commit_message: "PR_BODY",
      squash_commit_template: "%{title}\n\n%{description}",
    };
    const from = await repository.head("main");
    const headCommit = await repository.commit({
      branch: "change-1",
      files: { "eu-1.yaml": null, "eu-2.yaml": null },
      message: "Remove two\n\nRollcall-Allow-Deletions: 2\n",
      ...(from ? { from } : {}),
    });
    noteHead(1, { head: "change-1", headCommit });
    const main = await readMain();
    await reviewer.review(main, signal);
    expect(commentsOf(1)[0]).toContain("This removes 2 clusters");
    expect(commentsOf(1)[0]).toContain("A squash withholds the removals");
    noteHead(1, { body: "Both are meant.\n\nRollcall-Allow-Deletions: 2" });
    await reviewer.review(main, signal);
    expect(commentsOf(1)).toHaveLength(1);
    expect(commentsOf(1)[0]).toContain("A squash keeps an approval");
  });

  it("A59 whose removals are withheld is pending, and is released by a squash alone when only its text approves", async () => {
    server.state.pullCommits = ["First", "Second"].map((message) => ({ message, email: "a@example.com" }));
    server.state.repositorySettings = {
      squash_merge_commit_message: "PR_BODY",
      squash_commit_template: "%{title}\n\n%{description}",
    };
    const body = "Rollcall-Allow-Deletions: 2";
    const head = await openPull(1, { "eu-1.yaml": null, "eu-2.yaml": null }, { body });
    await reviewer.review(await readMain(), signal);
    expect(statusesOf(head)).toContain("rollcall/rollcall-system.fleet: pending: Plan: withholds 2 removals");
    expect(commentsOf(1)[0]).toContain("A squash releases what waits");
  });

  it("changes the comment in place when the branch moves, and refuses a wrong file", async () => {
    await openPull(1, { "eu-1.yaml": null });
    const main = await readMain();
    await reviewer.review(main, signal);
    const head = await repository.commit({
      branch: "change-1",
      files: { "eu-2.yaml": `${clusterFile("eu-2")}colour: red\n` },
    });
    noteHead(1, { headCommit: head });
    await reviewer.review(main, signal);
    expect(commentsOf(1)).toHaveLength(1);
    expect(commentsOf(1)[0]).toContain('unknown field "colour"');
    expect(statusesOf(head)).toEqual([
      `rollcall/rollcall-system.fleet/validation: ${failure}: 1 error in files`,
      `rollcall/rollcall-system.fleet: ${failure}: Plan: removes 1 cluster; 1 error in files`,
    ]);
  });

  it("renews the comment when the hub changed, five minutes after the last plan, if the plan is different", async () => {
    await openPull(1, { "prod.yaml": groupFile("prod", { env: "prod" }) });
    const main = await readMain();
    /** Lets time pass and reviews; resolves with when the next review is due, and the requests to the forge. */
    const look = async (afterMs: number): Promise<{ againInMs: number | undefined; calls: string[] }> => {
      await clock.advance(afterMs);
      const before = server.lines().length;
      const againInMs = await reviewer.review(main, signal);
      return { againInMs, calls: server.lines().slice(before) };
    };
    await look(0);
    expect(commentsOf(1)[0]).not.toContain("Selectors");
    const list = { againInMs: undefined, calls: [expect.stringMatching(/^GET .*(?:pulls|merge_requests)/u)] };
    expect(await look(60_000)).toEqual(list);
    hub = withLabel(hub, "eu-1", "prod");
    hubChanges += 1;
    expect(await look(60_000)).toEqual({ ...list, againInMs: 180_000 });
    expect(await look(179_000)).toEqual({ ...list, againInMs: 1000 });
    const renewed = await look(1000);
    expect(renewed.againInMs).toBeUndefined();
    const write = provider === "GitLab" ? "PUT" : "PATCH";
    // The list, the comments, who is asking (once), and one write.
    expect(renewed.calls.map((line) => line.split(" ")[0])).toEqual(["GET", "GET", "GET", write]);
    expect(commentsOf(1)).toHaveLength(1);
    expect(commentsOf(1)[0]).toContain("eu&#45;1");
    // It changes back and forth: the comment changes every five minutes at most.
    hub = withLabel(hub, "eu-2", "prod");
    hubChanges += 1;
    expect(await look(1000)).toEqual({ ...list, againInMs: 299_000 });
    hub = withLabel(hub, "eu-2", undefined);
    hubChanges += 1;
    // The comment matches the hub.
    expect(await look(299_000)).toEqual(list);
    expect(await look(3_600_000)).toEqual(list);
    // A new pull request does not wait.
    await openPull(2, { "eu-1.yaml": null });
    expect((await look(0)).calls.length).toBeGreaterThan(1);
    expect(commentsOf(2)).toHaveLength(1);
  });

  it("blames no branch for what was wrong before it", async () => {
    await repository.commit({ files: { "eu-3.yaml": `${clusterFile("eu-3")}colour: red\n` } });
    const head = await openPull(1, { "eu-4.yaml": clusterFile("eu-4") });
    await reviewer.review(await readMain(), signal);
    expect(statusesOf(head)[0]).toBe("rollcall/rollcall-system.fleet/validation: success: No errors");
    expect(commentsOf(1)[0]).toContain("1 of the errors below was there before this branch");
  });

  it("plans anew when the main branch moves, and only what the branch itself changes", async () => {
    await openPull(1, { "eu-1.yaml": null });
    await reviewer.review(await readMain(), signal);
    await repository.commit({ files: { "eu-2.yaml": null, "eu-5.yaml": clusterFile("eu-5") } });
    const main = await readMain();
    await reviewer.review(main, signal);
    expect(commentsOf(1)).toHaveLength(1);
    expect(readPlanMarker(commentsOf(1)[0] ?? "")).toMatchObject({ base: main.snapshot.commit.id, isVoid: false });
    expect(commentsOf(1)[0]).toContain("Rollcall plan: removes 1 cluster\n");
  });

  it("takes what was merged into the branch as the main branch's own, and names what both changed", async () => {
    const own = await openPull(1, { "eu-1.yaml": clusterFile("eu-1", "ours") });
    const between = await repository.commit({ files: { "eu-2.yaml": clusterFile("eu-2", "first") } });
    const merged = await repository.commit({
      branch: "change-1",
      from: own,
      merge: [between],
      files: { "eu-2.yaml": clusterFile("eu-2", "first") },
    });
    noteHead(1, { headCommit: merged });
    await repository.commit({
      files: { "eu-2.yaml": clusterFile("eu-2", "second"), "eu-1.yaml": clusterFile("eu-1", "theirs") },
    });
    await reviewer.review(await readMain(), signal);
    const [comment = ""] = commentsOf(1);
    expect(comment).toContain("Rollcall plan: changes 1 cluster\n");
    expect(comment).toContain("changed eu-1.yaml since they parted");
    expect(comment).not.toMatch(/eu(?:-|&#45;)2/u);
  });

  it("A43 leaves pull requests from forks alone", async () => {
    const head = await openPull(1, { "eu-1.yaml": null }, { headRepositoryId: 2 });
    await reviewer.review(await readMain(), signal);
    expect(commentsOf(1)).toEqual([]);
    expect(statusesOf(head)).toEqual([]);
  });

  // Other forges have no such pull requests.
  it.skipIf(provider === "GitHub" || provider === "GitLab")(
    "A156 plans a pull request at once among those that strangers push to refs/for, which have no branch",
    async () => {
      for (let number = 1; number <= 12; number += 1) {
        noteHead(number, { head: `refs/pull/${number}/head`, headCommit: String(number).repeat(40).slice(0, 40) });
      }
      await openPull(20, { "eu-1.yaml": null });
      expect(await reviewer.review(await readMain(), signal)).toBeUndefined();
      expect(commentsOf(20)).toHaveLength(1);
      const calls = server.lines().filter((line) => /(?:pulls|issues)\/(?:\d|1[0-2])\b/u.test(line));
      expect(calls).toEqual([]);
    },
  );

  it("continues with the others when the forge refuses the comment on one", async () => {
    await openPull(1, { "eu-1.yaml": null });
    await openPull(2, { "eu-2.yaml": null });
    const main = await readMain();
    const locked: Forge = {
      ...forge,
      writePlanComment: async (comment, stop) => {
        if (comment.pullRequest === 1) throw new AppError("E_FORGE_FORBIDDEN", "write a comment: it is locked");
        return forge.writePlanComment(comment, stop);
      },
    };
    await makeReviewer(locked).review(main, signal);
    expect(commentsOf(1)).toEqual([]);
    expect(commentsOf(2)).toHaveLength(1);
  });

  it("marks as void what its turn has not come for, and plans it in the next round", async () => {
    for (let number = 1; number <= 12; number++)
      await openPull(number, { [`new-${number}.yaml`]: clusterFile(`new-${number}`) });
    const first = await readMain();
    expect(await reviewer.review(first, signal)).toBeGreaterThan(0);
    expect(await reviewer.review(first, signal)).toBeUndefined();
    expect(server.state.comments).toHaveLength(12);
    await repository.commit({ files: { "eu-2.yaml": null } });
    const second = await readMain();
    expect(await reviewer.review(second, signal)).toBeGreaterThan(0);
    const marks = (): (boolean | undefined)[] => server.state.comments.map(({ body }) => readPlanMarker(body)?.isVoid);
    expect(marks().filter((isVoid) => isVoid === true)).toHaveLength(2);
    expect(await reviewer.review(second, signal)).toBeUndefined();
    expect(marks().filter((isVoid) => isVoid === true)).toHaveLength(0);
    expect(server.state.comments).toHaveLength(12);
  });
});

function clusterFile(name: string, displayName = name): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\nspec: {displayName: ${displayName}}\n`;
}

function groupFile(name: string, labels: Record<string, string>): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: ClusterGroup\nmetadata: {name: ${name}, namespace: fleet}\nspec: {selector: {matchLabels: ${JSON.stringify(labels)}}}\n`;
}

/** The hub with a label of a cluster that its agent brought, or without it. */
function withLabel(hub: Observed, name: string, env: string | undefined): Observed {
  return {
    ...hub,
    list: (type) =>
      hub.list(type).map((object) => {
        const { metadata } = object;
        const { env: _before, ...labels } = metadata.labels ?? {};
        if (metadata.name !== name) return object;
        return { ...object, metadata: { ...metadata, labels: { ...labels, ...(env === undefined ? {} : { env }) } } };
      }),
  };
}
