import { describe, expect, it } from "vitest";
import { memberManifest } from "../../../src/join/rollcall/hub/member-manifest.ts";
import { rejoinOf } from "../../../src/join/rollcall/hub/rejoin.ts";
import type { MemberInstall, MemberState } from "../../../src/model/member-state.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { HubFacts, Member } from "../../../src/model/member.ts";
import type { HeartbeatState } from "../../../src/planning/cluster-status-inputs.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, workspace } from "./hub-scene.ts";
import type { MemberParts } from "./hub-scene.ts";

const agent = makeAgent();
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The window is three heartbeats of a minute. */
const windowMs = 3 * minuteMs;
const time = (ms: number): string => new Date(ms).toISOString();
const silent = (forMs: number): HeartbeatState => ({ kind: "unresponsive", forMs });
const alive: HeartbeatState = { kind: "alive" };

const installed = (changes: Partial<MemberInstall> = {}): MemberInstall => ({
  bootstrap: 1,
  manifestDigest: "",
  kubeconfigDigest: "",
  redeployGeneration: 0,
  time: time(startMs - 2 * hourMs),
  namespace: "rollcall-agent",
  ...changes,
});

/** A member that the hub installed and that joined; its agent runs what is wanted, unless `runs` names another. */
function joined(parts: MemberParts & { readonly runs?: string; readonly refused?: string } = {}): Member {
  const { spec, state, runs, refused, ...rest } = parts;
  const base = {
    ...rest,
    spec: { kubeConfigSecretRef: { name: "kubeconfig" }, ...spec },
    state: memberStateOf(agent, { install: installed(), ...state }),
  };
  const wanted = memberManifest(memberOf("eu-1", base), hubFacts()).digest;
  const report: KubeObject = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterReport",
    metadata: { name: "eu-1", namespace: workspace },
    spec: {
      protocolVersion: 1,
      agentNamespace: "rollcall-agent",
      appliedManifestDigest: runs ?? wanted,
      ...(refused === undefined ? {} : { refusedManifestDigest: refused === "wanted" ? wanted : refused }),
    },
  };
  return memberOf("eu-1", { ...base, children: [report] });
}

function notInstalled(changes: MemberState = {}): Member {
  const { state, ...member } = joined();
  const { install: _, ...rest } = state ?? {};
  return { ...member, state: { ...rest, ...changes } };
}

const result = (member: Member, heartbeat: HeartbeatState, changes: Partial<HubFacts> = {}) =>
  rejoinOf(member, hubFacts(changes), heartbeat);

describe("rejoinOf: an unresponsive agent", () => {
  it("waits for a second window, then is installed again", () => {
    const member = joined();
    expect(result(member, alive)).toEqual({});
    expect(result(member, silent(windowMs + 1000))).toEqual({ changesAtMs: startMs + windowMs - 1000 });
    expect(result(member, silent(2 * windowMs))).toEqual({ reason: "AgentLost" });
  });

  it("is installed once an hour at most, whatever came of it", () => {
    const justInstalled = joined({ state: { install: installed({ time: time(startMs - 10 * minuteMs) }) } });
    expect(result(justInstalled, silent(hourMs))).toEqual({ changesAtMs: startMs + 50 * minuteMs });
    const justTried = joined({ state: { rejoinAt: time(startMs - 59 * minuteMs) } });
    expect(result(justTried, silent(5 * hourMs))).toEqual({ changesAtMs: startMs + minuteMs });
    expect(result(justTried, silent(5 * hourMs), { nowMs: startMs + minuteMs })).toEqual({ reason: "AgentLost" });
  });

  it("is installed again, too, where its installation was not recorded, or that was lost with a former hub", () => {
    const join = { registration: "r", time: time(startMs - 10 * minuteMs) };
    const byHub = notInstalled({ join: { ...join, initiated: "hub" } });
    expect(result(byHub, silent(hourMs))).toEqual({ changesAtMs: startMs + 50 * minuteMs });
    expect(result(byHub, silent(hourMs), { nowMs: startMs + 50 * minuteMs })).toEqual({ reason: "AgentLost" });
    const byPerson = notInstalled({ join: { ...join, initiated: "agent" } });
    expect(result(byPerson, silent(hourMs), { nowMs: startMs + 50 * minuteMs })).toEqual({});
  });

  it.each<[string, Member]>([
    ["there is no kubeconfig", memberOf("eu-1", { state: memberStateOf(agent, { install: installed() }) })],
    ["somebody else installed it", notInstalled()],
    ["it is paused", joined({ spec: { paused: true } })],
    ["it leaves", joined({ annotations: { "rollcall.dev/leave": "c0ffee" } })],
    ["it was revoked", joined({ annotations: { "rollcall.dev/revoked": "-/who/when" } })],
    ["it becomes another cluster", joined({ annotations: { "rollcall.dev/moved-to": "fleet/eu-2" } })],
    ["it reverted from what is wanted", joined({ runs: "sha256:before", refused: "wanted" })],
  ])("is not installed again where %s", (_reason, member) => {
    expect(result(member, silent(5 * hourMs))).toEqual({});
  });

  it("is admitted by what it was given until it reports, or that has ended", () => {
    const bootstrap = { number: 2, issuedAt: time(startMs), expiresAt: time(startMs + hourMs) };
    const begun = { rejoin: "AgentLost", rejoinAt: time(startMs) } as const;
    expect(result(joined({ state: begun }), silent(hourMs))).toEqual({ reason: "AgentLost" });
    const given = joined({
      state: { ...begun, bootstrap, install: installed({ bootstrap: 2, time: time(startMs) }) },
    });
    const stays = { reason: "AgentLost", changesAtMs: startMs + hourMs };
    expect(result(given, silent(hourMs))).toEqual(stays);
    expect(result(joined({ state: { ...begun, bootstrap } }), alive)).toEqual(stays);
    expect(result(given, alive)).toEqual({});
    expect(result(given, silent(hourMs), { nowMs: startMs + hourMs })).toEqual({});
  });
});

