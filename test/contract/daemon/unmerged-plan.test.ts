import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUnmergedPlanner, defaultUnmergedLimits } from "../../../src/daemon/unmerged/unmerged-planner.ts";
import type { UnmergedLimits } from "../../../src/daemon/unmerged/unmerged-planner.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import type { MergeInputs } from "../../../src/review/plan-merge.ts";
import { planMerge } from "../../../src/review/plan-merge.ts";
import { readSource } from "../../../src/review/read-source.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { buildScript } from "../../support/build-script.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createRepository } from "../../support/git-repositories.ts";
import { turnsDuring } from "../../support/turns-during.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

const root = join(import.meta.dirname, "../../..");
let folder: string;
let entry: URL;
let repository: TestRepository;
let git: GitEngine;
let mainId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "unmerged-"));
  entry = pathToFileURL(await buildScript(join(root, "src/daemon/unmerged/plan-worker.ts"), folder));
  repository = await createRepository(join(folder, "fleet.git"));
  git = await openLocalEngine(repository.path, join(folder, "git"));
  mainId = await repository.commit({ files: { "a.yaml": cluster("a") } });
  await git.fetchHead("main");
});
afterAll(async () => {
  await git.close();
  await rm(folder, { recursive: true, force: true });
});

const document = (kind: string, name: string, spec: string): string =>
  `---\napiVersion: rollcall.dev/v1alpha1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${spec}`;
const cluster = (name: string): string => document("Cluster", name, "  labels:\n    env: test\n");
const fill = (piece: string): string => piece.repeat(Math.floor((255 * 1024) / piece.length));
const numbered = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join("");

/** A Repository's plan of a branch of these files, as the daemon asks for it. */
async function mergeOf(name: string, files: Readonly<Record<string, string>>): Promise<MergeInputs> {
  const head = await repository.commit({ branch: name, from: mainId, files });
  await git.fetchHead(name);
  const source = sourceOptions(() => undefined);
  const kind = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster" };
  const object = { ...kind, metadata: { name: "a", namespace: "fleet", uid: "1", resourceVersion: "1" } };
  return {
    git,
    source,
    repository: {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Repository",
      metadata: { name: "r" },
      spec: { url: "https://git.example/fleet", defaultWorkspace: "fleet" },
    },
    checkFleet: fleetChecker("rollcall"),
    observed: {
      isComplete: true,
      get: ({ type, name }) => (type === resourceTypes.cluster && name === "a" ? object : undefined),
      list: (type) => (type === resourceTypes.cluster ? [object] : []),
      isWorkspace: (namespace) => namespace === "fleet",
    },
    rememberedLabels: (_, name) => (name === "b" ? { agent: { zone: "x" } } : undefined),
    nowMs: 0,
    main: await readSource(mainId, undefined, undefined, { git, ...source }),
    head,
  };
}

const planIn = (limits: Partial<UnmergedLimits> = {}) =>
  createUnmergedPlanner({ entry, namespace: "rollcall", limits: { ...defaultUnmergedLimits, ...limits } });

const costly =
  "spec:\n  rules:\n" + "    - {expression: \"object.metadata.name.matches('(a*)*b')\", message: no}\n".repeat(20);
const bombs = {
  "problems.yaml": fill("---\n[\n"),
  "documents.yaml": numbered(3000, (index) => cluster(`c${index}`)),
  "again.yaml": numbered(3000, () => cluster("d")),
  "rules.yaml": numbered(500, (index) =>
    document("ClusterLabels", `l${index}`, `spec: {selector: {matchLabels: {env: test}}, labels: {k${index}: v}}\n`),
  ),
  "groups.yaml": numbered(800, (index) =>
    document("ClusterGroup", `g${index}`, `spec: {selector: {matchLabels: {env: test}}}\n`),
  ),
  "policy.yaml": document("Policy", "p", costly),
};

