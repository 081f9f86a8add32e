import { describe, expect, it } from "vitest";
import { renderClusterDetail, renderFleet, renderHubObjects } from "../../../../src/cli/render/render-status.ts";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import type {
  ClusterDetail,
  ClusterRow,
  RepositorySummary,
  RequestView,
} from "../../../../src/model/generated/page-api.ts";
import { clusterDetail } from "../../../../src/planning/views/cluster-detail.ts";
import { clusterRow } from "../../../../src/planning/views/cluster-row.ts";
import { forgeLinks } from "../../../../src/planning/views/forge-links.ts";

const nowMs = Date.parse("2027-01-01T01:00:00Z");
const types = ["Ready", "Accepted", "Joined", "Healthy", "AgentUpToDate", "CredentialsValid", "ClockSynced", "Stalled"];

function screenOf(change: Partial<Cluster> = {}, requests: readonly RequestView[] = [], reason = "Ready"): string {
  const status = reason === "Ready" ? ("True" as const) : ("False" as const);
  const cluster: Cluster = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", namespace: "fleet" },
    spec: {},
    ...change,
    status: {
      conditions: types.map((type) => ({
        type,
        status,
        reason,
        message: "m",
        lastTransitionTime: "2027-01-01T00:00:00Z",
      })),
      credential: { number: 3, expires: "2027-01-02T00:00:00Z" },
      ...change.status,
    },
  };
  return screenOfCluster(cluster, requests);
}

function screenOfCluster(cluster: Cluster, requests: readonly RequestView[] = []): string {
  const row = clusterRow(cluster, []);
  const links = forgeLinks(undefined);
  const parts = { state: undefined, beats: { seen: [] }, links, requests, history: [], nowMs };
  return renderClusterDetail(clusterDetail({ cluster, row, ...parts }), { isColour: false, nowMs });
}

const row: ClusterRow = {
  ...{ workspace: "fleet", name: "b", protocol: "rollcall", state: "ready", phase: "Ready", ready: "True" },
  ...{ healthy: "True", reason: "Ready", labels: {} },
};
const time = "2027-01-01T00:58:00Z";

describe("rollcall status", () => {
  const repository: RepositorySummary = {
    ...{ url: "https://example.org/fleet", branch: "main", state: "applied", message: "all is applied" },
    ...{ errors: 0, warnings: 0, problems: [] },
  };
  const commit = (digit: string) => ({ id: digit.repeat(40), subject: "s", author: "a", time });
  const title = "Repository https://example.org/fleet (main)";
  const waiting = {
    count: 3,
    items: [
      { file: "a.yaml", message: "m", since: commit("3") },
      { file: "b\u001b.yaml", message: "n" },
    ],
  } as unknown as NonNullable<RepositorySummary["waiting"]>;

  const problems: RepositorySummary["problems"] = [
    { code: "E_X", severity: "error", file: "a.yaml", line: 3, message: "m" },
    { code: "W_X", severity: "warning", file: "b\u001b.yaml", line: 1, message: "n" },
  ];

  it.each<[string, Partial<RepositorySummary>, readonly string[]]>([
    ["nothing is known", {}, ["  applied nothing yet, last seen none"]],
    [
      "all is applied",
      { applied: commit("1"), observed: commit("2"), settled: commit("3") },
      ["  applied 111111111111, last seen 222222222222"],
    ],
    [
      "files wait",
      { applied: commit("1"), observed: commit("2"), settled: commit("2"), waiting },
      [
        "  applied 111111111111, last seen 222222222222",
        "  settled 222222222222: everything up to it is applied, but what waits below",
        "  3 files wait:",
        "    a.yaml since 333333333333: m",
        "    b\\u{1b}.yaml: n",
        "    and 1 more",
      ],
    ],
    [
      "one file waits, and nothing was settled since",
      { applied: commit("1"), settled: commit("1"), waiting: { ...waiting, count: 1, items: waiting.items.slice(1) } },
      ["  applied 111111111111, last seen none", "  1 file waits:", "    b\\u{1b}.yaml: n"],
    ],
    [
      "files wait before the first run",
      { waiting: { ...waiting, count: 0, items: [] } },
      ["  applied nothing yet, last seen none", "  0 files wait:"],
    ],
    ["it is stalled", { state: "stalled" }, ["  applied nothing yet, last seen none", "  all is applied"]],
    [
      "files have problems: the first one is named once",
      { state: "stalled", message: "a.yaml:3:5 E_X m (and 2 more)", errors: 2, warnings: 1, problems },
      [
        "  applied nothing yet, last seen none",
        "  2 errors and 1 warning in files:",
        "    a.yaml:3 E_X m",
        "    b\\u{1b}.yaml:1 warning W_X n",
        "    and 1 more",
      ],
    ],
    [
      "files have warnings, and it is stalled for another reason",
      { state: "stalled", warnings: 1, problems: problems.slice(1) },
      [
        "  applied nothing yet, last seen none",
        "  all is applied",
        "  1 warning in files:",
        "    b\\u{1b}.yaml:1 warning W_X n",
      ],
    ],
    [
      "nothing is written back",
      { writeBackFailure: "w" },
      ["  applied nothing yet, last seen none", "  the status branch is not written: w"],
    ],
  ])("of a repository, where %s", (_what, change, lines) => {
    const text = renderFleet([{ ...repository, ...change }], [], false);
    expect(text.split("\n")).toEqual([title, ...lines, "", "No clusters.", ""]);
  });

  it("has a line for each cluster, in the order of their names, and a reason where one is not ready", () => {
    const rows: ClusterRow[] = [
      { ...row, kubernetesVersion: "v1.34.4", agentVersion: "1.2.3" },
      { ...row, name: "a10", state: "notReady", phase: "Unhealthy", ready: "False", reason: "Bad" },
      { ...row, name: "a9", state: "unknown", phase: "Lost\u001b", ready: "Unknown", reason: "Missed" },
    ] as ClusterRow[];
    const cells = (isColour: boolean) =>
      renderFleet([], rows, isColour)
        .trimEnd()
        .split("\n")
        .map((line) => line.trimEnd().split(/ {2,}/u));
    expect(cells(false)).toEqual([
      ["CLUSTER", "STATE", "VERSION", "AGENT", "REASON"],
      ["fleet/a9", "Lost\\u{1b}", "Missed"],
      ["fleet/a10", "Unhealthy", "Bad"],
      ["fleet/b", "Ready", "v1.34.4", "1.2.3"],
    ]);
    expect(cells(true).map(([, state]) => state?.slice(0, 5))).toEqual([
      ...["STATE", "\u001b[33m", "\u001b[31m", "\u001b[32m"],
    ]);
  });

  it("lists at most twenty objects that no file has, and counts all", () => {
    const objects = Array.from({ length: 21 }, (_, index) => ({ object: `Cluster fleet/${index}`, message: "m" }));
    expect(renderHubObjects([])).toBe("");
    expect(renderHubObjects(objects.slice(0, 1))).toBe("\nOn the hub, not in git:\n  Cluster fleet/0: m\n");
    expect(renderHubObjects(objects.slice(0, 20))).not.toContain("more");
    expect(renderHubObjects(objects).split("\n").slice(-3)).toEqual(["  Cluster fleet/19: m", "  and 1 more", ""]);
    expect(renderHubObjects(objects.slice(0, 2), 7).split("\n").slice(-2)).toEqual(["  and 5 more", ""]);
  });
});

