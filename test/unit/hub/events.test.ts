import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import type { HubEvent } from "../../../src/hub/events.ts";
import { startEventRecorder, tokenTransitions, reportTransitions } from "../../../src/hub/events.ts";
import type { Condition, KubeObject } from "../../../src/model/kubernetes.ts";

const cluster: KubeObject = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: { name: "eu-1", namespace: "fleet", uid: "u1" },
};

function recorder(limits: { burst?: number; ratePerSecond?: number } = {}, isFailing = false) {
  const written: KubeObject[] = [];
  const time = { nowMs: 1_000_000 };
  const made = startEventRecorder({
    hubApi: {
      create: async (object) => {
        if (isFailing) throw new Error("the namespace is being deleted");
        written.push(object);
        return object;
      },
    },
    clock: { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs, sleep: () => Promise.resolve() },
    log: silentLog,
    ...limits,
  });
  return { made, written, time };
}

function event(message: string): HubEvent {
  return { regarding: cluster, type: "Normal", reason: "Joined", message };
}

describe("startEventRecorder", () => {
  it("writes a core Event beside the object", async () => {
    const { made, written } = recorder();
    made.record(event("It has joined."));
    await made.stop();
    expect(written).toMatchObject([
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { generateName: "eu-1-", namespace: "fleet" },
        involvedObject: { kind: "Cluster", name: "eu-1", namespace: "fleet", uid: "u1" },
        type: "Normal",
        reason: "Joined",
        message: "It has joined.",
        firstTimestamp: "1970-01-01T00:16:40Z",
      },
    ]);
  });

  it("records the same once, and again after ten minutes", async () => {
    const { made, written, time } = recorder();
    made.record(event("a"));
    time.nowMs += 599_000;
    made.record(event("a"));
    expect(written).toHaveLength(1);
    time.nowMs += 1_000;
    made.record(event("a"));
    expect(written).toHaveLength(2);
  });

  it("drops what comes faster than its rate, and continues when time has passed", () => {
    const { made, written, time } = recorder({ burst: 3, ratePerSecond: 1 });
    for (let index = 0; index < 10; index++) made.record(event(`${index}`));
    expect(written).toHaveLength(3);
    time.nowMs += 2_000;
    for (let index = 10; index < 20; index++) made.record(event(`${index}`));
    expect(written).toHaveLength(5);
  });

  it("A118 writes the Events of a cluster while another one's agent has a condition change without an end", () => {
    const { made, written, time } = recorder();
    const other = { ...cluster, metadata: { ...cluster.metadata, name: "us-1", uid: "u2" } };
    for (let change = 0; change < 10_000; change++) {
      made.record(event(`None of ${change} nodes is ready.`));
      time.nowMs += 10;
    }
    made.record({ ...event("The agent missed its heartbeats."), regarding: other });
    const names = written.map(({ involvedObject }) => (involvedObject as { name: string }).name);
    expect(names.filter((name) => name === "eu-1")).toHaveLength(23);
    expect(names.at(-1)).toBe("us-1");
  });

  it("A118 writes the Events of a cluster while requests of others are refused without an end", () => {
    const { made, written } = recorder();
    const request = (index: number): KubeObject => ({
      apiVersion: cluster.apiVersion,
      kind: "ClusterRegistration",
      metadata: { name: `door-${index}`, namespace: "fleet", uid: `r${index}` },
    });
    for (let index = 0; index < 10_000; index++) made.record({ ...event("It is refused."), regarding: request(index) });
    made.record(event("The agent missed its heartbeats."));
    expect(written).toHaveLength(51);
    expect(written.at(-1)).toMatchObject({ involvedObject: { kind: "Cluster", name: "eu-1" } });
  });

  it("writes an Event that was dropped when it is due again", () => {
    const { made, written, time } = recorder({ burst: 1, ratePerSecond: 1 });
    made.record(event("a"));
    made.record(event("b"));
    expect(written).toHaveLength(1);
    time.nowMs += 1_000;
    made.record(event("b"));
    expect(written).toHaveLength(2);
  });

  it("fails no member when an event cannot be written", async () => {
    const { made } = recorder({}, true);
    made.record(event("a"));
    await expect(made.stop()).resolves.toBeUndefined();
  });

  it("has a name that an API server takes, also where the object's long name has a dot at the cut", () => {
    const { made, written } = recorder();
    const name = `${"a".repeat(198)}..${"b".repeat(40)}`;
    made.record({ ...event("a"), regarding: { ...cluster, metadata: { ...cluster.metadata, name } } });
    expect(written[0]?.metadata.generateName).toBe(`${"a".repeat(198)}-`);
  });

  it("bounds a message", () => {
    const { made, written } = recorder();
    made.record(event("x".repeat(5000)));
    expect(String(written[0]?.["message"])).toHaveLength(1024);
  });
});

