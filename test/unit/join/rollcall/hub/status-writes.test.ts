import { describe, expect, it } from "vitest";
import { memberManifest } from "../../../../../src/join/rollcall/hub/member-manifest.ts";
import {
  clockSkewSeconds,
  keptAnswer,
  memberStatusWrites,
  reportStatus,
} from "../../../../../src/join/rollcall/hub/status-writes.ts";
import { isSuccessorDue, keptSuccessor } from "../../../../../src/join/rollcall/hub/successor.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../../src/model/member.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";

const agent = makeAgent();
const time = (laterMs: number): string => new Date(startMs + laterMs).toISOString();
const credential = { number: 2, issuedAt: time(0), expiresAt: time(86_400_000) };
const state: MemberState = memberStateOf(agent, { credential, answeredNonce: 7 });
const sealed = { enc: "e", ciphertext: "c" };
const renewal = { nonce: 7, number: 2, sealed };
const reportOf = (parts: { spec?: object; status?: object; metadata?: object } = {}): KubeObject => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterReport",
  ...parts,
  metadata: { name: "eu-1", namespace: workspace, ...parts.metadata },
});
const memberWith = (report: KubeObject, parts: MemberParts = {}): Member =>
  memberOf("eu-1", { state, children: [report], ...parts });
const leave = { "rollcall.dev/leave": "c0ffee" };

describe("keptAnswer: an answer that its agent has not read yet", () => {
  it("stays until the agent reports the credential in it", () => {
    expect(keptAnswer(memberWith(reportOf({ spec: { credentialNumber: 1 }, status: { renewal } })))).toEqual(renewal);
    expect(keptAnswer(memberWith(reportOf({ spec: { credentialNumber: 2 }, status: { renewal } })))).toBeUndefined();
  });

  it.each<[string, object]>([
    ["is to another request", { ...renewal, nonce: 6 }],
    ["names no request", { ...renewal, nonce: undefined }],
    ["names no number", { ...renewal, number: undefined }],
    ["is half sealed", { ...renewal, sealed: { enc: "e" } }],
    ["is the other half", { ...renewal, sealed: { ciphertext: "c" } }],
  ])("is none that %s", (_what, answer) => {
    expect(keptAnswer(memberWith(reportOf({ status: { renewal: answer } })))).toBeUndefined();
  });
});

describe("statusWrites: the report of a member", () => {
  const written = (report: KubeObject, parts: MemberParts = {}) =>
    memberStatusWrites(memberWith(report, parts), hubFacts());
  const asked = { renewal: { nonce: 7 }, credentialNumber: 1 };

  it("keeps the answer in it, and does not take away one that it does not see yet", () => {
    expect(written(reportOf({ spec: asked, status: { renewal } }))[0]?.status["renewal"]).toEqual(renewal);
    expect(written(reportOf({ spec: asked }))).toEqual([]);
    expect(written(reportOf({ spec: { ...asked, credentialNumber: 2 } }))).toHaveLength(1);
    expect(written(reportOf({ spec: { ...asked, renewal: { nonce: 8 } } }))).toHaveLength(1);
    expect(written(reportOf())).toHaveLength(1);
  });

  it.each<[string, MemberParts]>([
    ["of one that is revoked", { annotations: { "rollcall.dev/revoked": "-/operator/now" } }],
    ["of one that was not let in", { state: {} }],
    ["that is not there", { children: [] }],
  ])("is not written %s", (_what, parts) => {
    expect(written(reportOf(), parts)).toEqual([]);
  });

  const statusOf = (parts: MemberParts = {}) => reportStatus(memberWith(reportOf(), parts), hubFacts());

  it("names the manifest to apply, and none to one that leaves or is paused", () => {
    expect(statusOf().manifest?.configMap).toBe("rollcall-agent-eu-1");
    expect(statusOf({ annotations: leave })).not.toHaveProperty("manifest");
    expect(statusOf({ spec: { paused: true } })).not.toHaveProperty("manifest");
    expect(statusOf({ spec: { paused: false } }).manifest).toBeDefined();
  });

  it.each<[MemberState["rejoin"], boolean]>([
    ["Redeploy", false],
    ["AgentLost", true],
    [undefined, true],
  ])("offers the previous manifest while the hub installs the agent again by %s: %s", (rejoin, isShown) => {
    const previous = memberManifest(memberOf("eu-1", { state }), hubFacts());
    const map: KubeObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "rollcall-agent-eu-1",
        namespace: workspace,
        annotations: { "rollcall.dev/manifest-digest": previous.digest, "rollcall.dev/agent-inputs": "previous" },
      },
      data: { manifest: previous.text },
    };
    const report = reportOf({ spec: { protocolVersion: 1, appliedManifestDigest: previous.digest } });
    const parts = (spec: NonNullable<MemberParts["spec"]>): MemberParts => ({
      spec,
      state: { ...state, ...(rejoin === undefined ? {} : { rejoin }) },
      children: [report, map],
    });
    const agentHold = () => ({ reason: "AgentSilent" as const, message: "m" });
    const held = reportStatus(memberOf("eu-1", parts({ agent: { redeployGeneration: 1 } })), hubFacts({ agentHold }));
    expect(held.manifest?.digest).toBe(isShown ? previous.digest : undefined);
    // What is installed is what is offered.
    const settled = reportStatus(memberOf("eu-1", parts({})), hubFacts({ agentHold }));
    expect(settled.manifest?.digest).toBe(previous.digest);
  });

  const leaving: MemberState = { ...state, leave: { commit: "c0ffee", since: time(0) } };
  it.each<[string, MemberParts, boolean]>([
    ["whose file declares it", { spec: { deletionPolicy: "Uninstall" }, annotations: leave, state: leaving }, true],
    ["that is detached", { annotations: leave, state: leaving }, false],
    [
      "that the hub removes itself",
      { spec: { kubeConfigSecretRef: { name: "k" } }, annotations: leave, state: leaving },
      false,
    ],
    ["that does not leave", { spec: { deletionPolicy: "Uninstall" }, state: leaving }, false],
    ["whose leave has not begun", { spec: { deletionPolicy: "Uninstall" }, annotations: leave }, false],
    [
      "that left by another commit",
      { spec: { deletionPolicy: "Uninstall" }, annotations: { "rollcall.dev/leave": "bad" }, state: leaving },
      false,
    ],
  ])("orders an agent to remove itself %s: %s", (_which, parts, isOrdered) => {
    expect(statusOf(parts).leave).toEqual(isOrdered ? { commit: "c0ffee", policy: "Uninstall", epoch: 1 } : undefined);
  });
});

