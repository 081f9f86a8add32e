import { describe, expect, it } from "vitest";
import { renderFleet } from "../../../../src/cli/render/render-status.ts";
import type { Repository } from "../../../../src/model/generated/repository.ts";
import type { ChangeView, FieldView } from "../../../../src/model/generated/page-api.ts";
import type { FieldChange, Plan } from "../../../../src/model/plan.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { forgeLinks } from "../../../../src/planning/views/forge-links.ts";
import { changeView, planView } from "../../../../src/planning/views/plan-view.ts";
import { repositorySummary, withoutCredentials } from "../../../../src/planning/views/repository-summary.ts";

function repositoryAt(url: string): Repository {
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata: { name: "fleet" }, spec: { url } };
}

describe("forgeLinks", () => {
  it.each([
    { url: "https://github.com/a/fleet.git", link: "https://github.com/a/fleet/blob/abc/clusters/a%20b.yaml#L3" },
    {
      url: "https://user:secret@gitlab.com/a/fleet",
      link: "https://gitlab.com/a/fleet/-/blob/abc/clusters/a%20b.yaml#L3",
    },
    { url: "git@codeberg.org:a/fleet.git", link: "https://codeberg.org/a/fleet/src/commit/abc/clusters/a%20b.yaml#L3" },
    { url: "https://git.example.com/a/fleet.git", link: undefined },
    { url: "/srv/fleet.git", link: undefined },
    { url: "javascript:alert(1)//github.com/a/b", link: undefined },
  ])("leads from $url to $link", ({ url, link }) => {
    expect(forgeLinks(repositoryAt(url)).file("clusters/a b.yaml", { commit: "abc", line: 3 })).toBe(link);
  });

  it.each([
    {
      url: "https://github.com/a/fleet.git",
      link: "https://github.com/a/fleet/compare/main...rollcall/join/one/a%20b",
    },
    {
      url: "https://gitlab.com/a/fleet",
      link: "https://gitlab.com/a/fleet/-/merge_requests/new?merge_request%5Bsource_branch%5D=rollcall%2Fjoin%2Fone%2Fa%20b&merge_request%5Btarget_branch%5D=main",
    },
    {
      url: "git@codeberg.org:a/fleet.git",
      link: "https://codeberg.org/a/fleet/compare/main...rollcall/join/one/a%20b",
    },
    { url: "/srv/fleet.git", link: undefined },
  ])("leads from $url to the pull request of a branch", ({ url, link }) => {
    expect(forgeLinks(repositoryAt(url)).pullRequest("rollcall/join/one/a b")).toBe(link);
  });
});

describe("changeView", () => {
  it("shows nothing of what a Secret holds", () => {
    const view = changeView(
      {
        kind: "update",
        ref: { type: resourceTypes.secret, namespace: "fleet", name: "edge" },
        object: { apiVersion: "v1", kind: "Secret", metadata: { name: "edge" } },
        manager: "rollcall-git",
        fields: [{ path: "data.token", from: "b2xk", to: "bmV3" }],
      },
      { links: forgeLinks(undefined), commit: undefined },
    );
    expect(view).toEqual({ kind: "update", object: "Secret/fleet/edge", fields: [] });
  });

  it("A191 masks passwords in addresses, and variables that are named as secrets are", () => {
    const env = (value: string) => [{ name: "API_TOKEN", value }];
    const url = (user: string): string => `https://${user}@example.com`;
    const fields = fieldsOf([
      { path: "spec.agent.env", to: env("clear-1") },
      { path: "spec.agent.env", from: env("clear-1"), to: env("clear-2") },
      { path: "spec.hubEndpoint.url", from: url("clear-3"), to: undefined },
    ]);
    expect(fields).toEqual([
      { path: "spec.agent.env", to: '[{"name":"API_TOKEN","value":"***"}]' },
      { path: "spec.agent.env", isHidden: true },
      { path: "spec.hubEndpoint.url", from: "https://***@example.com" },
    ]);
  });

  it("A194 counts the labels that it does not show, and shows what is behind them", () => {
    const labels = Array.from({ length: 60 }, (_value, index) => ({ path: `metadata.labels[l-${index}]`, to: "x" }));
    const view = viewOf([...labels, { path: "spec.agent.image", to: "a" }]);
    expect([view.fields.length, view.fields.at(-1), view.fieldsLeft]).toEqual([
      51,
      { path: "spec.agent.image", to: "a" },
      10,
    ]);
  });

  it("A190 shows where two long values differ", () => {
    const image = (digit: string): string => `registry.example.com/${"a".repeat(300)}@sha256:${digit.repeat(64)}`;
    const [field] = fieldsOf([{ path: "spec.agent.image", from: image("1"), to: image("2") }]);
    expect([field?.from, field?.to]).toEqual([
      expect.stringMatching(/^…a{12}@sha256:1{64}$/u),
      expect.stringMatching(/^…a{12}@sha256:2{64}$/u),
    ]);
  });
});

