import { createHmac } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { RepositorySource } from "../../../src/daemon/known-repository.ts";
import type { Daemon } from "../../../src/daemon/wire-run.ts";
import type { DaemonWeb } from "../../../src/daemon/wire-web.ts";
import { parseAddress, startDaemonWeb } from "../../../src/daemon/wire-web.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { ResourceType } from "../../../src/model/kubernetes.ts";

const fleetUrl = "https://git.example.com/team/fleet.git";

interface Shown {
  readonly isComplete?: boolean;
  readonly clusters?: readonly object[];
  readonly tokens?: readonly object[];
  /** By cluster: when its credential ends. */
  readonly expiries?: Readonly<Record<string, string>>;
}

/** A daemon that has led, and the branches that it was asked to read. */
function daemonOf({ isComplete = true, clusters = [], tokens = [], expiries = {} }: Shown) {
  const enqueued: unknown[] = [];
  const daemon = {
    view: {
      isComplete,
      list: ({ kind }: ResourceType) =>
        kind === "Cluster" ? clusters : kind === "ClusterRegistrationToken" ? tokens : [],
      isWorkspace: (name: string) => name === "fleet",
      memberStateOf: (workspace: string, name: string) => {
        const expiresAt = expiries[`${workspace}/${name}`];
        return expiresAt === undefined ? undefined : { credential: { expiresAt } };
      },
    },
    requestRun: (isAbout: (url: string) => boolean, branches: readonly string[]) => {
      const urls = ["https://git.example.com/other.git", fleetUrl].filter(isAbout);
      enqueued.push(...urls.map(() => branches));
      return urls.length > 0;
    },
    queueCounts: () => new Map([["repository", { waiting: 7, active: 0, done: 0, failed: 0 }]]),
    leads: () => new Map([["rollcall-hub", true]]),
  } as unknown as Daemon;
  return { daemon, enqueued };
}

const repository = { read: () => ({ status: { withheld: { count: 3 } } }) } as unknown as RepositorySource;

/** The routes of a daemon on a port of this machine. */
async function open(options: Partial<Parameters<typeof startDaemonWeb>[0]> = {}) {
  const hubApi = { requestCounts: new Map([["get", 5]]), list: async () => ({ items: [] }) } as unknown as KubeApi;
  const common = { address: "127.0.0.1:0", hubApi, log: silentLog, isServingInstalls: false };
  const web = await startDaemonWeb({ ...common, ...options });
  onTestFinished(() => web.close());
  const ask = async (path: string, request: RequestInit = {}) => {
    const answer = await fetch(`http://127.0.0.1:${web.port}${path}`, request);
    return { status: answer.status, text: await answer.text() };
  };
  return { web, ask };
}

