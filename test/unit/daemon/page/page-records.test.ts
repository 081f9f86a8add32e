import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { PageRecords } from "../../../../src/daemon/page/page-records.ts";
import type { GitEngine } from "../../../../src/git/git.ts";
import { realClock } from "../../../../src/system/real-clock.ts";
import type { TestRepository } from "../../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../../support/git-repositories.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { openLocalEngine } from "../../../support/local-engine.ts";

const startSeconds = 1_800_000_000;

describe("the history of a status branch", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let remote: TestRepository;
  let git: GitEngine;
  let source: string;
  const ids: string[] = [];

  const record = (files: Readonly<Record<string, string | null>>): Promise<string> =>
    remote.commit({
      branch: "rollcall/status",
      files,
      message: `status: commit ${ids.length} [skip ci]\n\nRollcall-Source-Commit: ${source}\n`,
      committedAtSeconds: startSeconds + ids.length * 600,
    });
  const reader = (repository: object = {}, clock = realClock): PageRecords =>
    new PageRecords({
      git,
      clock,
      repository: () => ({ spec: { url: remote.path }, ...repository }) as never,
      readSource: (id) => git.readCommit(id),
    });

  beforeAll(async () => {
    folder = await makeTempFolder();
    remote = await createRepository(join(folder.path, "fleet.git"));
    source = await remote.commit({ files: { "a.yaml": "a" }, message: "Add a cluster" });
    git = await openLocalEngine(remote.path, join(folder.path, "cache"));
    for (const files of [
      { ...clusterFile("one", "a", {}), ...clusterFile("two", "b", {}), ...summaryFile({ Declared: 2 }) },
      { ...clusterFile("one", "a", ready({})), ...summaryFile({ Declared: 1, Ready: 1 }) },
      { ...clusterFile("two", "b", ready({})), ...summaryFile({ Ready: 2 }) },
      { ...clusterFile("one", "a", ready({ credentialNumber: 2 })) },
      { ...clusterFile("one", "a", lost), ...summaryFile({ Ready: 1, Unresponsive: 1 }) },
      { "clusters/one/a.yaml": null, "clusters/two/c.yaml": "- [not a record", "README.md": "x" },
    ])
      ids.push(await record(files));
  });
  afterAll(async () => {
    await git.close();
    await folder.remove();
  });

  it("is a list of commits, the newest first, each with the source commit that it has worked in", async () => {
    const { commits, isCut } = await reader().list();
    expect(commits.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(commits[0]).toMatchObject({ subject: "status: commit 5", source: { id: source } });
    expect(isCut).toBe(false);
  });

  it("shows the life of one cluster, the newest entry first, with who made the source commit", async () => {
    const { entries } = await reader().timeline("one", "a");
    expect(entries.map(({ changes }) => changes.map(({ kind }) => kind).join(" "))).toEqual([
      "Removed",
      "State",
      "Credential",
      "State Joined Credential Agent Kubernetes",
      "Added State",
    ]);
    expect(entries[1]).toMatchObject({
      time: new Date((startSeconds + 4 * 600) * 1000).toISOString(),
      commit: { id: ids[4], source: { subject: "Add a cluster", author: "Test" } },
      changes: [{ phase: "Unresponsive", state: "unknown" }],
    });
  });

  it("has the fleet as it was at a commit, and what changed since another", async () => {
    const at = ids[4] ?? "";
    const then = await reader().fleetAt({ at, from: ids[0] }, () => true);
    expect(then?.states).toEqual([
      { phase: "Ready", state: "ready", count: 1 },
      { phase: "Unresponsive", state: "unknown", count: 1 },
    ]);
    expect(then?.clusters.map(({ workspace, name, state }) => `${workspace}/${name} ${state}`)).toEqual([
      "one/a unknown",
      "two/b ready",
    ]);
    const alone = await reader().fleetAt({ at, from: undefined }, () => true);
    expect(alone?.clusters.map(({ name }) => name)).toEqual(["a"]);
  });

  it("A37 reads and counts no cluster of a workspace that the viewer does not see", async () => {
    const then = await reader().fleetAt({ at: ids[2] ?? "", from: ids[0] }, (workspace) => workspace === "two");
    expect(then?.clusters.map(({ name }) => name)).toEqual(["b"]);
    expect(then?.clusterCount).toBe(1);
  });

  it("gives no commit that is not on the status branch", async () => {
    expect(await reader().fleetAt({ at: source, from: undefined }, () => true)).toBeUndefined();
    expect(await reader().fleetAt({ at: ids[2] ?? "", from: source }, () => true)).toBeUndefined();
  });

  it("shows no change for a file that is no record", async () => {
    expect(await reader().timeline("two", "c")).toEqual({ entries: [], isCut: false });
  });

  it("is empty where nothing is recorded", async () => {
    const spec = { url: remote.path, writeBack: { branch: "elsewhere" } };
    expect(await reader({ spec }).list()).toEqual({ commits: [], isCut: false });
  });

  it("continues behind a new beginning of the branch, which changed no cluster", async () => {
    const branch = "squashed";
    const past = { branch: `${branch}-past`, from: ids.at(-1) ?? null, message: "status: before\n" };
    const before = await remote.commit({ ...past, files: clusterFile("one", "a", lost) });
    const files = { ...clusterFile("one", "a", lost), ...clusterFile("one", "d", {}) };
    const message = `status: begins [skip ci]\n\nRollcall-Continues: ${before}\n`;
    const root = await remote.commit({ branch, from: null, files, message });
    const head = await remote.commit({ branch, files: clusterFile("one", "a", ready({})), message: "status: after\n" });
    const records = reader({ spec: { url: remote.path, writeBack: { branch, history: 30 } } });
    const { commits } = await records.list();
    expect(commits.slice(0, 3).map(({ id }) => id)).toEqual([head, root, before]);
    expect(commits).toHaveLength(3 + ids.length);
    const { entries } = await records.timeline("one", "a");
    expect(entries.map(({ commit }) => commit?.id).slice(0, 2)).toEqual([head, before]);
    const then = await records.fleetAt({ at: root, from: undefined }, () => true);
    expect(then?.clusters.map(({ name }) => name)).toContain("d");
  });

  it("reads only the commits that came since it was read", async () => {
    const clock = createManualClock();
    const records = reader({}, clock);
    await records.list();
    const newest = await record({ ...clusterFile("two", "b", lost) });
    await clock.advance(6_000);
    const { commits } = await records.list();
    expect(commits.map(({ id }) => id)).toEqual([newest, ...ids.toReversed()]);
  });
});

const ready = (more: object): object => ({
  join: { time: "2026-03-01T00:00:00Z", token: "stores" },
  agent: { version: "1.0.0" },
  kubernetesVersion: "v1.34.2",
  credentialNumber: 1,
  conditions: [{ type: "Ready", status: "True", reason: "Ready", message: "It is ready." }],
  ...more,
});
const lost = ready({
  credentialNumber: 2,
  conditions: [
    { type: "Ready", status: "False", reason: "HeartbeatMissed", message: "The agent has missed 3 heartbeats." },
    { type: "Healthy", status: "Unknown", reason: "HeartbeatMissed", message: "" },
  ],
});

function clusterFile(workspace: string, name: string, more: object): Record<string, string> {
  const record = { kind: "ClusterRecord", metadata: { name, namespace: workspace }, protocol: "rollcall", ...more };
  return { [`clusters/${workspace}/${name}.yaml`]: stringify({ apiVersion: "rollcall.dev/v1alpha1", ...record }) };
}

function summaryFile(byState: Readonly<Record<string, number>>): Record<string, string> {
  return { "summary.yaml": stringify({ kind: "FleetSummary", counts: { byState } }) };
}
