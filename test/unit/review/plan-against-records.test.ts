import { describe, expect, it } from "vitest";
import type { FleetSummary } from "../../../src/model/generated/fleet-summary.ts";
import type { HubWorkPlan } from "../../../src/model/plan.ts";
import type { OfflineInputs, RecordedWorld } from "../../../src/review/plan-against-records.ts";
import { planAgainstRecords } from "../../../src/review/plan-against-records.ts";
import type { RecordedFleet } from "../../../src/review/read-status-branch.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

const nowMs = Date.parse("2026-01-10T12:00:00Z");
const minuteMs = 60_000;
const filesOf = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [
      `${name}.yaml`,
      `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}, namespace: fleet}\n`,
    ]),
  );

/** A repository with two commits: of these files, and of those after a change. */
function open(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) {
  const git = createMemoryGit();
  const base = git.commit(before, "First\n");
  const head = git.commit(after, "Change\n");
  const recordsOf = (fields: Partial<FleetSummary> = {}, ageMs = 0): RecordedFleet => ({
    ...{ commit: "status", committedAtMs: nowMs - ageMs, clusters: [], tokens: [] },
    summary: { observedCommit: base, appliedCommit: base, settledCommit: base, ...fields } as FleetSummary,
  });
  const plan = (inputs: Partial<OfflineInputs>) =>
    planAgainstRecords({
      git,
      head,
      records: undefined,
      base: undefined,
      namespace: "system",
      name: "fleet",
      nowMs,
      ...inputs,
    });
  return { git, base, head, recordsOf, plan };
}

const repositoryOf = (fields: object): Partial<FleetSummary> => ({ repository: fields });

describe("planAgainstRecords", () => {
  it("has nothing to plan against without records and base", async () => {
    const { plan } = open({}, {});
    await expect(plan({})).rejects.toMatchObject({ code: "E_USAGE" });
  });

  it("compares with the base that is named, and states what is not known without a status branch", async () => {
    const { base, plan } = open(filesOf("a"), filesOf("a", "b"));
    const report = await plan({ base });
    expect(report.counts).toMatchObject({ create: 1 });
    expect(report.basis).toEqual({ source: "Records" });
    expect(report.notes).toEqual([
      expect.stringContaining("There is no status branch"),
      expect.stringContaining("It does not know which removals"),
      expect.stringContaining("It creates objects in: fleet."),
    ]);
  });

  it("names no workspaces where they are on record, or nothing is created", async () => {
    const { base, plan, recordsOf } = open(filesOf("a"), filesOf("a"));
    expect((await plan({ base })).notes.join(" ")).not.toContain("workspaces");
    const changed = open(filesOf("a"), { "a.yaml": `${filesOf("a")["a.yaml"]}spec: {paused: true}\n` });
    const { counts, notes } = await changed.plan({ base: changed.base });
    expect([counts.update, notes.join(" ")]).toEqual([1, expect.not.stringContaining("workspaces")]);
    const other = open({}, filesOf("a"));
    const records = other.recordsOf(repositoryOf({ knownWorkspaces: ["fleet"] }));
    expect((await other.plan({ records })).notes.join(" ")).not.toContain("workspaces");
    expect((await other.plan({ records: other.recordsOf() })).notes.join(" ")).toContain("objects in: fleet.");
    expect((await plan({ records: recordsOf() })).basis).toEqual({
      ...{ source: "Records", statusCommit: "status", time: "2026-01-10T12:00:00Z" },
    });
  });

  it.each([
    { ageMs: -minuteMs, text: "0 minutes before this plan." },
    { ageMs: minuteMs, text: "1 minute before this plan." },
    { ageMs: 15 * minuteMs, text: "15 minutes before this plan." },
    { ageMs: 16 * minuteMs, text: "16 minutes before this plan; what changed on the hub since" },
    { ageMs: 119 * minuteMs, text: "119 minutes before" },
    { ageMs: 120 * minuteMs, text: "2 hours before" },
    { ageMs: 47 * 60 * minuteMs, text: "47 hours before" },
    { ageMs: 48 * 60 * minuteMs, text: "2 days before" },
  ])("states that the records are as old: $text", async ({ ageMs, text }) => {
    const { plan, recordsOf } = open(filesOf("a"), filesOf("a"));
    expect((await plan({ records: recordsOf({}, ageMs) })).notes[0]).toContain(`was last written ${text}`);
  });

  it("states that the hub has not carried out what it read", async () => {
    const { base, plan, recordsOf } = open(filesOf("a"), filesOf("a"));
    const records = recordsOf({ appliedCommit: "earlier" });
    const text = "The hub has not carried out all of commit";
    expect((await plan({ records })).notes.join(" ")).toContain(text);
    expect((await plan({ records: recordsOf() })).notes.join(" ")).not.toContain(text);
    expect((await plan({ records, base })).notes.join(" ")).not.toContain(text);
  });

  it.each([true, false])("knows whether the daemon verifies signatures: %s", async (verified) => {
    const { plan, recordsOf } = open(filesOf("a"), filesOf("a", "b"));
    const { budget, notes } = await plan({ records: recordsOf(repositoryOf({ verified })) });
    expect(notes.some((note) => note.includes("Signatures of commits are verified"))).toBe(verified);
    expect(budget.needsSignature === true).toBe(verified);
  });
});