describe("clockSkewSeconds: an agent's clock against the hub's", () => {
  const entry = { manager: "rollcall-agent", operation: "Update", time: time(0) };
  const skew = (said: string | undefined, managedFields: readonly object[] = [entry]) =>
    clockSkewSeconds(memberWith(reportOf({ spec: { time: said }, metadata: { managedFields } })));
  const shown = (laterMs: number) =>
    reportStatus(
      memberWith(reportOf({ spec: { time: time(laterMs) }, metadata: { managedFields: [entry] } })),
      hubFacts(),
    ).clockSkewSeconds;

  it("is measured by the agent's own write of its spec", () => {
    expect(skew(time(150_000))).toBe(150);
    expect(skew(time(-150_000))).toBe(-150);
    expect(skew(time(150_000), [{ ...entry, manager: "kubectl", time: time(150_000) }, entry])).toBe(150);
    expect(skew(time(150_000), [{ ...entry, subresource: "status" }])).toBeUndefined();
    expect(skew(time(150_000), [{ ...entry, manager: "kubectl" }])).toBeUndefined();
    expect(skew(time(150_000), [])).toBeUndefined();
    expect(skew(undefined)).toBeUndefined();
    expect(clockSkewSeconds(memberOf("eu-1"))).toBeUndefined();
  });

  it("is shown from more than a minute on, in both directions", () => {
    expect([60_000, 61_000, -60_000, -61_000].map(shown)).toEqual([undefined, 61, undefined, -61]);
  });
});

describe("keptSuccessor: where an agent continues", () => {
  const successor = { workspace: "other", name: "eu-2", sealed };
  const moved = { "rollcall.dev/moved-to": "other/eu-2" };
  const former = (said: object | undefined, annotations: Record<string, string> = moved): Member =>
    memberWith(reportOf(said === undefined ? {} : { status: { successor: said } }), { annotations });

  it.each<[string, object | undefined, Record<string, string>, boolean]>([
    ["the cluster that it becomes", successor, moved, true],
    ["another cluster than it becomes now", { ...successor, name: "eu-3" }, moved, false],
    ["another workspace", { ...successor, workspace: "fleet" }, moved, false],
    ["a cluster, and it stays", successor, {}, false],
    ["no cluster", { ...successor, name: undefined }, moved, false],
    ["no workspace", { ...successor, workspace: undefined }, moved, false],
    ["half a credential", { ...successor, sealed: { enc: "e" } }, moved, false],
    ["the other half", { ...successor, sealed: { ciphertext: "c" } }, moved, false],
    ["nothing", undefined, moved, false],
  ])("is known by a report that names %s: %s", (_what, said, annotations, isKept) => {
    expect(keptSuccessor(former(said, annotations))).toEqual(isKept ? successor : undefined);
  });

  it("is due until the predecessor's agent was notified, and has a credential there", () => {
    const next = (of: Member | undefined, changes: Partial<MemberState> | undefined = {}): Member => ({
      ...memberOf("eu-2", { state: changes === undefined ? undefined : { ...state, ...changes } }),
      ...(of === undefined ? {} : { former: of }),
    });
    expect(isSuccessorDue(next(former(undefined)))).toBe(true);
    expect(isSuccessorDue(next(former(successor)))).toBe(false);
    expect(isSuccessorDue(next(former(successor), { credential: undefined }))).toBe(true);
    expect(isSuccessorDue(next(undefined))).toBe(false);
    expect(isSuccessorDue(next(former(undefined), { keys: undefined }))).toBe(false);
    expect(isSuccessorDue(next(memberOf("eu-1", { state })))).toBe(false);
  });
});