describe("startDaemonWeb", () => {
  it("lives from its start, and is ready when the daemon has all lists from the hub", async () => {
    const { web, ask } = await open();
    expect((await ask("/livez")).status).toBe(200);
    expect(await ask("/readyz")).toMatchObject({
      status: 503,
      text: expect.stringContaining("started: the first lists from the hub are not complete") as string,
    });
    web.attach(daemonOf({ isComplete: false }).daemon, repository);
    expect(await ask("/readyz")).toMatchObject({
      status: 503,
      text: expect.stringContaining("hub: some lists from the hub are not complete") as string,
    });
    web.attach(daemonOf({}).daemon, repository);
    expect((await ask("/readyz")).status).toBe(200);
  });

  it("has metrics of the requests to the hub before the daemon runs, and of an empty fleet", async () => {
    const { web } = await open();
    expect(await metricsOf(web)).toMatchObject({
      rollcall_fleet_size: 0,
      'rollcall_hub_requests_total{verb="get"}': 5,
    });
  });

  it("has metrics of the fleet, the repository, the queues and the Leases of the daemon", async () => {
    const { web } = await open();
    web.attach(daemonOf({ clusters: [{ metadata: { name: "c" } }] }).daemon, repository);
    expect(await metricsOf(web)).toMatchObject({
      rollcall_fleet_size: 1,
      rollcall_withheld_removals: 3,
      'rollcall_queue_keys{queue="repository",state="waiting"}': 7,
      'rollcall_leader{lease="rollcall-hub"}': 1,
    });
  });

  it("reports when the first credential ends, of those whose end is a time", async () => {
    const { web } = await open();
    const clusters = ["a", "b", "none", "bad"].map((name) => ({ metadata: { namespace: "fleet", name } }));
    const tokens = ["2026-11-27T12:00:00Z", undefined, "soon"].map((credentialExpires) => ({
      status: { credentialExpires },
    }));
    const expiries = { "fleet/a": "2026-11-27T11:00:00Z", "fleet/b": "2026-11-27T10:00:00Z", "fleet/bad": "never" };
    web.attach(daemonOf({ clusters, tokens: [...tokens, {}], expiries }).daemon, repository);
    const metrics = await metricsOf(web);
    const name = "rollcall_credential_expiry_timestamp_seconds";
    expect(metrics[`${name}{kind="cluster"}`]).toBe(Date.parse("2026-11-27T10:00:00Z") / 1000);
    expect(metrics[`${name}{kind="token"}`]).toBe(Date.parse("2026-11-27T12:00:00Z") / 1000);
  });

  it("counts runs", async () => {
    const { web } = await open();
    const run = { commit: undefined, committedAtMs: undefined, isApplied: true, planSizes: {}, phasesMs: {} };
    web.recordRun({ ...run, failedCount: 0, withheldCount: 0, durationMs: 5 } as never);
    expect((await metricsOf(web))[`rollcall_runs_total{result="applied"}`]).toBe(1);
  });

  it.each([
    { isServingInstalls: true, status: 404, text: "not found, used already, or too old\n" },
    { isServingInstalls: false, status: 404, text: expect.not.stringContaining("too old") as string },
  ])("serves install manifests only where that is on: $isServingInstalls", async ({ isServingInstalls, ...answer }) => {
    const { ask } = await open({ isServingInstalls });
    expect(await ask(`/v1/import/fleet.${"k".repeat(43)}.yaml`)).toMatchObject(answer);
  });
});

it("A232 answers the address of an install manifest alike for workspaces and other namespaces, of which the hub is not asked", async () => {
  const asked: unknown[] = [];
  const list: KubeApi["list"] = async (_type, { namespace } = {}) => {
    asked.push(namespace);
    // The daemon has no right to read Secrets there.
    if (namespace !== "fleet") throw new AppError("E_KUBE_FORBIDDEN", "list secrets");
    return { items: [], resourceVersion: "1" };
  };
  const hubApi = { requestCounts: new Map(), list } as unknown as KubeApi;
  const { web, ask } = await open({ isServingInstalls: true, hubApi });
  web.attach(daemonOf({}).daemon, repository);
  const answers = await Promise.all(
    ["fleet", "kube-system"].map((namespace) => ask(`/v1/import/${namespace}.${"k".repeat(43)}.yaml`)),
  );
  expect(answers[1]).toEqual(answers[0]);
  expect([answers[0]?.status, asked]).toEqual([404, ["fleet"]]);
});