describe("rollcall status <cluster>", () => {
  const detail: ClusterDetail = {
    ...{ cluster: row, now: time, conditions: [], labels: [], beats: { seen: [] }, history: [] },
    settings: { isSuspended: false, isPaused: false } as ClusterDetail["settings"],
  };
  const factOf = (name: string, change: Partial<ClusterDetail>): string | undefined =>
    renderClusterDetail({ ...detail, ...change }, { isColour: false, nowMs })
      .split("\n")
      .find((line) => line.startsWith(`  ${name} `))
      ?.slice(15);

  it.each<[string, Partial<ClusterDetail>, string]>([
    ["declared in", {}, "no file"],
    ["declared in", { source: { file: "a.yaml", line: 3 } }, "a.yaml:3"],
    ["joined", {}, "not yet"],
    ["joined", { join: { token: "edge" } }, "not yet"],
    ["joined", { join: { time, token: "edge", mode: "AgentInitiated" } }, "2m ago, by token edge"],
    ["joined", { join: { time, mode: "HubInitiated" } }, "2m ago, installed by the hub"],
    ["joined", { join: { time, mode: "AgentInitiated" } }, "2m ago, without a token"],
    ["heartbeat", {}, "none seen"],
    ["heartbeat", { beats: { seen: [], last: time } }, "2m ago"],
    ["kubernetes", {}, "not reported"],
    ["kubernetes", { cluster: { ...row, kubernetesVersion: "v1.34.4" } }, "v1.34.4"],
    ["nodes", {}, "not reported"],
    ["nodes", { nodes: { total: 3, ready: 2 } }, "2 of 3 ready"],
    ["agent", {}, "not reported"],
    ["agent", { agent: { version: "1.2.3" } }, "1.2.3"],
    ["credential", {}, "none yet"],
    ["credential", { credential: { state: "NotIssued" } }, "none yet"],
    ["credential", { credential: { state: "Revoked" } }, "revoked"],
    ["credential", { credential: { state: "Valid", number: 1, expires: time } }, `number 1, until ${time}`],
    ["credential", { credential: { state: "Valid", number: 1 } }, "number 1, valid, no end"],
    ["credential", { credential: { state: "Invalid" } }, "not valid"],
    ["credential", { credential: { state: "Unknown" } }, "unknown to the hub"],
  ])("has %s of %j: %s", (name, change, text) => {
    expect(factOf(name, change)).toBe(text);
  });

  it("explains each condition, and paints what is false red", () => {
    const conditionOf = (type: string, status: string) =>
      ({ type, status, reason: "R", message: "m", meaning: "", since: time }) as ClusterDetail["conditions"][number];
    const conditions = [conditionOf("Ready", "False"), { ...conditionOf("Healthy", "Unknown"), next: "wait" }];
    const change = { cluster: { ...row, displayName: "B" }, conditions };
    const lines = renderClusterDetail({ ...detail, ...change }, { isColour: false, nowMs }).split("\n");
    expect(lines.slice(0, 8)).toEqual([
      ...["Cluster fleet/b (B): Ready", "", "  Ready            False for 2m: R", "    m"],
      ...["  Healthy          Unknown for 2m: R", "    m", "    What to do: wait", ""],
    ]);
    const painted = renderClusterDetail(
      { ...detail, conditions: [...conditions, conditionOf("Joined", "True")] },
      { isColour: true, nowMs },
    );
    const codes = ["False", "Unknown", "True"].map((status) => painted.split(status)[0]?.slice(-5));
    expect(codes).toEqual(["\u001b[31m", "\u001b[33m", "\u001b[32m"]);
  });

  it("shows what became of an agent that asked", () => {
    const requests: RequestView[] = [
      { name: "r", decision: "Proposed", reason: "R", message: "m" },
      { name: "s", decision: "Refused", reason: "S", message: "n", time },
    ];
    const lines = renderClusterDetail({ ...detail, requests }, { isColour: false, nowMs }).split("\n");
    expect(lines.slice(2, 8)).toEqual([
      ...["  An agent asked to be it and waits for its file to be merged: R (ClusterRegistration r)", "    m", ""],
      ...["  An agent asked to be it and was refused 2m ago: S (ClusterRegistration s)", "    n", ""],
    ]);
  });

  it("A256 has the name of a suspended cluster as one word of a shell", () => {
    const metadata = { name: "n; touch y", namespace: "w", annotations: { "rollcall.dev/reconcile": "disabled" } };
    expect(screenOf({ metadata })).toContain("What to do: rollcall resume 'w/n; touch y'");
  });

  it("shows that a suspended cluster is suspended, and how to resume it", () => {
    const metadata = { name: "eu-1", namespace: "fleet", annotations: { "rollcall.dev/reconcile": "disabled" } };
    expect(screenOf({ metadata })).toContain("What to do: rollcall resume fleet/eu-1");
    expect(screenOf()).not.toContain("Suspended");
  });

  it("shows of a paused cluster what stays as it is", () => {
    expect(screenOf({ spec: { paused: true } })).toContain("spec.paused");
  });

  it("shows how far an offboarding is, since when, and as of which commit", () => {
    const leave = { phase: "Waiting" as const, since: "2027-01-01T00:58:00Z", commit: "c0ffee".padEnd(40, "0") };
    expect(screenOf({ status: { leave } })).toMatch(
      /Offboarding, since 2m.* ago: Waiting, as of commit c0ffee000000\n/u,
    );
  });

  it("shows of a cluster without a status whether the daemon or a file is missing", () => {
    const cluster = (labels: Record<string, string>): Cluster => ({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name: "eu-1", namespace: "default", labels },
      spec: {},
    });
    const written = screenOfCluster(cluster({}));
    expect(written.split("\n").slice(0, 3)).toEqual([
      "Cluster default/eu-1: Declared",
      "",
      "  No file of a Repository declares it. Write one and push, or delete it on the hub. The daemon serves only namespaces with the label rollcall.dev/workspace.",
    ]);
    const declared = screenOfCluster(cluster({ "rollcall.dev/repository": "rollcall-system.fleet" }));
    expect(declared.split("\n")[2]).toBe("  The daemon has not reconciled it yet.");
  });

  it.each([
    ["Revoked", "revoked"],
    ["Rejected", "not valid"],
  ])("shows no number and no date of a credential that is not valid by %s", (reason, text) => {
    expect(screenOf()).toContain("number 3, until 2027-01-02");
    const screen = screenOf({}, [], reason);
    expect(screen).toContain(`credential   ${text}\n`);
    expect(screen).not.toContain("2027-01-02");
  });

  it("shows why an agent that asked was not admitted, harmlessly and on one screen", () => {
    const request = { name: "door-\u001b[31m", decision: "Refused" as const, reason: "ClientIDTaken", message: "a\nb" };
    const screen = screenOf(
      {},
      [1, 2, 3].map(() => ({ ...request, time: "2027-01-01T00:59:00Z" })),
      "HeartbeatMissed",
    );
    expect(screen).toMatch(/was refused 60s ago: ClientIDTaken|was refused 1m.* ago: ClientIDTaken/u);
    expect(screen).not.toContain("\u001b");
    expect(screen.split("\n").length).toBeLessThanOrEqual(50);
  });
});
