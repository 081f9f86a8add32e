import { describe, expect, it } from "vitest";
import { internalCluster } from "../../../../../src/join/kubefleet/hub/desired-objects.ts";
import { externalKubefleetProtocol } from "../../../../../src/join/kubefleet/hub/external-protocol.ts";
import { memberOffboardingSteps } from "../../../../../src/join/kubefleet/hub/offboarding-steps.ts";
import type { OffboardingStep } from "../../../../../src/join/join.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import { memberStateObject } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import {
  credentialSecret,
  home,
  internalOf,
  kubefleetMemberOf,
  leave,
  objectsOf,
  time,
  withKubeconfig,
} from "../kubefleet-scene.ts";

const memo = memberStateObject(workspace, "eu-1", {});
const joined = { Joined: { status: "True" } };
const left = { Joined: { status: "False" } };
const minuteMs = 60_000;
const since = time(0);
const begun: MemberState = { leave: { commit: "c0ffee", since } };
const work = (name: string, namespace = home, finalizers: string[] = []): KubeObject => ({
  apiVersion: "placement.kubernetes-fleet.io/v1",
  kind: "Work",
  metadata: { name, namespace, finalizers },
});
const held = (finalizers: string[]): KubeObject => ({
  apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
  kind: "MemberCluster",
  metadata: { name: "eu-1", finalizers },
});
const leaving = (children: readonly KubeObject[], parts: MemberParts = {}): Member =>
  kubefleetMemberOf({ state: begun, annotations: leave, children, ...parts });

const inWords = (steps: readonly OffboardingStep[]): string[] =>
  steps.map((step) => {
    if (step.kind === "wait") return `wait ${(step.untilMs - startMs) / minuteMs}`;
    if (step.kind === "notify-agent") return `tell ${(step.untilMs - startMs) / minuteMs} ${step.isDone}`;
    if (step.kind === "ask-agent") return step.kind;
    const refs = step.refs.map(({ type, name }) => `${type.kind}/${name}`).join(" ");
    return `${step.kind === "delete" ? step.purpose : step.kind} ${refs}`;
  });
const stepsOf = (member: Member): string[] => inWords(memberOffboardingSteps(member, hubFacts()));

describe("offboardingSteps: a KubeFleet member", () => {
  const home1 = "Namespace/fleet-member-eu-1 MemberCluster/eu-1 ConfigMap/rollcall-cluster-eu-1";

  it("notifies its agent, revokes, and deletes the state last", () => {
    const children = [
      ...objectsOf().filter(({ kind }) => kind !== "InternalMemberCluster"),
      internalOf(joined),
      credentialSecret(1),
      memo,
    ];
    expect(stepsOf(leaving(children))).toEqual([
      "tell 15 false",
      "revoke RoleBinding/fleet-rolebinding-eu-1 ServiceAccount/eu-1-hub-cluster-access " +
        "Secret/eu-1-hub-cluster-access-token Secret/rollcall-eu-1.1",
      `forget ${home1}`,
    ]);
  });

  it("notifies by the InternalMemberCluster, and is done when the agent reports it", () => {
    const [step] = memberOffboardingSteps(leaving([internalOf(left)]), hubFacts());
    expect(step).toMatchObject({
      kind: "notify-agent",
      objects: [internalCluster(kubefleetMemberOf(), "Leave")],
      isDone: true,
    });
  });

  it.each<[string, readonly KubeObject[], MemberState, readonly string[]]>([
    ["has never reported", [internalCluster(kubefleetMemberOf(), "Join")], begun, []],
    ["has reported, of a leave that has not begun", [internalOf(joined)], {}, []],
    [
      "had to remove what was placed first",
      [internalOf(joined)],
      { leave: { commit: "c", since, placed: { since, names: [], overAt: time(10 * minuteMs) } } },
      ["tell 25 false"],
    ],
  ])("waits for an agent that %s", (_which, children, state, expected) => {
    expect(stepsOf(leaving(children, { state }))).toEqual(expected);
  });

  it("takes finalizers off what its agent did not let go, and nothing of another cluster", () => {
    const children = [work("a", home, ["x"]), work("b"), work("c", "fleet-member-eu-2", ["x"]), held(["y"])];
    expect(stepsOf(leaving(children))).toEqual(["release Work/a MemberCluster/eu-1", "forget MemberCluster/eu-1"]);
    expect(stepsOf(leaving([held([])]))).toEqual(["forget MemberCluster/eu-1"]);
  });

  it("removes what was placed first where the file asks for it and an agent has reported", () => {
    const spec = { placedResources: "Remove" as const };
    const children = [internalOf(joined), work("a"), work("b", "fleet-member-eu-2")];
    const [step] = memberOffboardingSteps(leaving(children, { spec }), hubFacts());
    expect(step).toMatchObject({ kind: "remove-placed", isReleased: false, isDone: false });
    expect(step?.kind === "remove-placed" ? step.refs.map(({ name }) => name) : []).toEqual(["a"]);
    const silent = [internalCluster(kubefleetMemberOf(), "Join"), work("a")];
    expect(memberOffboardingSteps(leaving(silent, { spec }), hubFacts()).map(({ kind }) => kind)).not.toContain(
      "remove-placed",
    );
    const state = { leave: { commit: "c", since, placed: { since, names: [] } } };
    expect(memberOffboardingSteps(leaving([internalOf(joined)], { spec, state }), hubFacts())[0]).toMatchObject({
      isDone: true,
    });
  });

  describe("that the hub installed", () => {
    const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, time: since };
    const installed: MemberState = { ...begun, install };

    it("loses its agent, its Deployment first and its namespace last, and keeps the definition of what it applied", () => {
      const [step] = stepsOf(leaving([], { spec: withKubeconfig, state: installed }));
      const refs = (step ?? "").split(" ");
      expect(refs.slice(0, 3)).toEqual(["uninstall", "Deployment/member-agent", "Secret/hub-kubeconfig-secret"]);
      expect(refs.at(-1)).toBe("Namespace/fleet-system");
      expect(step).not.toContain("CustomResourceDefinition");
    });

    it.each<[string, MemberParts]>([
      ["the file declares Detach", { spec: { ...withKubeconfig, deletionPolicy: "Detach" }, state: installed }],
      ["no kubeconfig is named any more", { state: installed }],
      ["none was installed", { spec: withKubeconfig }],
      [
        "it is deleted already",
        { spec: withKubeconfig, state: { install, leave: { commit: "c", since, isUninstalled: true } } },
      ],
    ])("keeps its agent where %s", (_where, parts) => {
      expect(stepsOf(leaving([], parts))).toEqual([]);
    });
  });
});

describe("offboardingSteps: a KubeFleet member that its own hub agent serves", () => {
  const stepsOfExternal = (children: readonly KubeObject[], state: MemberState | undefined = begun): string[] =>
    inWords(externalKubefleetProtocol.offboardingSteps(leaving(children, { state }), hubFacts()));

  it("is waited for only while its MemberCluster is there and its leave has begun", () => {
    expect(stepsOfExternal([held([])])).toEqual(["forget MemberCluster/eu-1", "wait 15"]);
    expect(stepsOfExternal([held([])], {})).toEqual(["forget MemberCluster/eu-1"]);
    expect(stepsOfExternal([memo])).toEqual(["forget ConfigMap/rollcall-cluster-eu-1"]);
  });

  it("loses the account that the hub made for it", () => {
    const account = {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "eu-1-hub-cluster-access", namespace: workspace },
    };
    expect(stepsOfExternal([account])).toEqual(["revoke ServiceAccount/eu-1-hub-cluster-access"]);
  });
});
