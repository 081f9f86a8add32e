import { afterEach, describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import type { AgentSecrets } from "../../../src/agent/agent-secrets.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { followReport, recordReport } from "../../../src/agent/follow-report.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { sealAnswer, successorPlace } from "../../../src/join/rollcall/answers.ts";
import { makeIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import type { AgentIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import { signHubInfo } from "../../../src/join/rollcall/signed-hub-info.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { hubFacts } from "../join/hub-scene.ts";

const { hubId, trust } = hubFacts();
const hub = { id: hubId, url: "https://hub.example", caBundle: "ca" };
const credential = { number: 1, token: "t", issuedAt: "2027-01-01T00:00:00Z", expiresAt: "2027-01-02T00:00:00Z" };
const member: AgentIdentity = {
  ...makeIdentity({ hub, workspace: "fleet" }, "uid", Buffer.alloc(64, 5)),
  epoch: 2,
  membership: {
    clusterName: "eu-1",
    recoveryToken: "r",
    heartbeatPeriodSeconds: 60,
    credential: { ...credential, receivedAtMs: 0 },
  },
};

/** What the hub signed of itself. */
function infoOf(epoch: number, url = "https://hub.example") {
  const info = {
    hubId,
    trustKey: trust.publicKey,
    endpoints: [{ url, caBundle: "ca" }],
    validFrom: "2027-01-01T00:00:00Z",
    epoch,
  };
  return signHubInfo(info, (payload) => trust.sign(payload));
}

/** A report of the agent, or of another cluster, with what the hub answers in it. */
function reportOf(status: object, metadata: object = {}): KubeObject {
  const own = { name: "eu-1", namespace: "fleet", uid: "u", ...metadata };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterReport", metadata: own, status };
}

/** That the agent continues as the cluster `eu-2`, sealed for the agent of this report. */
function successorIn(name = "eu-1") {
  const answer = {
    clusterName: "eu-2",
    workspace: "west",
    credential: { ...credential, token: "of eu-2" },
    recoveryToken: "r2",
    hubInfo: infoOf(2),
    heartbeatPeriodSeconds: 60,
  };
  const place = { hubId, workspace: "fleet", place: successorPlace(name) };
  const keys = { sealingKey: member.keys.sealing.public, ephemeralKey: Buffer.alloc(32, 7) };
  return { successor: { sealed: sealAnswer(answer, place, keys) } };
}

describe("an agent that follows its report", () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

  function follow() {
    const [clock, stopping] = [createManualClock(), new AbortController()];
    const state = createAgentState();
    const seen = { reports: 0, left: 0, moved: 0, follows: 0, refusals: 0, deployments: 0, stops: 0 };
    const lines: (readonly [string, LogFields | undefined])[] = [];
    const note = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
    const log: Log = { ...silentLog, info: note, warn: note };
    const secrets = {
      identity: member as AgentIdentity | undefined,
      changeIdentity: async (change: (held: AgentIdentity | undefined) => AgentIdentity) =>
        (secrets.identity = change(secrets.identity)),
    };
    let onObject: (report: KubeObject | undefined) => void = () => undefined;
    let onError: (error: unknown) => void = () => undefined;
    const context = {
      state,
      clock,
      random: fixedRandom(),
      log,
      secrets: secrets as unknown as AgentSecrets,
      settings: { namespace: "rollcall-agent" },
      downstreamApi: {
        get: async () => {
          seen.deployments += 1;
          return undefined;
        },
      },
      link: {
        api: () => "api",
        onChange: () => () => undefined,
        onRecovery: () => () => undefined,
        recordRefusal: () => void (seen.refusals += 1),
        handleFailureOf: () => undefined,
      },
      followObject: (_: unknown, __: unknown, listeners: { onObject: typeof onObject; onError: typeof onError }) => {
        seen.follows += 1;
        ({ onObject, onError } = listeners);
        return { isAway: false, stop: async () => void (seen.stops += 1) };
      },
    } as unknown as AgentContext;
    state.reportNow = () => (seen.reports += 1);
    const { signal } = stopping;
    const done = followReport(context, {
      signal,
      onLeft: () => (seen.left += 1),
      onMoved: () => (seen.moved += 1),
    });
    const stop = async (): Promise<void> => {
      stopping.abort();
      await done;
    };
    ends.push(stop);
    const show = async (report: KubeObject | undefined): Promise<void> => {
      onObject(report);
      await clock.advance(0);
    };
    return { context, secrets, state, seen, lines, show, stop, fail: (error: unknown) => onError(error), clock };
  }

  it("takes over another address of its hub", async () => {
    const { secrets, show, lines, seen } = follow();
    await show(reportOf({ hubInfo: infoOf(2, "https://moved.example") }));
    expect(secrets.identity?.endpoints).toEqual([{ url: "https://moved.example", caBundle: "ca" }]);
    expect([lines, seen.reports]).toEqual([[], 0]);
  });

  it("reports at once to a hub that was restored, which expects its epoch in the report", async () => {
    const { secrets, show, lines, seen } = follow();
    await show(reportOf({ hubInfo: infoOf(3) }));
    expect(secrets.identity?.epoch).toBe(3);
    expect(lines).toEqual([["the hub was restored", { epoch: 3 }]]);
    expect(seen.reports).toBe(1);
  });

  it("ignores what an older copy of the hub sends, and logs that", async () => {
    const { secrets, show, lines, seen } = follow();
    const status = { hubInfo: infoOf(1, "https://old.example"), leave: { commit: "c", policy: "Uninstall", epoch: 2 } };
    await show(reportOf({ ...status, ...successorIn() }));
    expect(secrets.identity).toBe(member);
    expect(lines).toEqual([["the hub is an older copy: what it sends is ignored", { epoch: 2 }]]);
    expect([seen.left, seen.moved]).toEqual([0, 0]);
  });

  it.each([
    [61, true],
    [-61, true],
    [60, false],
    [-60, false],
    [undefined, false],
  ])("warns of a clock that differs by %s seconds from the hub's: %s", async (clockSkewSeconds, isLogged) => {
    const { show, lines } = follow();
    await show(reportOf({ clockSkewSeconds }));
    expect(lines).toEqual(isLogged ? [["this clock differs from the hub's", { aheadSeconds: clockSkewSeconds }]] : []);
  });

  it("continues as another cluster where its own report is sealed for that, and ends its work as the previous one", async () => {
    const { secrets, show, seen, lines } = follow();
    await show(reportOf(successorIn()));
    expect(secrets.identity).toMatchObject({
      workspace: "west",
      membership: { clusterName: "eu-2", credential: { token: "of eu-2" } },
      former: { workspace: "fleet", membership: { clusterName: "eu-1" } },
    });
    expect(lines).toEqual([["going on as another cluster", { cluster: "eu-2", workspace: "west" }]]);
    expect([seen.moved, seen.left, seen.deployments]).toEqual([1, 0, 0]);
  });

  it.each([
    ["another cluster", { name: "eu-9" }],
    ["another workspace", { namespace: "elsewhere" }],
  ])("does not continue by what is left in the report of %s", async (_, metadata) => {
    const { secrets, show, seen } = follow();
    await show(reportOf(successorIn("eu-9"), metadata));
    expect([secrets.identity, seen.moved]).toEqual([member, 0]);
  });

  const otherHub = { hubId: `sha256:${"2".repeat(64)}` };
  const otherWorkspace = { workspace: "west" };
  const leave = { commit: "c", policy: "Uninstall", epoch: 2 };
  it.each([
    ["hub orders it to leave", otherHub, { leave }],
    ["workspace orders it to leave", otherWorkspace, { leave }],
    ["hub offers it a manifest", otherHub, { manifest: { digest: "d", configMap: "m" } }],
  ])("A274 stays as it is where its former %s, after it has joined another one", async (_, joined, status) => {
    const { secrets, show, seen, state } = follow();
    secrets.identity = { ...member, ...joined };
    await show(reportOf(status));
    expect([state.isLeaving, seen.left, seen.deployments]).toEqual([false, 0, 0]);
  });

  it("A274 stays where it joins another hub while it reads what the former one orders", async () => {
    const { secrets, show, seen, state } = follow();
    secrets.changeIdentity = async () => (secrets.identity = { ...member, ...otherHub });
    await show(reportOf({ hubInfo: infoOf(3), leave: { ...leave, epoch: 3 } }));
    expect([state.isLeaving, seen.left]).toEqual([false, 0]);
  });

  it.each([
    [{ digest: "d", configMap: "m" }, 1],
    [{ digest: "d" }, 0],
    [{ configMap: "m" }, 0],
    [undefined, 0],
  ])("reads its Deployment for an offered manifest %j: %s times", async (manifest, times) => {
    const { show, seen } = follow();
    await show(reportOf({ manifest }));
    expect(seen.deployments).toBe(times);
  });

  it("does nothing before the report is there, and without an identity", async () => {
    const { show, seen, lines } = follow();
    await show(undefined);
    expect([seen.deployments, lines]).toEqual([0, []]);
    const without = follow();
    without.secrets.identity = undefined;
    await without.show(reportOf({ clockSkewSeconds: 100 }));
    expect(without.lines).toEqual([]);
  });

  it("tries again what fails, and logs it", async () => {
    const { show, lines, secrets, clock } = follow();
    const { changeIdentity } = secrets;
    secrets.changeIdentity = () => Promise.reject(new Error("the Secret cannot be written"));
    await show(reportOf({ hubInfo: infoOf(3) }));
    expect(lines).toMatchObject([["acting on the report failed", { error: "the Secret cannot be written" }]]);
    secrets.changeIdentity = changeIdentity;
    await clock.advance(60_000);
    expect(secrets.identity?.epoch).toBe(3);
  });

  it("stops to follow with its end, and handles no failure after it", async () => {
    const { stop, fail, seen } = follow();
    fail(new Error("broken"));
    expect(seen.refusals).toBe(1);
    await stop();
    fail(new Error("broken by the end"));
    expect([seen.refusals, seen.stops]).toEqual([1, 1]);
  });
});

describe("recordReport", () => {
  it.each([
    { reason: "is the one that was written", sent: "a", uid: "a", reports: 0 },
    { reason: "is another one, which is empty", sent: "a", uid: "b", reports: 1 },
    { reason: "is seen before one was written", sent: undefined, uid: "b", reports: 0 },
  ])("writes the report at once where it $reason: $reports times", ({ sent, uid, reports }) => {
    const state = createAgentState();
    let now = 0;
    Object.assign(state, { sentUid: sent, reportNow: () => (now += 1) });
    recordReport(state, { ...reportOf({}, { uid }), spec: { agentVersion: "1" } });
    expect(now).toBe(reports);
    expect([state.reportUid, state.shown]).toEqual([uid, { agentVersion: "1" }]);
  });

  it("remembers which report a deleted one was", () => {
    const state = createAgentState();
    recordReport(state, reportOf({}, { uid: "a" }));
    recordReport(state, undefined);
    expect([state.reportUid, state.shown]).toEqual(["a", undefined]);
  });
});
