import { describe, expect, it } from "vitest";
import {
  memberOffboardingSteps,
  whatStaysDownstream,
} from "../../../../../src/join/clusternet/hub/offboarding-steps.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import { memberStateObject } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import {
  clusternetMemberOf,
  granted,
  id,
  leave,
  objectsOf,
  requestOf,
  time,
  withKubeconfig,
} from "../clusternet-scene.ts";

const state = granted();
const memo = memberStateObject(workspace, "eu-1", {});
const adopt = { ...leave, "rollcall.dev/adopt": "true" };
const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, time: time(0) };

function stepsOf(children: readonly KubeObject[], parts: MemberParts = {}): string[] {
  const member = clusternetMemberOf({ state, annotations: leave, ...parts, children });
  return memberOffboardingSteps(member, hubFacts()).map((step) => {
    if (!("refs" in step)) return step.kind;
    const refs = step.refs.map(({ type, name }) => `${type.kind}/${name}`).join(" ");
    return `${step.kind === "delete" ? step.purpose : step.kind} ${refs}`;
  });
}

describe("offboardingSteps: a Clusternet member", () => {
  const objects = objectsOf({ state });
  const role = `rollcall-clusternet.${workspace}.eu-1`;

  it("revokes bindings before what they bind, and forgets the answer first and the state last", () => {
    const namespace = objects.find(({ kind }) => kind === "Namespace")?.metadata.name;
    expect(stepsOf([...objects, requestOf(), memo])).toEqual([
      `revoke ClusterRoleBinding/${role} RoleBinding/rollcall-clusternet-agent ClusterRole/${role} ` +
        `ServiceAccount/clusternet-agent.${id} Secret/clusternet-agent.${id}-token`,
      `forget ClusterRegistrationRequest/clusternet-${id} ManagedCluster/eu-1 Namespace/${namespace} ConfigMap/rollcall-cluster-eu-1`,
    ]);
  });

  it("forgets only the request that it joined by, and is done when nothing is left", () => {
    expect(stepsOf([requestOf({ metadata: { name: "clusternet-other" } })])).toEqual([]);
    expect(stepsOf([requestOf()], { state: {} })).toEqual([]);
  });

  it("keeps a namespace that was taken over, and not one that the hub made", () => {
    const [namespace] = objects.filter(({ kind }) => kind === "Namespace");
    const theirs: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "theirs" } };
    if (namespace === undefined) throw new Error("no namespace");
    expect(stepsOf([namespace, theirs], { annotations: adopt })).toEqual([
      `forget Namespace/${namespace.metadata.name}`,
    ]);
    expect(stepsOf([theirs])).toEqual(["forget Namespace/theirs"]);
    expect(stepsOf([theirs], { annotations: { ...leave, "rollcall.dev/adopt": "false" } })).toEqual([
      "forget Namespace/theirs",
    ]);
  });

  describe("that the hub installed", () => {
    const installed: MemberState = granted({ install });

    it("loses its agent, the Deployment first and the namespace last", () => {
      const [step = ""] = stepsOf([], { spec: withKubeconfig, state: installed });
      expect(step.split(" ").slice(0, 3)).toEqual([
        "uninstall",
        "Deployment/clusternet-agent",
        "Secret/clusternet-agent-cluster-registration",
      ]);
      expect(step.split(" ").at(-1)).toBe("Namespace/clusternet-system");
    });

    it.each<[string, MemberParts]>([
      ["the file declares Detach", { spec: { ...withKubeconfig, deletionPolicy: "Detach" }, state: installed }],
      ["no kubeconfig is named any more", { state: installed }],
      ["none was installed", { spec: withKubeconfig }],
      ["nothing is remembered", { spec: withKubeconfig, state: undefined }],
      [
        "it is deleted already",
        {
          spec: withKubeconfig,
          state: granted({ install, leave: { commit: "c", since: time(0), isUninstalled: true } }),
        },
      ],
    ])("keeps its agent where %s", (_where, parts) => {
      expect(stepsOf([], parts)).toEqual([]);
    });
  });
});

describe("whatStaysDownstream: a Clusternet member", () => {
  const stays = (parts: MemberParts) => whatStaysDownstream(clusternetMemberOf(parts));
  it("is its agent, where it was installed or is declared, unless the hub removes it", () => {
    expect(stays({})).toContain("Deployment clusternet-system/clusternet-agent");
    expect(stays({ spec: { agent: { namespace: "mine" } } })).toContain("Deployment mine/clusternet-agent");
    expect(stays({ state: { install: { ...install, namespace: "old" } } })).toContain("Secret old/parent-cluster");
    expect(stays({ spec: withKubeconfig })).toBeUndefined();
    expect(stays({ spec: { ...withKubeconfig, deletionPolicy: "Detach" } })).toBeDefined();
  });
});
