import { describe, expect, it } from "vitest";
import { clusterNamespaceName, fleetKeys, fleetRegistrationNamespace } from "../../../../src/model/dialects/fleet.ts";
import { desiredMemberObjects } from "../../../../src/join/fleet/hub/desired-objects.ts";
import { memberOffboardingSteps } from "../../../../src/join/fleet/hub/offboarding-steps.ts";
import type { MemberState, PlacedRemoval } from "../../../../src/model/member-state.ts";
import { memberStateObject } from "../../../../src/model/member-state.ts";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../hub-scene.ts";
import { fleetMemberOf, grantedMemory } from "./fleet-scene.ts";

const home = clusterNamespaceName(workspace, "eu-1");
const since = new Date(startMs).toISOString();
const leaving = { "rollcall.dev/leave": "c0ffee" };

const deployment: KubeObject = {
  apiVersion: "fleet.cattle.io/v1alpha1",
  kind: "BundleDeployment",
  metadata: { name: "app", namespace: home },
};

/** A member that leaves, with everything on the hub that a granted one has. */
function leavingMember(spec: Cluster["spec"], state: MemberState, more: readonly KubeObject[] = []): Member {
  const bare = fleetMemberOf("eu-1", { spec, state });
  const namespaced = fleetMemberOf("eu-1", { spec, state, children: desiredMemberObjects(bare, hubFacts()) });
  const children = desiredMemberObjects(namespaced, hubFacts());
  const memo = memberStateObject(workspace, "eu-1", state);
  return fleetMemberOf("eu-1", { spec, state, annotations: leaving, children: [...children, ...more, memo] });
}

const describeSteps = (member: Member): string[] =>
  memberOffboardingSteps(member, hubFacts()).map((step) => {
    if (step.kind === "delete") return `delete ${step.purpose}`;
    return step.kind === "wait" ? `wait ${step.untilMs - startMs}` : step.kind;
  });