describe("A53 the plan of a branch that is not merged", () => {
  it("is the same in its thread, with types and sets as the main thread has them", async () => {
    const inputs = await mergeOf("small", { "b.yaml": cluster("b"), "bad.yaml": "kind: [" });
    const here = await planMerge(inputs);
    const there = await planIn()(inputs);
    expect(there).toEqual(here);
    expect(there.plan.changes.map(({ ref }) => ref.type)).toEqual(here.plan.changes.map(({ ref }) => ref.type));
    expect(there.plan.changes[0]?.ref.type).toBe(resourceTypes.cluster);
  });

  it("is made while the main thread keeps running, however costly it is", async () => {
    const inputs = await mergeOf("bombs", bombs);
    const before = performance.eventLoopUtilization();
    const { plan } = await planIn()(inputs);
    // A share, and no time: a plan that is made here leaves the main thread nothing of the time that it takes.
    const { utilization } = performance.eventLoopUtilization(before);
    expect(plan.problems.length).toBeGreaterThan(1);
    expect(utilization).toBeLessThan(0.5);
  });

  it.each([
    ["100 ms", { timeMs: 100 }],
    ["12 MiB of memory", { memoryMiB: 12 }],
  ])("is ended at %s, and reports it", async (limit, limits) => {
    const inputs = await mergeOf(`ended-${limit.slice(0, 2)}`, bombs);
    const { plan, fleet, commit } = await planIn(limits)(inputs);
    expect(plan.changes).toEqual([]);
    expect(fleet.clusters).toEqual([]);
    expect(commit.id).toBe(inputs.head);
    const message = `the branch was not planned: its plan takes more than ${limit}`;
    expect(plan.problems).toEqual([
      { code: "E_BRANCH_LIMIT", severity: "error", file: ".", line: 1, column: 1, message },
    ]);
  });

  it("reports too little memory as the cause where something else fails before its end", async () => {
    const script = join(folder, "fails-first.mjs");
    await writeFile(
      script,
      `import { parentPort } from "node:worker_threads";
      parentPort.postMessage({ id: 1, name: "failed", args: [{ message: "an answer cannot be read" }] });
      const held = [];
      parentPort.on("message", () => { for (;;) held.push(new Array(10_000).fill(0)); });`,
    );
    const planner = createUnmergedPlanner({
      entry: pathToFileURL(script),
      namespace: "rollcall",
      limits: { ...defaultUnmergedLimits, memoryMiB: 12 },
    });
    const { plan } = await planner(await mergeOf("fails-first", {}));
    expect(plan.problems.map(({ message }) => message)).toEqual([
      "the branch was not planned: its plan takes more than 12 MiB of memory",
    ]);
  });

  it.each([
    ["1000 bytes", { bytes: 1000 }],
    ["10 documents", { documents: 10 }],
  ])("reads files up to %s, and names those beyond", async (limit, limits) => {
    const files = { "1.yaml": numbered(20, (index) => cluster(`c${index}`)), "2.yaml": cluster("b") };
    const { plan } = await planIn(limits)(await mergeOf(`cut-${limit.slice(0, 2)}`, files));
    expect(plan.problems.map(({ code, message }) => ({ code, message }))).toContainEqual({
      code: "E_BRANCH_LIMIT",
      message: `the file was not read: the files of this branch take more than ${limit}`,
    });
  });
});

/** So many commits without a parent, and one that merges them all, which `git fast-import` makes without files. */
async function widen(branch: string, count: number): Promise<void> {
  const person = "committer a <a@example.com> 1800000000 +0000";
  const commit = (mark: number, rest: string): string =>
    `reset refs/heads/${branch}\ncommit refs/heads/${branch}\nmark :${mark}\n${person}\ndata ${String(mark).length}\n${mark}\n${rest}`;
  const roots = numbered(count, (index) => commit(index + 1, ""));
  const merges = numbered(count, (index) => `merge :${index + 1}\n`);
  await repository.gitWithInput(`${roots}${commit(count + 1, merges)}`, "fast-import", "--quiet", "--force");
}

describe("A105 the history of a branch that is not merged", () => {
  it("gives others their turn while its commits are read", async () => {
    await widen("wide", 10_000);
    const head = await git.fetchHead("wide");
    const { turns, outcome } = await turnsDuring(() =>
      git.listCommits({ from: mainId, to: head ?? "", limit: Infinity, isBrief: true }),
    );
    expect(outcome).toHaveLength(10_001);
    expect(turns).toBeGreaterThan(10);
  });

  it("ends its plan beyond 50,000 commits, and the plan reports it", async () => {
    const inputs = await mergeOf("long", { "b.yaml": cluster("b") });
    await widen("long", 20);
    const head = (await git.fetchHead("long")) ?? "";
    const { plan } = await planIn({ commits: 10 })({ ...inputs, head });
    expect(plan.changes).toEqual([]);
    expect(plan.problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      "E_BRANCH_LIMIT: the branch was not planned: its plan takes more than 10 commits",
    ]);
    expect(defaultUnmergedLimits.commits).toBe(50_000);
  });
});