describe("rejoinOf: after the hub's clock was set back by a day", () => {
  const tomorrowMs = startMs + 24 * hourMs;

  it("installs an unresponsive agent again, and then waits an hour as ever", () => {
    const install = installed({ time: time(tomorrowMs) });
    const member = joined({ state: { install, rejoinAt: time(tomorrowMs) } });
    expect(result(member, silent(2 * windowMs))).toEqual({ reason: "AgentLost" });
    const tried = joined({ state: { install, rejoinAt: time(startMs) } });
    expect(result(tried, silent(2 * windowMs))).toEqual({ changesAtMs: startMs + hourMs });
  });

  it("ends what it began before, when the agent reports: it is not installed again and again", () => {
    const bootstrap = { number: 2, issuedAt: time(startMs), expiresAt: time(startMs + hourMs) };
    const install = installed({ bootstrap: 2, time: time(startMs) });
    const state = { rejoin: "AgentLost", rejoinAt: time(tomorrowMs), bootstrap, install } as const;
    expect(result(joined({ state }), alive)).toEqual({});
  });

  it("takes the clock of another leader, seconds ahead, for what it is", () => {
    const rejoinAt = time(startMs + 5000);
    const former = { number: 1, issuedAt: time(startMs - 2 * hourMs), expiresAt: time(startMs - hourMs) };
    const begun = joined({ state: { rejoin: "AgentLost", rejoinAt, bootstrap: former } });
    expect(result(begun, silent(hourMs))).toEqual({ reason: "AgentLost" });
    expect(result(joined({ state: { rejoinAt } }), silent(hourMs))).toEqual({ changesAtMs: startMs + 5000 + hourMs });
  });
});

describe("rejoinOf: a raised redeployGeneration", () => {
  const spec = { agent: { redeployGeneration: 1 } };
  const waiting = { agentHold: () => ({ reason: "WaitingForWave", message: "" }) };
  const heldAsSilent = { agentHold: () => ({ reason: "AgentSilent", message: "" }) };

  it("has an unresponsive agent installed at once, and nothing done for one that follows by itself", () => {
    expect(result(joined({ spec, runs: "sha256:before" }), silent(windowMs + 1))).toEqual({ reason: "Redeploy" });
    expect(result(joined({ spec }), alive)).toEqual({});
    expect(result(joined({ spec, runs: "sha256:before" }), alive)).toEqual({});
  });

  it("waits for the cluster's turn, but an unresponsive one has none", () => {
    const member = joined({ spec, runs: "sha256:before" });
    expect(result(member, silent(windowMs + 1), waiting)).not.toHaveProperty("reason");
    expect(result(member, silent(windowMs + 1), heldAsSilent)).toEqual({ reason: "Redeploy" });
  });

  it("moves an agent to another namespace, which it cannot do itself", () => {
    const moved = { agent: { redeployGeneration: 1, namespace: "elsewhere" } };
    expect(result(joined({ spec: moved, runs: "sha256:before" }), alive)).toEqual({ reason: "Redeploy" });
    const { redeployGeneration: _, ...unraised } = moved.agent;
    expect(result(joined({ spec: { agent: unraised }, runs: "sha256:before" }), alive)).toEqual({});
  });

  it("ends when the agent reports that it runs what is wanted", () => {
    const bootstrap = { number: 2, issuedAt: time(startMs), expiresAt: time(startMs + hourMs) };
    const install = installed({ bootstrap: 2, redeployGeneration: 1, time: time(startMs) });
    const state = { rejoin: "Redeploy", rejoinAt: time(startMs), bootstrap, install } as const;
    const stays = { reason: "Redeploy", changesAtMs: startMs + hourMs };
    expect(result(joined({ spec, state, runs: "sha256:before" }), alive)).toEqual(stays);
    expect(result(joined({ spec, state }), alive)).toEqual({});
  });
});
