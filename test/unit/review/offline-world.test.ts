import { describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ParsedFile } from "../../../src/model/source.ts";
import type { Observed } from "../../../src/planning/observed.ts";
import { openWorld } from "../../../src/review/offline-world.ts";
import type { RecordedFleet } from "../../../src/review/read-status-branch.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

const text =
  "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a, namespace: fleet}\nspec: {displayName: A}\n";
const repository: Repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "system" },
  spec: { url: "memory", workspaces: ["fleet"] },
};

function createWorld(cache?: Parameters<typeof openWorld>[2], { records, isBased = true }: Known = {}) {
  const git = createMemoryGit();
  const commit = git.commit({ "a.yaml": text, "c.yaml": text.replace("name: a", "name: c") }, "start\n");
  const base = isBased ? commit : undefined;
  return { commit, world: openWorld({ git, records, base, nowMs: 0 }, repository, cache) };
}

interface Known {
  readonly records?: RecordedFleet;
  readonly isBased?: boolean;
}

/** Records of Cluster `name`, whose label `site` came with its token. */
function recordsOf(name: string, settings: object = {}): RecordedFleet {
  const labels = { site: { value: "x", owner: "Token" } };
  return {
    ...{ commit: "s", committedAtMs: 0, tokens: [], summary: { repository: settings } as never },
    clusters: [{ metadata: { name, namespace: "fleet" }, spec: {}, labels } as never],
  };
}

async function observe({ commit, world }: ReturnType<typeof createWorld>) {
  return world.observe((await world.reader.check(repository, await world.reader.read(repository, commit))).fleet);
}

const namesOf = (observed: Observed): string[] =>
  observed.list(resourceTypes.cluster).map(({ metadata }) => metadata.name);

describe("openWorld", () => {
  it("observes what the files of the base declare, in the workspaces of the Repository", async () => {
    const created = createWorld();
    const observed = await observe(created);
    expect(namesOf(observed)).toEqual(["a", "c"]);
    expect([observed.isWorkspace("fleet"), observed.isWorkspace("other")]).toEqual([true, false]);
    expect(namesOf(created.world.observe(undefined))).toEqual([]);
  });

  it.each([
    [true, ["a", "c"]],
    [false, ["a"]],
  ])("observes what has no record only where a base is named: %s", async (isBased, names) => {
    expect(namesOf(await observe(createWorld(undefined, { records: recordsOf("a"), isBased })))).toEqual(names);
  });

  it("observes as workspaces only those on record", async () => {
    const observed = await observe(createWorld(undefined, { records: recordsOf("a", { knownWorkspaces: ["eu"] }) }));
    expect([observed.isWorkspace("fleet"), observed.isWorkspace("eu")]).toEqual([false, false]);
    const known = await observe(createWorld(undefined, { records: recordsOf("a", { knownWorkspaces: ["fleet"] }) }));
    expect(known.isWorkspace("fleet")).toBe(true);
  });

  it("plans the label of a rule that selects a cluster by the label which its token gave it", async () => {
    const git = createMemoryGit();
    const rule =
      "apiVersion: rollcall.dev/v1alpha1\nkind: ClusterLabels\nmetadata: {name: r, namespace: fleet}\nspec: {selector: {matchLabels: {site: x}}, labels: {env: prod}}\n";
    const head = git.commit({ "a.yaml": text, "c.yaml": text.replace("name: a", "name: c"), "r.yaml": rule }, "r\n");
    const world = openWorld({ git, records: recordsOf("a"), base: head, nowMs: 0 }, repository);
    const observed = await observe({ commit: head, world });
    const planner = world.plannerOf(observed);
    const { plan } = await planner.plan(repository, await planner.read(repository, head));
    expect(
      plan.changes.map(({ kind, ref, ...change }) => [kind, ref.name, "fields" in change && change.fields]),
    ).toEqual([["update", "a", [{ path: "metadata.labels[env]", from: undefined, to: "prod" }]]]);
  });

  it("counts removals by the time of the plan", async () => {
    const hour = "1970-01-01T00:00:00Z";
    const counted: Repository = {
      ...repository,
      status: { deletions: { count: 2, hours: [{ hour, count: 2 }], last: [] } },
    };
    const { commit, world } = createWorld();
    const planner = world.plannerOf(await observe({ commit, world }));
    const { plan } = await planner.plan(counted, await planner.read(counted, commit));
    expect(plan.budget.recent).toBe(2);
  });

  it("parses a file once when results of parsing are kept", async () => {
    const kept = new Map<string, ParsedFile>();
    const cache = {
      recall: (_path: string, blobId: string) => kept.get(blobId),
      keep: (file: ParsedFile) => void kept.set(file.blobId, file),
    };
    const { commit, world } = createWorld(cache);
    expect((await world.reader.read(repository, commit)).parsedCount).toBe(2);
    expect((await world.reader.read(repository, commit)).parsedCount).toBe(0);
    expect((await createWorld().world.reader.read(repository, commit)).parsedCount).toBe(2);
  });
});