describe("reportTransitions", () => {
  const condition = (type: string, status: Condition["status"], reason: string): Condition => ({
    type,
    status,
    reason,
    message: `${reason}.`,
    lastTransitionTime: "2026-01-01T00:00:00Z",
  });

  it.each<readonly [Condition | undefined, Condition, HubEvent["type"] | undefined, string]>([
    [undefined, condition("Joined", "True", "Joined"), "Normal", "a join"],
    [condition("Joined", "False", "W"), condition("Joined", "True", "Joined"), "Normal", "a join after waiting"],
    [undefined, condition("Joined", "False", "WaitingForAgent"), undefined, "waiting is no event"],
    [condition("Healthy", "True", "R"), condition("Healthy", "Unknown", "HeartbeatMissed"), "Warning", "silence"],
    [
      condition("Healthy", "Unknown", "HeartbeatMissed"),
      condition("Healthy", "True", "AgentReports"),
      "Normal",
      "it came back",
    ],
    [
      condition("Healthy", "Unknown", "NotJoined"),
      condition("Healthy", "True", "AgentReports"),
      undefined,
      "first report",
    ],
    [undefined, condition("Healthy", "True", "AgentReports"), undefined, "the join reports it already"],
    [
      condition("CredentialsValid", "True", "R"),
      condition("CredentialsValid", "False", "Expired"),
      "Warning",
      "expiry",
    ],
    [
      condition("AgentUpToDate", "True", "U"),
      condition("AgentUpToDate", "False", "RolledBack"),
      "Warning",
      "roll-back",
    ],
    [undefined, condition("Stalled", "True", "KubeconfigRefused"), "Warning", "it needs a person"],
    [condition("Ready", "True", "Ready"), condition("Ready", "False", "Leaving"), undefined, "its parts are reported"],
    [condition("Joined", "True", "Joined"), condition("Joined", "True", "Again"), undefined, "it had joined before"],
    [condition("Joined", "True", "Joined"), condition("Joined", "False", "Lost"), undefined, "no join"],
    [condition("Healthy", "False", "R"), condition("Healthy", "True", "AgentReports"), "Normal", "it recovered"],
    [condition("Healthy", "Unknown", "N"), condition("Healthy", "False", "R"), undefined, "it was not healthy before"],
    [condition("Healthy", "False", "R"), condition("Healthy", "False", "S"), undefined, "it is as unhealthy as before"],
    [condition("Accepted", "True", "A"), condition("Accepted", "False", "NameTaken"), "Warning", "a refusal"],
    [
      condition("Accepted", "False", "NameTaken"),
      condition("Accepted", "False", "NameExists"),
      "Warning",
      "another one",
    ],
    [condition("Accepted", "False", "NameTaken"), condition("Accepted", "True", "A"), undefined, "no refusal any more"],
    [undefined, condition("CredentialsValid", "False", "N"), undefined, "there was none that could end"],
    [
      condition("AgentUpToDate", "False", "O"),
      condition("AgentUpToDate", "True", "U"),
      undefined,
      "an agent as wanted",
    ],
    [undefined, condition("ClockSynced", "False", "ClockSkew"), "Warning", "a clock that is wrong"],
    [condition("ClockSynced", "False", "A"), condition("ClockSynced", "False", "B"), undefined, "it was wrong before"],
    [undefined, condition("Declared", "False", "NotInGit"), "Warning", "no file declares it"],
    [condition("Declared", "False", "A"), condition("Declared", "False", "B"), undefined, "no file declared it before"],
    [condition("Stalled", "True", "R"), condition("Stalled", "False", "S"), undefined, "nobody is needed any more"],
    [undefined, condition("Reconciling", "True", "Progressing"), undefined, "work is no event"],
  ])("from %o to %o reports %s: %s", (before, after, told) => {
    const events = reportTransitions(cluster, before ? [before] : undefined, [after]);
    const wanted =
      told === undefined ? [] : [{ regarding: cluster, type: told, reason: after.reason, message: after.message }];
    expect(events).toEqual(wanted);
    expect(reportTransitions(cluster, [after], [after])).toEqual([]);
  });
});

describe("reportTransitions, of several conditions", () => {
  it("compares each condition with the one of its type", () => {
    const of = (type: string, status: Condition["status"]): Condition => ({
      type,
      status,
      reason: "R",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
    const before = [of("Healthy", "False"), of("Joined", "True")];
    expect(reportTransitions(cluster, before, [of("Joined", "True"), of("Healthy", "False")])).toEqual([]);
    expect(reportTransitions(cluster, before, [of("Joined", "True"), of("Healthy", "True")])).toHaveLength(1);
  });
});

describe("tokenTransitions", () => {
  const ready = (reason: string): Condition[] => [
    { type: "Ready", status: "True", reason, message: `It is ${reason}.`, lastTransitionTime: "2027-01-01T00:00:00Z" },
  ];

  it.each(["ExpiresSoon", "Expired", "UsedUp", "Revoked"])("warns once when a token is %s", (reason) => {
    const told = tokenTransitions(cluster, ready("Open"), ready(reason));
    expect(told).toEqual([{ regarding: cluster, type: "Warning", reason, message: `It is ${reason}.` }]);
    expect(tokenTransitions(cluster, ready(reason), ready(reason))).toEqual([]);
  });

  it("reports nothing of a token that opens", () => {
    expect(tokenTransitions(cluster, undefined, ready("Preparing"))).toEqual([]);
    expect(tokenTransitions(cluster, ready("Preparing"), ready("Open"))).toEqual([]);
  });
});
