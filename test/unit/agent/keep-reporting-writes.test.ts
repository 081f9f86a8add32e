import { afterEach, describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { recordReport } from "../../../src/agent/follow-report.ts";
import { keepReporting, readReport } from "../../../src/agent/keep-reporting.ts";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { objectAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";

const minuteMs = 60_000;

interface Scene {
  /** The report that the hub has already. Default: none. */
  readonly held?: KubeObject;
  readonly isFirstJoin?: boolean;
  readonly settings?: object;
  readonly identity?: object;
  readonly drawn?: number;
}

function reportOf(uid: string, spec: object): KubeObject {
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterReport", metadata: { name: "eu-1", uid }, spec };
}

/** A member that reports to a hub, and what it wrote there: the fields of each write, without the time. */
function report({ held, isFirstJoin = false, settings = {}, identity = {}, drawn = 0.5 }: Scene = {}) {
  const clock = createManualClock();
  const stopping = new AbortController();
  const state = { ...createAgentState(), isFirstJoin };
  const writes: string[] = [];
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const log: Log = { ...silentLog, warn: (message, fields) => void lines.push([message, fields]) };
  const hub = {
    report: held,
    reads: 0,
    tries: 0,
    failure: undefined as Error | undefined,
    recover: () => undefined as void,
  };
  const cluster = {
    version: "v1.34.0",
    failure: undefined as Error | undefined,
    deployment: undefined as KubeObject | undefined,
  };
  const api = {
    get: async () => {
      hub.reads += 1;
      if (hub.failure) throw hub.failure;
      return hub.report;
    },
    mergePatch: async (_: unknown, { spec }: { readonly spec: object }) => {
      hub.tries += 1;
      if (hub.failure) throw hub.failure;
      writes.push(
        Object.keys(spec)
          .filter((key) => key !== "time")
          .sort()
          .join(" ") || "time",
      );
      hub.report = reportOf(hub.report?.metadata.uid ?? "new", { ...objectAt(hub.report, "spec"), ...spec });
      recordReport(state, hub.report);
      return hub.report;
    },
  };
  const ask = async <T>(answer: T): Promise<T> => {
    if (cluster.failure) throw cluster.failure;
    return answer;
  };
  const context = {
    clock,
    state,
    log,
    random: fixedRandom(drawn),
    settings: { version: "0.1.0", namespace: "rollcall-agent", ...settings },
    secrets: {
      identity: {
        ...{ workspace: "fleet", epoch: 3, membership: { clusterName: "eu-1", credential: { number: 2 } } },
        ...identity,
      },
    },
    downstreamApi: {
      getRaw: (path: string) =>
        ask({ status: 200, text: path === "/version" ? `{"gitVersion":"${cluster.version}"}` : "ok" }),
      get: () => ask(cluster.deployment),
      list: () => ask({ items: [], resourceVersion: "1" }),
    },
    link: {
      call: (work: (hubApi: object) => Promise<unknown>) => work(api),
      onRecovery: (listener: () => void) => {
        hub.recover = listener;
        return () => undefined;
      },
    },
  } as unknown as AgentContext;
  const begin = () => keepReporting(context, stopping.signal);
  return { clock, state, hub, cluster, writes, lines, context, stopping, begin };
}

const everything =
  "agentNamespace agentVersion credentialNumber epoch health kubernetesVersion nodes protocolVersion resources";

describe("keepReporting", () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

  async function start(scene: Scene = {}) {
    const parts = report(scene);
    const done = parts.begin();
    ends.push(() => {
      parts.stopping.abort();
      return done;
    });
    await parts.clock.advance(0);
    return parts;
  }

  it("writes everything at first, and then what changes, twice a minute at most", async () => {
    const { clock, writes, cluster, state, hub } = await start();
    expect([writes, hub.reads, state.hasReported]).toEqual([[everything], 1, true]);
    await clock.advance(5 * minuteMs);
    cluster.version = "v1.35.0";
    await clock.advance(29_000);
    expect(writes).toHaveLength(1);
    await clock.advance(1000);
    expect(writes.slice(1)).toEqual(["kubernetesVersion"]);
  });

  it("reads no report where it is the first agent of its cluster", async () => {
    const { hub, writes, state } = await start({ isFirstJoin: true });
    expect([hub.reads, writes.length, state.isFirstJoin]).toEqual([0, 1, false]);
  });

  it("writes at once when it is asked to", async () => {
    const { clock, state, cluster, writes } = await start();
    cluster.version = "v1.35.0";
    state.reportNow();
    await clock.advance(0);
    expect(writes).toHaveLength(2);
  });

  it.each([
    [0, 27_000],
    [1, 33_000],
  ])("reads the cluster at another moment than others (drawn: %s): after %s ms", async (drawn, dueMs) => {
    const { clock, cluster, writes } = await start({ drawn });
    cluster.version = "v1.35.0";
    await clock.advance(dueMs - 1);
    expect(writes).toHaveLength(1);
    await clock.advance(1);
    expect(writes).toHaveLength(2);
  });

  it("gives a sign of life, with nothing but the time, after half an hour without a change", async () => {
    const { clock, writes } = await start();
    await clock.advance(29 * minuteMs);
    expect(writes).toHaveLength(1);
    await clock.advance(2 * minuteMs);
    expect(writes.slice(1)).toEqual(["time"]);
    await clock.advance(28 * minuteMs);
    expect(writes).toHaveLength(2);
  });

  it.each([
    { reason: "a minute old", ageMs: minuteMs, waitMs: 28 * minuteMs, writes: 0 },
    { reason: "almost half an hour old", ageMs: 29 * minuteMs, waitMs: 2 * minuteMs, writes: 1 },
    { reason: "an hour old", ageMs: 60 * minuteMs, waitMs: 0, writes: 1 },
    { reason: "of the future", ageMs: -60 * minuteMs, waitMs: 29 * minuteMs, writes: 0 },
    { reason: "without a time", ageMs: Number.NaN, waitMs: 0, writes: 1 },
  ])("writes $writes times, after a restart, where its report is $reason", async ({ ageMs, waitMs, writes: count }) => {
    const before = report();
    const now = await readReport(before.context, new AbortController().signal);
    const writtenMs = before.clock.nowMs() - ageMs;
    const time = Number.isNaN(ageMs) ? undefined : new Date(writtenMs).toISOString();
    const { clock, writes } = await start({ held: reportOf("a", { ...now, time }) });
    await clock.advance(waitMs);
    expect(writes).toEqual(Array(count).fill("time"));
  });

  it("writes everything again into a report that was created anew", async () => {
    const { clock, state, hub, writes } = await start();
    hub.report = reportOf("other", {});
    recordReport(state, hub.report);
    await clock.advance(0);
    await clock.advance(minuteMs);
    expect(writes.slice(1)).toEqual([writes[0]]);
  });

  it("reads again at once where its write made another report than it had read", async () => {
    const { clock, hub, cluster, writes } = await start();
    hub.report = undefined;
    cluster.version = "v1.35.0";
    await clock.advance(minuteMs);
    expect(writes).toHaveLength(3);
    expect(writes[1]).toBe("kubernetesVersion");
    expect(writes[2]).toContain("agentVersion");
  });

  it("logs the first of several failures, waits longer after each, and retries at once when the hub is back", async () => {
    const { clock, hub, cluster, writes, lines } = await start();
    hub.failure = new AppError("E_KUBE_SERVER", "down");
    cluster.version = "v1.35.0";
    const tries = async (waitMs: number): Promise<number> => {
      const before = hub.tries;
      await clock.advance(waitMs);
      return hub.tries - before;
    };
    expect(await tries(minuteMs)).toBeGreaterThan(3);
    await clock.advance(10 * minuteMs);
    expect(await tries(minuteMs)).toBeLessThan(2);
    expect(lines).toMatchObject([["reporting failed", { error: "E_KUBE_SERVER: down" }]]);
    hub.failure = undefined;
    hub.recover();
    await clock.advance(0);
    expect(writes.slice(1)).toEqual(["kubernetesVersion"]);
  });

  it("ends with its signal, also in the middle of a failure, without a line in the log", async () => {
    const { begin, hub, stopping, lines } = report();
    hub.failure = new AppError("E_KUBE_SERVER", "down");
    const done = begin();
    stopping.abort();
    await done;
    expect(lines).toEqual([]);
  });
});

describe("readReport", () => {
  const read = (parts: ReturnType<typeof report>) => readReport(parts.context, new AbortController().signal);

  it("has the epoch and the credential of the agent, and a manifest that it refused", async () => {
    const refused = { refused: { digest: "sha256:9", version: "0.0.9" } };
    expect(await read(report({ identity: refused }))).toMatchObject({
      epoch: 3,
      credentialNumber: 2,
      refusedManifestDigest: "sha256:9",
      refusedVersion: "0.0.9",
    });
    expect(await read(report())).not.toHaveProperty("refusedManifestDigest");
  });

  it("has the manifest that its own Deployment is from", async () => {
    const parts = report();
    const annotations = { "rollcall.dev/manifest-digest": "sha256:1" };
    parts.cluster.deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d", annotations } };
    expect((await read(parts)).appliedManifestDigest).toBe("sha256:1");
    expect(await read(report())).not.toHaveProperty("appliedManifestDigest");
  });

  it.each<ErrorCode>(["E_KUBE_UNREACHABLE", "E_KUBE_SERVER", "E_KUBE_TLS"])(
    "reports an unhealthy API server after %s, and nothing that it cannot read",
    async (code) => {
      const parts = report();
      parts.cluster.failure = new AppError(code, "down");
      const spec = await read(parts);
      expect(spec.health).toEqual({ livez: false, readyz: false });
      expect(Object.keys(spec)).not.toContain("nodes");
    },
  );

  it("rejects where its account lost a right, which is no sign of the API server's health", async () => {
    const parts = report();
    parts.cluster.failure = new AppError("E_KUBE_FORBIDDEN", "no");
    await expect(read(parts)).rejects.toMatchObject({ code: "E_KUBE_FORBIDDEN" });
  });
});