function fieldsOf(fields: readonly FieldChange[]): readonly FieldView[] {
  return viewOf(fields).fields;
}

function viewOf(fields: readonly FieldChange[]): ChangeView {
  const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "edge" };
  const object = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "edge" } };
  const change = { kind: "update", ref, object, manager: "rollcall-git", fields } as const;
  return changeView(change, { links: forgeLinks(undefined), commit: undefined });
}

describe("planView", () => {
  const plan: Plan = {
    changes: [],
    removals: [],
    withheld: [{ kind: "leave", cluster: "fleet/a", reason: "a.yaml no longer declares it", because: "budget" }],
    heldDeletes: [
      {
        ref: { type: resourceTypes.clusterRegistrationToken, namespace: "fleet", name: "edge" },
        because: "held-by-bad-file",
        reason: "edge.yaml no longer declares it",
      },
    ],
    budget: { wanted: 1, recent: 0, limit: 1, isExceeded: true },
    account: { charges: [], returned: [], approvals: [] },
    problems: [],
  };

  it("shows what is withheld, and why in words", () => {
    const { withheld, heldDeletes } = planView(plan, { links: forgeLinks(undefined) });
    expect(withheld).toEqual([{ ...plan.withheld[0], waits: "more removals than the deletion budget allows" }]);
    expect(heldDeletes).toEqual([
      {
        object: "ClusterRegistrationToken/fleet/edge",
        reason: "edge.yaml no longer declares it",
        because: "held-by-bad-file",
        waits: "a file with errors may still declare it",
      },
    ]);
  });

  it("shows the same removals of very many in whichever order the hub lists them", () => {
    const removals = Array.from({ length: 600 }, (_value, index) => ({
      kind: "leave" as const,
      cluster: `fleet/c-${index}`,
      reason: "a.yaml no longer declares it",
      because: "budget" as const,
    }));
    const heldDeletes = removals.map(({ cluster, reason, because }) => {
      const ref = { type: resourceTypes.clusterRegistrationToken, namespace: "fleet", name: cluster.slice(6) };
      return { ref, reason, because };
    });
    const listed = planView({ ...plan, removals, withheld: removals, heldDeletes }, { links: forgeLinks(undefined) });
    const reversed = {
      ...plan,
      removals: removals.toReversed(),
      withheld: removals.toReversed(),
      heldDeletes: heldDeletes.toReversed(),
    };
    expect(planView(reversed, { links: forgeLinks(undefined) })).toEqual(listed);
    expect([listed.removals.length, listed.withheld.length, listed.heldDeletes.length]).toEqual([500, 500, 500]);
    expect(listed).toMatchObject({ removalCount: 600, withheldCount: 600, heldDeleteCount: 600 });
  });

  it("shows waves in their order, and counts what it does not show", () => {
    const agents = Array.from({ length: 25 * 60 }, (_value, index) => ({
      cluster: `fleet/c-${index}`,
      from: "1.0.0",
      to: "1.1.0",
      wave: Math.floor(index / 25) + 1,
      reasons: ["spec.agent.version"],
    })).reverse();
    const { waves, ...rest } = planView(plan, { links: forgeLinks(undefined), agents }).agents;
    expect(rest).toEqual({ count: 1500, atOnce: 25, waveCount: 60 });
    expect(waves.map(({ wave }) => wave)).toEqual(Array.from({ length: 50 }, (_value, index) => index + 1));
    expect(waves[0]).toMatchObject({ count: 25 });
    expect(waves[0]?.agents).toHaveLength(20);
    expect(waves[0]?.agents[0]).toEqual({ cluster: "fleet/c-24", from: "1.0.0", to: "1.1.0" });
  });

  it("has no wave where no agent is rolled out", () => {
    const { agents } = planView(plan, { links: forgeLinks(undefined) });
    expect(agents).toEqual({ count: 0, atOnce: 0, waves: [], waveCount: 0 });
  });
});

