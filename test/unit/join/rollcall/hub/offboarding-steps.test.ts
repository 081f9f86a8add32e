import { describe, expect, it } from "vitest";
import { memberOffboardingSteps } from "../../../../../src/join/rollcall/hub/offboarding-steps.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";

const state: MemberState = memberStateOf(makeAgent());
const since = new Date(startMs).toISOString();
const annotations = { "rollcall.dev/leave": "c0ffee" };
const withKubeconfig = { kubeConfigSecretRef: { name: "k" } };
const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, time: since };
const apiVersions: Readonly<Record<string, string>> = {
  ClusterReport: "rollcall.dev/v1alpha1",
  Role: "rbac.authorization.k8s.io/v1",
  RoleBinding: "rbac.authorization.k8s.io/v1",
};
const child = (kind: string, name: string, spec?: object): KubeObject => ({
  apiVersion: apiVersions[kind] ?? "v1",
  kind,
  metadata: { name, namespace: workspace },
  ...(spec === undefined ? {} : { spec }),
});
const report = (leave?: object): KubeObject => child("ClusterReport", "eu-1", { leave });
const stepsOf = (parts: MemberParts) =>
  memberOffboardingSteps(memberOf("eu-1", { state, annotations, ...parts }), hubFacts());
const kindsOf = (parts: MemberParts): string[] =>
  stepsOf(parts).map((step) => (step.kind === "delete" ? step.purpose : step.kind));

describe("offboardingSteps: when the agent of a cluster that leaves is removed", () => {
  it.each<[string, MemberParts, string | undefined]>([
    ["by its kubeconfig", { spec: withKubeconfig }, "uninstall"],
    [
      "by its kubeconfig, where it was installed and never joined",
      { spec: withKubeconfig, state: { install } },
      "uninstall",
    ],
    [
      "by its kubeconfig, for a later leave",
      { spec: withKubeconfig, state: { ...state, leave: { commit: "former", since, isUninstalled: true } } },
      "uninstall",
    ],
    ["by itself", { spec: { deletionPolicy: "Uninstall" }, children: [report()] }, "ask-agent"],
    ["not where no agent was ever there", { spec: withKubeconfig, state: {} }, undefined],
    [
      "not where it was removed",
      { spec: withKubeconfig, state: { ...state, leave: { commit: "c0ffee", since, isUninstalled: true } } },
      undefined,
    ],
    ["not where the file declares Detach", { spec: { ...withKubeconfig, deletionPolicy: "Detach" } }, undefined],
    ["not without a kubeconfig, unless the file declares it", { children: [report()] }, "forget"],
    [
      "not where it belongs to the cluster whose place this one was to take",
      { spec: withKubeconfig, state: { ...state, movedFrom: { workspace, name: "eu-0" } } },
      undefined,
    ],
    ["not by itself where it has no report", { spec: { deletionPolicy: "Uninstall" } }, undefined],
    ["not where the cluster does not leave", { spec: withKubeconfig, annotations: {} }, undefined],
  ])("%s", (_how, parts, first) => {
    expect(kindsOf(parts)[0]).toBe(first);
  });

  const asked = (leave?: object) => {
    const [step] = stepsOf({ spec: { deletionPolicy: "Uninstall" }, children: [report(leave)] });
    if (step?.kind !== "ask-agent") throw new Error("not asked");
    return step;
  };

  it("asks for this very leave, also before its beginning was remembered", () => {
    expect(asked().write).toMatchObject({
      ref: { name: "eu-1" },
      status: { leave: { commit: "c0ffee", policy: "Uninstall", epoch: 1 } },
    });
  });

  it("shows what the agent left, once it is done, without more than a thousand characters", () => {
    expect(asked({ commit: "c0ffee", done: true })).not.toHaveProperty("left");
    expect(asked({ commit: "c0ffee", done: false, message: "Left downstream: x" })).not.toHaveProperty("left");
    expect(asked({ commit: "c0ffee", done: true, message: "Left downstream: x" }).left).toBe("x");
    expect(asked({ commit: "c0ffee", done: true, message: "y".repeat(2000) }).left).toHaveLength(1000);
  });

  it("A55 shows nothing of a token that the agent's report on what it left has", () => {
    const message = "Left downstream: Secret/x: 401 for Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl";
    expect(asked({ commit: "c0ffee", done: true, message }).left).toBe("Secret/x: 401 for Bearer ***");
  });
});

describe("offboardingSteps: what is revoked of a cluster that leaves", () => {
  it("is what is named after it, accounts first, and no object of another name or kind", () => {
    const kinds = ["Role", "RoleBinding", "Secret", "ServiceAccount"];
    const own = kinds.map((kind) => child(kind, "rollcall-eu-1"));
    const others = [
      child("Secret", "rollcall-eu-10.1"),
      child("Secret", "eu-1"),
      child("ConfigMap", "rollcall-eu-1.x"),
    ];
    const [step] = stepsOf({ children: [...own, child("Secret", "rollcall-eu-1.7"), ...others] });
    expect(
      step?.kind === "delete" ? [step.purpose, ...step.refs.map(({ type, name }) => `${type.kind}/${name}`)] : [],
    ).toEqual([
      "revoke",
      "ServiceAccount/rollcall-eu-1",
      "Secret/rollcall-eu-1",
      "Secret/rollcall-eu-1.7",
      "RoleBinding/rollcall-eu-1",
      "Role/rollcall-eu-1",
    ]);
  });

  it("is nothing where nothing is left", () => {
    expect(stepsOf({ children: [child("Secret", "eu-1-kubeconfig")] })).toEqual([]);
  });
});
