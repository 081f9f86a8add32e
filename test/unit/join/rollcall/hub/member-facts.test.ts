import { describe, expect, it } from "vitest";
import {
  agentNamespaceOf,
  credentialInUse,
  hasConfirmed,
  heartbeatOf,
  isGranted,
  isLeaving,
  otherAgentNamed,
  recoveryTokenOf,
  registrationOf,
  usableCredentials,
} from "../../../../../src/join/rollcall/hub/member-facts.ts";
import { recoverySecretName } from "../../../../../src/model/dialects/rollcall.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, workspace } from "../../hub-scene.ts";
import { statusMirror } from "../../../../../src/join/rollcall/hub/status-mirror.ts";

const agent = makeAgent();
const time = new Date(startMs).toISOString();
const credential = { number: 3, issuedAt: time, expiresAt: time };
const state: MemberState = memberStateOf(agent, { credential, liveCredentials: [2, 3] });
const object = (kind: string, name: string, rest: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace: workspace },
  ...rest,
});
const report = (spec: object) => object("ClusterReport", "eu-1", { spec });

describe("usableCredentials: which credentials of an agent are good", () => {
  it("are all until the agent works with the newest, and that one alone from then on", () => {
    expect(usableCredentials(memberOf("eu-1", { state, children: [report({ credentialNumber: 2 })] }))).toEqual([2, 3]);
    expect(usableCredentials(memberOf("eu-1", { state, children: [report({ credentialNumber: 3 })] }))).toEqual([3]);
    expect(usableCredentials(memberOf("eu-1", { state: { ...state, liveCredentials: undefined } }))).toEqual([3]);
    expect(usableCredentials(memberOf("eu-1", { state: { liveCredentials: [1] } }))).toEqual([]);
    expect(usableCredentials(memberOf("eu-1"))).toEqual([]);
  });

  it("are not confirmed by a report that names none, or of a member that has none", () => {
    expect(hasConfirmed(memberOf("eu-1", { state: {}, children: [report({})] }))).toBe(false);
    expect(hasConfirmed(memberOf("eu-1", { state: {}, children: [report({ credentialNumber: 3 })] }))).toBe(false);
    expect(credentialInUse(memberOf("eu-1", { children: [report({})] }))).toBe(0);
  });
});

describe("what is known of a member", () => {
  it("is whether it was admitted and whether it leaves", () => {
    expect(isGranted(memberOf("eu-1", { state }))).toBe(true);
    expect(isGranted(memberOf("eu-1", { state: { ...state, keys: undefined } }))).toBe(false);
    expect(isGranted(memberOf("eu-1", { state: { ...state, join: undefined } }))).toBe(false);
    const member = memberOf("eu-1");
    const deleted = {
      ...member,
      cluster: { ...member.cluster, metadata: { ...member.cluster.metadata, deletionTimestamp: time } },
    };
    expect([isLeaving(member), isLeaving(deleted)]).toEqual([false, true]);
    expect(isLeaving(memberOf("eu-1", { annotations: { "rollcall.dev/leave": "" } }))).toBe(true);
  });

  it.each([
    [{}, undefined],
    [{ identity: { keys: [] } }, undefined],
    [{ identity: { keys: ["sha256:other", agent.digest] }, clientID: "uid-1" }, undefined],
    [{ identity: { keys: ["sha256:other"] }, clientID: "uid-1" }, "KeyMismatch"],
    [{ identity: { keys: [agent.digest] }, clientID: "uid-2" }, "ClientIDMismatch"],
  ])("A219 is whether its file names another agent: %j %s", (spec, expected) => {
    expect(otherAgentNamed(memberOf("eu-1", { state, spec }))).toBe(expected);
    expect(otherAgentNamed(memberOf("eu-1", { spec }))).toBeUndefined();
  });

  it("is the registration by which it joined", () => {
    const registration = object("ClusterRegistration", "edge-old");
    expect(
      registrationOf(memberOf("eu-1", { state, children: [object("ClusterRegistration", "other"), registration] })),
    ).toBe(registration);
    expect(registrationOf(memberOf("eu-1", { children: [registration] }))).toBeUndefined();
  });

  it("is the recovery token of its own agent, and of no other", () => {
    const secretOf = (digest: string) =>
      object("Secret", recoverySecretName("eu-1", digest), {
        data: { token: Buffer.from("opaque").toString("base64") },
      });
    expect(recoveryTokenOf(memberOf("eu-1", { state, children: [secretOf(agent.digest)] }))).toBe("opaque");
    expect(recoveryTokenOf(memberOf("eu-1", { state, children: [secretOf(makeAgent().digest)] }))).toBeUndefined();
    expect(recoveryTokenOf(memberOf("eu-1", { state: {}, children: [secretOf(agent.digest)] }))).toBeUndefined();
  });

  it("is how often it sends heartbeats, and from when on it counts as unresponsive", () => {
    expect(heartbeatOf(memberOf("eu-1"))).toEqual({ periodSeconds: 60, windowSeconds: 180 });
    expect(heartbeatOf(memberOf("eu-1", { spec: { heartbeat: { periodSeconds: 10, failureThreshold: 5 } } }))).toEqual({
      periodSeconds: 10,
      windowSeconds: 50,
    });
  });
});