describe("removals that are planned against records", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const limit = { deletionBudget: { minimum: 2, maximum: 2 } };
  const removalOf = (time: string) => ({ time, action: "Leave", object: "x" });

  it.each<[string, FleetSummary["removals"] | undefined, number, number]>([
    ["none before", undefined, 0, 2],
    ["no count of those before", { count: 0, last: [] }, 0, 2],
    [
      "two within a day",
      { count: 2, last: [removalOf("2026-01-10T11:00:00Z"), removalOf("2026-01-10T10:00:00Z")] } as never,
      2,
      0,
    ],
    [
      "two more than a day ago",
      { count: 2, last: [removalOf("2026-01-08T11:00:00Z"), removalOf("2026-01-08T10:00:00Z")] } as never,
      0,
      2,
    ],
    ["more than are named", { count: 2, last: [removalOf("2026-01-08T11:00:00Z")] } as never, 2, 0],
  ])("count those of the last day: %s", async (_what, removals, recent, leaving) => {
    const { plan, recordsOf } = open(filesOf(...names), filesOf(...names.slice(2)));
    const clusters = names.map((name) => ({ metadata: { name, namespace: "fleet" }, spec: {} }) as never);
    const records = { ...recordsOf({ ...repositoryOf(limit), ...(removals ? { removals } : {}) }), clusters };
    const { budget, counts } = await plan({ records });
    expect([budget.recent, budget.limit]).toEqual([recent, 2]);
    expect(counts).toMatchObject(leaving === 0 ? { withheld: 2 } : { remove: 2, withheld: 0 });
  });

  it("are those of a Repository that the records name", async () => {
    const { plan, recordsOf } = open(filesOf("a"), filesOf("a"));
    const recorded = { namespace: "prod", name: "all", url: "memory", branch: "live", paths: ["x/"] };
    const { metadata } = await plan({ records: recordsOf(repositoryOf(recorded)) });
    expect(metadata).toEqual({ namespace: "prod", name: "all" });
    expect((await plan({ records: recordsOf() })).metadata).toEqual({ namespace: "system", name: "fleet" });
  });
});

describe("what is planned besides", () => {
  it("is the work of the hub's controllers, with the world that is on record", async () => {
    const worlds: RecordedWorld[] = [];
    const done: HubWorkPlan = { work: new Map(), notes: ["of the controllers"] };
    const { base, plan } = open(filesOf("a"), filesOf("a", "b"));
    const rehearse = (world: RecordedWorld) => {
      worlds.push(world);
      return Promise.resolve(done);
    };
    expect((await plan({ base, rehearse })).notes).toContain("of the controllers");
    expect(worlds).toMatchObject([{ namespace: "system", nowMs, serves: undefined }]);
    expect(worlds[0]?.isWorkspace("fleet")).toBe(true);
  });

  it("names what is not on record of the clusters that it changes, and of no others", async () => {
    const spec = (more: string): string => `spec: {kubeConfigSecretRef: {name: s}${more}}\n`;
    const { "a.yaml": a = "", "b.yaml": b = "" } = filesOf("a", "b");
    const before = { "a.yaml": a + spec(""), "b.yaml": b + spec("") };
    const { base, plan } = open(before, { ...before, "a.yaml": a + spec(", paused: true") });
    const { notes } = await plan({ base, rehearse: () => Promise.resolve({ work: new Map(), notes: [] }) });
    const unknown = notes.filter((note) => note.includes("with the kubeconfig of"));
    expect(unknown).toEqual([expect.stringContaining("of fleet/a ")]);
  });

  it("names encrypted Secrets whose files change", async () => {
    const sealed = (data: string): string => `ENC[AES256_GCM,data:${data},iv:YmFy,tag:YmF6,type:str]`;
    const sops = `sops:\n  lastmodified: "2026-01-01T00:00:00Z"\n  mac: ${sealed("Zm9v")}\n  version: 3.9.0\n`;
    const secretOf = (data: string): string =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: fleet}\nstringData:\n  a: ${sealed(data)}\n${sops}`;
    const { base, plan } = open(
      { ...filesOf("a"), "s.yaml": secretOf("Zm9v"), "t.yaml": secretOf("Zm9v").replace("name: s", "name: t") },
      { ...filesOf("a"), "s.yaml": secretOf("YmFy"), "t.yaml": secretOf("Zm9v").replace("name: s", "name: t") },
    );
    expect((await plan({ base })).notes.at(-1)).toContain("the files of these change: fleet/s.");
  });
});

describe("an index of the base", () => {
  it("is kept, and read instead of the files the next time", async () => {
    const kept = new Map<string, unknown>();
    const many = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const visits: (number | undefined)[] = [];
    const indexes = {
      leastFiles: 1,
      read: (key: string) => Promise.resolve(kept.get(key)),
      write: (key: string, index: unknown) => Promise.resolve(void kept.set(key, index)),
    };
    const onVisit = (count: number | undefined) => void visits.push(count);
    const { base, plan, recordsOf } = open(filesOf(...many), {
      ...filesOf(...many),
      "n1.yaml": (filesOf("n1")["n1.yaml"] ?? "").replace("}", ", labels: {tier: gold}}"),
    });
    const first = await plan({ base, indexes, onVisit });
    expect([kept.size, visits]).toEqual([1, []]);
    const second = await plan({ base, indexes, onVisit });
    expect([second.counts, second.changes]).toEqual([first.counts, first.changes]);
    expect(visits).toEqual([expect.any(Number)]);
    await plan({ records: recordsOf(), indexes, onVisit });
    expect([kept.size, visits.length]).toEqual([1, 1]);
    const large = open(filesOf("a"), filesOf("a"));
    await large.plan({ base: large.base, indexes: { ...indexes, leastFiles: 2 } });
    expect(kept.size).toBe(1);
  });
});