describe("offboardingSteps: a cluster with Fleet's agent", () => {
  const state = grantedMemory({ leave: { commit: "c0ffee", since } });

  it("revokes first and forgets last, the state as the very last", () => {
    const member = leavingMember({}, state);
    expect(describeSteps(member)).toEqual(["delete revoke", "delete forget"]);
    const [revoke, forget] = memberOffboardingSteps(member, hubFacts());
    const names = (step: typeof revoke): string[] =>
      step?.kind === "delete" ? step.refs.map(({ type, name }) => `${type.kind} ${name}`) : [];
    expect(names(revoke)).toContain("ServiceAccount request-a-account");
    expect(names(revoke)).toContain("ClusterRoleBinding request-a-account-content");
    expect(names(revoke).some((name) => name.startsWith("Namespace"))).toBe(false);
    expect(names(forget)).toEqual([`Namespace ${home}`, "Cluster eu-1", "ConfigMap rollcall-cluster-eu-1"]);
  });

  it("waits until no agent can be watching, before what it deployed vanishes on the hub", () => {
    expect(describeSteps(leavingMember({}, state, [deployment]))).toEqual([
      "delete revoke",
      `wait ${11 * 60_000}`,
      "delete forget",
    ]);
  });

  it("waits from when the rights were taken away, however long the offboarding took to come so far", () => {
    const later = hubFacts({ nowMs: startMs + 3600_000 });
    const waitOf = (member: Member) =>
      memberOffboardingSteps(member, later).flatMap((step) =>
        step.kind === "wait" ? [step.untilMs - later.nowMs] : [],
      );
    expect(waitOf(leavingMember({}, state, [deployment]))).toEqual([11 * 60_000]);
    const revokedAt = new Date(later.nowMs - 60_000).toISOString();
    const revoked = { ...state, leave: { commit: "c0ffee", since, revokedAt } };
    const rightless = fleetMemberOf("eu-1", { state: revoked, annotations: leaving, children: [deployment] });
    expect(waitOf(rightless)).toEqual([10 * 60_000]);
  });

  it("never names a BundleDeployment or Content among what it deletes", () => {
    const member = leavingMember({}, state, [deployment]);
    const kinds = memberOffboardingSteps(member, hubFacts()).flatMap((step) =>
      step.kind === "delete" || step.kind === "uninstall" ? step.refs.map(({ type }) => type.kind) : [],
    );
    expect(kinds).not.toContain("BundleDeployment");
    expect(kinds).not.toContain("Content");
  });

  describe("with placedResources: Remove", () => {
    const spec = { placedResources: "Remove" as const };
    const fleetCluster = (lastSeen?: string): KubeObject => ({
      apiVersion: "fleet.cattle.io/v1alpha1",
      kind: "Cluster",
      metadata: { name: "eu-1", namespace: workspace },
      ...(lastSeen === undefined ? {} : { status: { agent: { lastSeen } } }),
    });
    const [t0, t1] = ["2030-01-01T00:00:00Z", "2030-01-01T00:01:00Z"];
    const stepOf = (placed: PlacedRemoval | undefined, children: readonly KubeObject[], afterMs = 0) => {
      const leave = { commit: "c0ffee", since, ...(placed === undefined ? {} : { placed }) };
      const member = fleetMemberOf("eu-1", { spec, state: grantedMemory({ leave }), annotations: leaving, children });
      const [first] = memberOffboardingSteps(member, hubFacts({ nowMs: startMs + afterMs }));
      return first?.kind === "remove-placed" ? first : undefined;
    };
    const placed: PlacedRemoval = { since: new Date(startMs).toISOString(), names: [], heartbeatMarker: t0 };

    it("deletes the BundleDeployments before anything is revoked", () => {
      expect(stepOf(undefined, [fleetCluster(t0), deployment])).toMatchObject({
        refs: [{ name: "app", namespace: home }],
        isReleased: true,
        heartbeatMarker: t0,
        isDone: false,
        untilMs: startMs + 15 * 60_000,
      });
    });

    it.each([
      { reason: "no heartbeat came since", lastSeen: t0, afterMs: 600_000, isDone: false },
      { reason: "a heartbeat came at once", lastSeen: t1, afterMs: 29_000, isDone: false },
      { reason: "a heartbeat came, and 30 s are over", lastSeen: t1, afterMs: 30_000, isDone: true },
    ])("is done: $isDone, when $reason", ({ lastSeen, afterMs, isDone }) => {
      expect(stepOf(placed, [fleetCluster(lastSeen)], afterMs)).toMatchObject({ isDone, refs: [] });
    });

    it("deletes what is placed meanwhile, too", () => {
      expect(stepOf(placed, [fleetCluster(t1), deployment], 60_000)).toMatchObject({ isDone: false });
    });

    it.each([
      ["nothing is placed", undefined, [fleetCluster(t0)]],
      ["no agent has reported", undefined, [fleetCluster(), deployment]],
      ["it is over", { ...placed, overAt: t1 }, [fleetCluster(t0), deployment]],
    ])("has no such step when %s", (_reason, recorded, children) => {
      expect(stepOf(recorded, children)).toBeUndefined();
    });

    it("has no such step for a revoked member, whose agent sees no deletion", () => {
      const annotations = { ...leaving, "rollcall.dev/revoked": "-/operator/now" };
      const children = [fleetCluster(t0), deployment];
      const member = fleetMemberOf("eu-1", { spec, state: grantedMemory(), annotations, children });
      expect(memberOffboardingSteps(member, hubFacts()).some(({ kind }) => kind === "remove-placed")).toBe(false);
    });
  });

  const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, time: since };
  const hubInitiated = { kubeConfigSecretRef: { name: "eu-1-kubeconfig" } };

  it("removes the agent first, where the hub installed it: its Deployment before its rights, its namespace last", () => {
    const member = leavingMember(hubInitiated, { ...state, install });
    const [first] = memberOffboardingSteps(member, hubFacts());
    const refs = first?.kind === "uninstall" ? first.refs.map(({ type, name }) => `${type.kind} ${name}`) : [];
    expect(refs[0]).toBe("Deployment fleet-agent");
    expect(refs).toContain("Secret fleet-agent-bootstrap");
    expect(refs.at(-1)).toBe("Namespace cattle-fleet-system");
  });

  it.each<[Cluster["spec"], MemberState, string]>([
    [hubInitiated, { ...state }, "it never installed one"],
    [{ ...hubInitiated, deletionPolicy: "Detach" as const }, { ...state, install }, "the file declares Detach"],
    [{}, { ...state, install }, "there is no kubeconfig any more"],
    [
      hubInitiated,
      { ...state, install, leave: { commit: "c0ffee", since, isUninstalled: true } },
      "the agent is deleted already",
    ],
  ])("removes no agent: %j", (spec, remembered, _reason) => {
    expect(describeSteps(leavingMember(spec, remembered))[0]).toBe("delete revoke");
  });

  it("has nothing left to do when only the Cluster is left", () => {
    expect(memberOffboardingSteps(fleetMemberOf("eu-1", { state, annotations: leaving }), hubFacts())).toEqual([]);
  });
});