describe("agentNamespaceOf: where the agent is", () => {
  const { join } = state;
  if (join === undefined) throw new Error("no join");
  const byHub: MemberState = { ...state, join: { ...join, initiated: "hub" } };
  const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, time, namespace: "installed" };
  const namespaceOf = (of: MemberState, said?: string, declared?: string): string =>
    agentNamespaceOf(
      memberOf("eu-1", {
        spec: declared === undefined ? {} : { agent: { namespace: declared } },
        state: of,
        children: [report({ agentNamespace: said })],
      }),
    );

  it.each<[string, MemberState, string | undefined, string | undefined, string]>([
    ["is what the file declares", state, "said", "declared", "declared"],
    ["is what an agent reports that a person installed", state, "said", undefined, "said"],
    ["is where the hub installed it, whatever it reports", { ...byHub, install }, "said", undefined, "installed"],
    ["is the default where nothing is known", byHub, undefined, undefined, "rollcall-agent"],
    ["is no name that can be none", { ...state, install }, "-x", undefined, "installed"],
    ["is no name that is too long", state, "x".repeat(64), undefined, "rollcall-agent"],
    ["is the longest name that can be one", state, "x".repeat(63), undefined, "x".repeat(63)],
  ])("%s", (...[, of, said, declared, expected]) => {
    expect(namespaceOf(of, said, declared)).toBe(expected);
  });
});

describe("isOnlyHeartbeat: the Lease of a cluster", () => {
  const lease = (metadata: object = {}, spec: object = {}): KubeObject => ({
    ...object("Lease", "rollcall-eu-1", { spec }),
    metadata: { name: "rollcall-eu-1", namespace: workspace, ...metadata },
  });
  it.each<[string, KubeObject | undefined, KubeObject | undefined, boolean]>([
    ["that was renewed", lease({}, { renewTime: "a" }), lease({}, { renewTime: "b" }), true],
    ["that is new", undefined, lease(), true],
    ["that was deleted", lease(), undefined, false],
    ["whose labels changed", lease(), lease({ labels: { a: "b" } }), false],
    ["whose annotations changed", lease(), lease({ annotations: { a: "b" } }), false],
    ["that has a finalizer now", lease(), lease({ finalizers: ["x"] }), false],
    [
      "that has an owner now",
      lease(),
      lease({ ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] }),
      false,
    ],
  ])("%s", (_what, before, after, expected) => {
    expect(statusMirror.isOnlyHeartbeat(before, after)).toBe(expected);
  });

  it.each<[object, number | undefined]>([
    [{ renewTime: "2027-01-01T00:01:00Z", acquireTime: "2027-01-01T00:00:00Z" }, 60_000],
    [{ renewTime: "2027-01-01T00:00:00Z", acquireTime: "2027-01-01T00:00:00Z" }, 0],
    [{ renewTime: "2027-01-01T00:00:00Z", acquireTime: "2027-01-01T00:00:01Z" }, undefined],
    [{ renewTime: "2027-01-01T00:00:00Z" }, undefined],
  ])("%j was held for %s ms", (spec, heldMs) => {
    expect(statusMirror.heartbeatIn(lease({}, spec))?.heldMs).toBe(heldMs);
    expect(statusMirror.factsOf(memberOf("eu-1"), hubFacts()).hasJoined).toBe(false);
  });
});
