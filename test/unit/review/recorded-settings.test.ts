import { describe, expect, it } from "vitest";
import type { RemovalApproval } from "../../../src/model/generated/approval.ts";
import type { FleetSummary } from "../../../src/model/generated/fleet-summary.ts";
import type { ParsedFile } from "../../../src/model/source.ts";
import type { OfflineInputs, RecordedWorld } from "../../../src/review/plan-against-records.ts";
import { planAgainstRecords } from "../../../src/review/plan-against-records.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

const nowMs = Date.parse("2026-01-10T12:00:00Z");
const clusterOf = (name: string, spec = "{}", place = ", namespace: fleet"): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}${place}}\nspec: ${spec}\n`;
const recordOf = (name: string, spec = {}) => ({ metadata: { name, namespace: "fleet" }, spec }) as never;
type Files = Readonly<Record<string, string>>;

/** The plan of the last of these commits, against records that have these clusters and fields. */
async function planLast(
  commits: readonly { readonly files: Files; readonly message?: string }[],
  clusters: readonly string[],
  fieldsOf: (ids: readonly string[]) => Partial<FleetSummary>,
  inputsOf: (ids: readonly string[]) => Partial<OfflineInputs> = () => ({}),
) {
  const git = createMemoryGit();
  const ids = commits.map(({ files, message = "Change\n" }) => git.commit(files, message));
  return planAgainstRecords({
    ...{ git, head: ids.at(-1) ?? "", base: undefined, namespace: "system", name: "fleet", nowMs },
    records: {
      ...{ commit: "status", committedAtMs: nowMs, tokens: [], clusters: clusters.map((name) => recordOf(name)) },
      summary: fieldsOf(ids) as FleetSummary,
    },
    ...inputsOf(ids),
  });
}

describe("a plan with the settings that are on record", () => {
  const policy =
    "apiVersion: rollcall.dev/v1alpha1\nkind: Policy\nmetadata: {name: p, namespace: fleet}\nspec: {rules: [{expression: 'false', message: no}]}\n";
  const files = { "x/a.yaml": clusterOf("a"), "y/b.yaml": clusterOf("b", "{}", "") };

  it.each<[string, NonNullable<FleetSummary["repository"]>, string[], string[]]>([
    ["no default workspace", {}, ["a"], ["E_NAMESPACE y/b.yaml"]],
    ["a default workspace", { defaultWorkspace: "fleet" }, ["a", "b"], []],
    ["paths", { paths: ["x/"] }, ["a"], []],
    ["workspaces", { workspaces: ["other"], paths: ["x/"] }, [], ["E_NAMESPACE x/a.yaml"]],
    ["a limit of the daemon", { workspaceLimit: ["other"], paths: ["x/"] }, [], ["E_NAMESPACE x/a.yaml"]],
  ])("creates what %s allow", async (_what, repository, created, problems) => {
    const report = await planLast([{ files: {} }, { files }], [], ([first = ""]) => ({
      ...{ observedCommit: first, appliedCommit: first, repository },
    }));
    expect(report.changes.map(({ name }) => name)).toEqual(created);
    expect(report.problems.map(({ code, file }) => `${code} ${file}`)).toEqual(problems);
  });

  it.each([
    [undefined, 0, 1],
    ["Warn" as const, 1, 0],
  ])("has policies that refuse, or warn: %s", async (policies, create, errors) => {
    const { counts } = await planLast(
      [{ files: {} }, { files: { "a.yaml": clusterOf("a"), "p.yaml": policy } }],
      [],
      () => ({
        repository: policies === undefined ? {} : { policies },
      }),
    );
    expect([counts.create, counts.errors]).toEqual([create, errors]);
  });

  it.each([true, false])("does nothing while the Repository is suspended: %s", async (suspend) => {
    const { notes } = await planLast([{ files }], [], () => ({ repository: { suspend } }));
    expect(notes.some((note) => note.includes("The Repository is suspended"))).toBe(suspend);
  });

  it("rolls agents out in waves of the recorded size", async () => {
    const of = (version: string) => ({
      files: Object.fromEntries(
        ["a", "b", "c"].map((name) => [`${name}.yaml`, clusterOf(name, `{agent: {version: ${version}}}`)]),
      ),
    });
    const wavesOf = async (agentRollout: object) => {
      const { agents } = await planLast(
        [of("0.1.0"), of("0.2.0")],
        [],
        () => ({ repository: { agentRollout } }),
        (ids) => ({
          base: ids[0],
        }),
      );
      return agents.map(({ wave }) => wave);
    };
    const [one, all] = [await wavesOf({ maxUnavailable: 1 }), await wavesOf({ maxUnavailable: 3 })];
    expect(one).not.toEqual(all);
  });
});

describe("the removals of a plan against records", () => {
  const names = ["a", "b", "c"];
  const all = Object.fromEntries(names.map((name) => [`${name}.yaml`, clusterOf(name)]));
  const fewer = { "c.yaml": clusterOf("c") };
  const trailer = "Change\n\nRollcall-Allow-Deletions: 2\n";
  const approvalOf = (commit: string): RemovalApproval => ({ commit, by: "Trailer", count: 2, spent: 0 });

  it("are let through by an approval on record, whose commit asked for them", async () => {
    const commits = [{ files: all }, { files: fewer, message: trailer }, { files: { ...fewer, "README.md": "" } }];
    const recorded = (isKnown: boolean) =>
      planLast(commits, names, ([first = "", approved = ""]) => ({
        ...{ observedCommit: first, appliedCommit: first, settledCommit: first, scannedCommit: approved },
        approvals: isKnown ? [approvalOf(approved)] : [],
      }));
    expect((await recorded(true)).counts).toMatchObject({ remove: 2, withheld: 0 });
    expect((await recorded(false)).counts).toMatchObject({ remove: 0, withheld: 2 });
  });

  it("are let through by an approval of a commit since the settled one, and by none before", async () => {
    const commits = [{ files: all }, { files: fewer, message: trailer }, { files: { ...fewer, "README.md": "" } }];
    const settledAt = (index: number, base?: number) =>
      planLast(
        commits,
        names,
        (ids) => ({
          ...{ observedCommit: ids[0] ?? "", appliedCommit: ids[0] ?? "", settledCommit: ids[index] ?? "" },
        }),
        (ids) => (base === undefined ? {} : { base: ids[base] ?? "" }),
      );
    expect((await settledAt(0)).counts).toMatchObject({ remove: 2, withheld: 0 });
    expect((await settledAt(1)).counts).toMatchObject({ remove: 0, withheld: 2 });
    // A base that is named replaces what is settled.
    expect((await settledAt(1, 0)).counts).toMatchObject({ remove: 2, withheld: 0 });
  });
});

describe("what a plan against records calls", () => {
  const sealed = (data: string): string => `ENC[AES256_GCM,data:${data},iv:YmFy,tag:YmF6,type:str]`;
  const secretOf = (name: string): string =>
    `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: fleet}\nstringData:\n  a: ${sealed("Zm9v")}\nsops:\n  lastmodified: "2026-01-01T00:00:00Z"\n  mac: ${sealed("Zm9v")}\n  version: 3.9.0\n`;

  it("has the protocols that the hub serves, and the workspaces on record", async () => {
    const worlds: RecordedWorld[] = [];
    const serves = [{ protocol: "rollcall" }] as never;
    await planLast(
      [{ files: {} }],
      ["a"],
      () => ({ repository: { serves, namespace: "prod", knownWorkspaces: ["fleet"] } }),
      () => ({
        rehearse: (world) => {
          worlds.push(world);
          return Promise.resolve({ work: new Map(), notes: [] });
        },
      }),
    );
    expect(worlds).toMatchObject([{ serves, namespace: "prod", nowMs }]);
    expect([worlds[0]?.isWorkspace("fleet"), worlds[0]?.isWorkspace("eu")]).toEqual([true, false]);
    expect(worlds[0]?.objects.memberOf("fleet", "a")).toBeDefined();
  });

  it("opens earlier results of parsing once, and uses them", async () => {
    const recalled: string[] = [];
    const kept: ParsedFile[] = [];
    const { counts } = await planLast(
      [{ files: {} }, { files: { "a.yaml": clusterOf("a") } }],
      [],
      () => ({}),
      () => ({
        openCache: () =>
          Promise.resolve({
            recall: (path) => {
              recalled.push(path);
              return undefined;
            },
            keep: (file) => void kept.push(file),
          }),
      }),
    );
    expect([counts.create, recalled, kept.map(({ path }) => path)]).toEqual([1, ["a.yaml"], ["a.yaml"]]);
  });

  it("names Secrets that appear or are deleted, in their order", async () => {
    const of = (before: Files, after: Files) =>
      planLast([{ files: before }, { files: after }], [], ([first = ""]) => ({ observedCommit: first }));
    const [s, t] = [{ "s.yaml": secretOf("s") }, { "t.yaml": secretOf("t") }];
    expect((await of(t, s)).notes.at(-1)).toContain("the files of these change: fleet/s, fleet/t.");
    expect((await of(s, s)).notes.join(" ")).not.toContain("Encrypted Secrets");
  });
});