describe("desiredObjects: a cluster with Fleet's agent", () => {
  it("A71: names what all workspaces share after the account, which has a uid in its name", () => {
    const sharedNames = (sharedName: string | undefined): string[] => {
      const { sharedName: _, ...facts } = grantedMemory().protocolFacts ?? {};
      const state = grantedMemory({ protocolFacts: { ...facts, ...(sharedName === undefined ? {} : { sharedName }) } });
      return desiredMemberObjects(fleetMemberOf("eu-1", { state }), hubFacts())
        .filter(({ metadata: { namespace } }) => namespace === undefined || namespace === fleetRegistrationNamespace)
        .flatMap(({ kind, metadata: { name } }) => (kind === "Namespace" ? [] : [`${kind} ${name}`]));
    };
    expect(sharedNames("request-a-11111111")).toEqual([
      "ClusterRoleBinding request-a-11111111-content",
      "Role request-a-11111111-creds",
      "RoleBinding request-a-11111111-creds",
    ]);
    // An agent that was admitted before keeps what it has.
    expect(sharedNames(undefined)[0]).toBe("ClusterRoleBinding request-a-content");
  });

  it("has Fleet's Cluster and its namespace before anybody asks", () => {
    const objects = desiredMemberObjects(fleetMemberOf("eu-1"), hubFacts());
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "Cluster eu-1",
      `Namespace ${home}`,
    ]);
    expect(objects[1]?.metadata).toMatchObject({
      labels: { [fleetKeys.managed]: "true" },
      annotations: { [fleetKeys.cluster]: "eu-1", [fleetKeys.clusterNamespace]: workspace },
    });
  });

  it("puts nothing into a namespace that is being deleted", () => {
    const member = leavingMember({}, grantedMemory());
    const inHome = (deletionTimestamp?: string): string[] => {
      const children = member.children.map((child) =>
        child.kind === "Namespace" && deletionTimestamp !== undefined
          ? { ...child, metadata: { ...child.metadata, deletionTimestamp } }
          : child,
      );
      return desiredMemberObjects(fleetMemberOf("eu-1", { state: grantedMemory(), children }), hubFacts())
        .filter(({ metadata }) => metadata.namespace === home)
        .map(({ kind }) => kind);
    };
    expect(inHome()).toEqual(["RoleBinding"]);
    expect(inHome(since)).toEqual([]);
  });

  it("gives the agent the rights that it was seen to use, and no others", () => {
    const member = leavingMember({}, grantedMemory());
    const roles = member.children.filter(({ kind }) => kind === "Role").map((role) => role["rules"]);
    expect(roles).toEqual([
      [
        {
          apiGroups: ["fleet.cattle.io"],
          resources: ["clusters/status"],
          resourceNames: ["eu-1"],
          verbs: ["patch"],
        },
      ],
      [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["c-answer"], verbs: ["get"] }],
    ]);
  });

  it("lets no account read the answer after 40 minutes, and keeps the other rights", () => {
    const member = leavingMember({}, grantedMemory());
    const later = desiredMemberObjects(member, hubFacts({ nowMs: startMs + 40 * 60_000 }));
    const now = desiredMemberObjects(member, hubFacts());
    expect(now.length - later.length).toBe(2);
    expect(later.some(({ metadata }) => metadata.namespace === "cattle-fleet-clusters-system")).toBe(false);
  });

  it("has no account and no rights once it is revoked", () => {
    const revoked = { "rollcall.dev/revoked": "-/operator/now" };
    const member = fleetMemberOf("eu-1", { state: grantedMemory(), annotations: revoked });
    expect(desiredMemberObjects(member, hubFacts()).map(({ kind }) => kind)).toEqual(["Cluster", "Namespace"]);
  });
});