describe("repositorySummary", () => {
  const id = (digit: string): string => digit.repeat(40);
  const status = {
    observedCommit: id("3"),
    appliedCommit: id("1"),
    settledCommit: id("2"),
    waiting: {
      count: 22,
      first: [
        { file: "a.yaml", reason: "Errors" as const, since: id("2") },
        { file: "b.yaml", reason: "Withheld" as const, since: id("3") },
        { file: "c.yaml", reason: "WriteFailed" as const, since: id("3") },
      ],
    },
  };
  const live = { ...repositoryAt("https://github.com/a/fleet.git"), status };
  const commitOf = (): undefined => undefined;

  it("names the files that wait, why, and since which commit", () => {
    const summary = repositorySummary(live, { links: forgeLinks(live), commitOf });
    expect(summary.settled?.id).toBe(id("2"));
    expect(summary.waiting?.count).toBe(22);
    expect(summary.waiting?.items.map(({ file, reason, since }) => [file, reason, since?.id])).toEqual([
      ["a.yaml", "Errors", id("2")],
      ["b.yaml", "Withheld", id("3")],
      ["c.yaml", "WriteFailed", id("3")],
    ]);
    expect(summary.waiting?.items[0]?.link).toBe(`https://github.com/a/fleet/blob/${id("3")}/a.yaml`);
    expect(renderFleet([summary], [], false)).toBe(
      [
        "Repository https://github.com/a/fleet.git (main)",
        "  applied 111111111111, last seen 333333333333",
        "  settled 222222222222: everything up to it is applied, but what waits below",
        "  22 files wait:",
        "    a.yaml since 222222222222: It has errors. What it declared before stays until they are corrected.",
        "    b.yaml since 333333333333: A removal that it causes waits for an approval.",
        "    c.yaml since 333333333333: The hub refused a write. It is tried again.",
        "    and 19 more",
        "",
        "No clusters.",
        "",
      ].join("\n"),
    );
  });

  it("shows why the status branch is not written, while it is not", () => {
    const condition = { type: "WriteBackReady", reason: "PushFailed", message: "push rollcall/status: refused" };
    const told = (["False", "True"] as const).map((value) => {
      const conditions = [{ ...condition, status: value, lastTransitionTime: "2026-01-01T00:00:00Z" }];
      const told = { ...live, status: { ...status, conditions } };
      return repositorySummary(told, { links: forgeLinks(told), commitOf });
    });
    expect(told.map(({ writeBackFailure }) => writeBackFailure)).toEqual([condition.message, undefined]);
    const [failed, written] = told.map((summary) => renderFleet([summary], [], false));
    expect(failed).toContain("\n  the status branch is not written: push rollcall/status: refused\n");
    expect(written).not.toContain("status branch");
  });

  it("shows nothing of files when none waits", () => {
    const calm = { ...live, status: { ...status, waiting: { count: 0, first: [] } } };
    const summary = repositorySummary(calm, { links: forgeLinks(calm), commitOf });
    expect(summary.waiting).toBeUndefined();
    expect(renderFleet([summary], [], false)).not.toMatch(/wait|settled/u);
  });
});

describe("withoutCredentials", () => {
  it("leaves out who reads the repository", () => {
    expect(withoutCredentials("https://user:secret@example.com/a.git")).toBe("https://example.com/a.git");
  });
});