describe("a webhook", () => {
  const secret = "webhook-secret";
  const signed = (body: string, key = secret): RequestInit => ({
    method: "POST",
    body,
    headers: { "x-rollcall-signature": `sha256=${createHmac("sha256", key).update(body).digest("hex")}` },
  });
  const hint = (repositoryName: string, ref = "refs/heads/main") => JSON.stringify({ repository: repositoryName, ref });

  const deletedAt = (kind: string): RequestInit => {
    const body = JSON.stringify({ ref: "team/a", ref_type: kind, repository: { full_name: "team/fleet" } });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    return { method: "POST", body, headers: { "x-gitea-event": "delete", "x-gitea-signature": signature } };
  };

  it("is not served without secrets for it", async () => {
    const { ask } = await open();
    expect((await ask("/webhook", signed(hint("team/fleet")))).status).toBe(404);
  });

  it.each([
    ["makes the daemon read the branch that moved", signed(hint("team/fleet")), "202 taken", [["main"]]],
    [
      "has the whole name of the branch",
      signed(hint("team/fleet", "refs/heads/a/refs/heads/b")),
      "202 taken",
      [["a/refs/heads/b"]],
    ],
    [
      "makes the daemon read all when a branch was deleted, which may be its own",
      signed(JSON.stringify({ repository: "team/fleet", ref: "refs/heads/rollcall/status", after: "0".repeat(40) })),
      "202 taken",
      [[]],
    ],
    [
      "of Gitea makes the daemon read all when a branch was deleted, for which it sends no push",
      deletedAt("branch"),
      "202 taken",
      [[]],
    ],
    ["of Gitea changes nothing for a deleted tag", deletedAt("tag"), "202 ignored", []],
    ["of another repository changes nothing", signed(hint("team/elsewhere")), "202 ignored", []],
    ["with another signature is refused", signed(hint("team/fleet"), "guess"), "401 unsigned", []],
    ["without a signature is refused", { method: "POST", body: hint("team/fleet") }, "401 unsigned", []],
    ["that is no JSON is refused", signed("{"), "400 malformed", []],
    ["without a repository changes nothing", signed("{}"), "202 ignored", []],
  ])("%s", async (_, request, answer, enqueued) => {
    const { web, ask } = await open({ webhookSecrets: async () => [secret] });
    const running = daemonOf({});
    web.attach(running.daemon, repository);
    const { status, text } = await ask("/webhook", request);
    expect(`${status} ${text}`).toBe(`${answer}\n`);
    expect(running.enqueued).toEqual(enqueued);
  });

  it("for a pull request makes the daemon read all branches", async () => {
    const { web, ask } = await open({ webhookSecrets: async () => [secret] });
    const running = daemonOf({});
    web.attach(running.daemon, repository);
    const body = JSON.stringify({
      action: "opened",
      number: 5,
      pull_request: { number: 5, base: { ref: "main" } },
      repository: { full_name: "team/fleet" },
    });
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    const headers = { "x-hub-signature-256": signature, "x-github-event": "pull_request" };
    expect((await ask("/webhook", { method: "POST", body, headers })).text).toBe("taken\n");
    expect(running.enqueued).toEqual([[]]);
  });

  it("is ignored until the daemon runs", async () => {
    const { ask } = await open({ webhookSecrets: async () => [secret] });
    expect(await ask("/webhook", signed(hint("team/fleet")))).toEqual({ status: 202, text: "ignored\n" });
  });
});

describe("parseAddress", () => {
  it.each([
    ["127.0.0.1:8080", "127.0.0.1", 8080],
    ["localhost:0", "localhost", 0],
    // Not "::", which a machine without IPv6 does not have.
    [":9090", undefined, 9090],
    ["[::1]:8080", "::1", 8080],
    ["h:65535", "h", 65_535],
  ])("reads %s", (address, host, port) => {
    expect(parseAddress(address)).toEqual({ host, port });
  });

  it.each(["8080", "h:", "h:65536", "h:123456", "::1:8080", "h:8080x", "x[::1]:80", ""])("refuses %j", (address) => {
    const refusal = { code: "E_USAGE", message: `--page-address is not host:port: ${address}` };
    expect(() => parseAddress(address, "page-address")).toThrow(expect.objectContaining(refusal));
    expect(() => parseAddress(address)).toThrow("--metrics-address is not host:port");
  });
});

/** The metrics by name with labels. For a second, those who ask get the same text. */
async function metricsOf(web: DaemonWeb): Promise<Record<string, number>> {
  const answer = await fetch(`http://127.0.0.1:${web.port}/metrics`);
  const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}
