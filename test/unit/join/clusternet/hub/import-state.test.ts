import { describe, expect, it } from "vitest";
import { digestJson } from "../../../../../src/core/digest.ts";
import { isImportOpen, needsInstall, pendingImport } from "../../../../../src/join/clusternet/hub/import-state.ts";
import { clusternetAgentManifest } from "../../../../../src/join/clusternet/manifests/agent-manifest.ts";
import { clusternetFirstAnswerLifeMs, clusternetImportLifeMs } from "../../../../../src/model/dialects/clusternet.ts";
import type { MemberInstall } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../../src/model/member.ts";
import { hubFacts, startMs } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import {
  clusternetMemberOf,
  granted,
  heard,
  leave,
  managedOf,
  revoked,
  secretOf,
  time,
  withKubeconfig,
} from "../clusternet-scene.ts";

const at = (laterMs: number) => hubFacts({ nowMs: startMs + laterMs });
const spec = withKubeconfig;
const redeployed = { ...spec, agent: { redeployGeneration: 1 } };
const adopt = { "rollcall.dev/adopt": "true" };
const install: MemberInstall = {
  bootstrap: 3,
  redeployGeneration: 0,
  kubeconfigDigest: "k",
  manifestDigest: digestJson(clusternetAgentManifest(clusternetMemberOf({ spec }), hubFacts())),
  time: time(0),
};
const other = { ...install, manifestDigest: "other" };
const installed = (parts: MemberParts = {}): Member => clusternetMemberOf({ spec, state: { install }, ...parts });
const alive = [managedOf(heard)];
const joinedAt = (laterMs: number) => {
  const state = granted({ install });
  return { ...state, join: { initiated: "agent", registration: "r", time: time(laterMs) } } as const;
};

describe("needsInstall: whether the hub installs Clusternet's agent downstream", () => {
  it.each<[string, Member, boolean]>([
    ["nothing was installed", installed({ state: {} }), true],
    ["nothing is remembered of it", clusternetMemberOf({ spec }), true],
    ["it was installed as it should be", installed(), false],
    ["its manifest changed", installed({ state: { install: other } }), true],
    ["its file asks for it", installed({ spec: redeployed }), true],
    ["no kubeconfig is named", clusternetMemberOf(), false],
    ["it leaves", installed({ state: {}, annotations: leave }), false],
    ["it is revoked", installed({ state: {}, annotations: revoked }), false],
    ["it is paused", installed({ state: {}, spec: { ...spec, paused: true } }), false],
    ["its working agent is taken over", clusternetMemberOf({ spec, annotations: adopt, children: alive }), false],
    [
      "its file asks for another agent than the one taken over",
      clusternetMemberOf({ spec: redeployed, annotations: adopt, children: alive }),
      true,
    ],
    ["what is taken over is silent", clusternetMemberOf({ spec, annotations: adopt, children: [managedOf()] }), true],
    ["nothing is taken over", clusternetMemberOf({ spec, children: alive }), true],
    [
      "it declares adopt: false",
      clusternetMemberOf({ spec, annotations: { "rollcall.dev/adopt": "false" }, children: alive }),
      true,
    ],
    [
      "it was taken over and admitted since",
      installed({ annotations: adopt, children: alive, state: granted({ install: other }) }),
      true,
    ],
    [
      "it was taken over and installed since",
      installed({ annotations: adopt, children: alive, state: { install: other } }),
      false,
    ],
  ])("when %s: %s", (_when, member, expected) => {
    expect(needsInstall(member, at(0))).toBe(expected);
  });
});

describe("isImportOpen: whether the credential that the hub made for one cluster may be used", () => {
  const life = clusternetImportLifeMs;
  it.each<[string, Member, number, boolean]>([
    ["before the agent is installed", installed({ state: {} }), 0, true],
    ["until half a day after it was installed", installed(), life - 1, true],
    ["for the next installation, where no agent came in", installed(), life, true],
    ["not once it ended, where its agent came in", installed({ state: granted({ install }) }), life, false],
    ["not once it ended, where its agent sends heartbeats", installed({ children: alive }), life, false],
    ["not once it ended, while it is paused", installed({ spec: { ...spec, paused: true } }), life, false],
    ["as long for an agent that has not read its answer", installed({ state: joinedAt(0) }), life - 1, true],
    ["not ten minutes after a living agent joined", installed({ state: joinedAt(0), children: alive }), 600_000, false],
    ["in these ten minutes", installed({ state: joinedAt(0), children: alive }), 600_000 - 1, true],
    [
      "for an agent that joined before this installation",
      installed({ state: joinedAt(-1), children: alive }),
      600_000,
      true,
    ],
    ["not without a kubeconfig", clusternetMemberOf({ state: { install } }), 0, false],
    ["not for one that leaves", installed({ annotations: leave }), 0, false],
    ["not for a revoked one", installed({ annotations: revoked }), 0, false],
    ["not for a leaving one, once it ended", installed({ annotations: leave }), life, false],
    ["not for a revoked one, once it ended", installed({ annotations: revoked }), life, false],
  ])("%s", (_when, member, laterMs, expected) => {
    expect(isImportOpen(member, at(laterMs))).toBe(expected);
  });

  it("is not while it is paused and was never installed", () => {
    expect(isImportOpen(clusternetMemberOf({ spec: { ...spec, paused: true } }), at(0))).toBe(false);
    expect(clusternetFirstAnswerLifeMs).toBeGreaterThan(life);
  });
});

describe("pendingImport: what Clusternet's agent is to be installed with", () => {
  const made = secretOf("clusternet.eu-1-token", { token: "opaque" });
  /** Of the account that was made when the one of the installation had ended. */
  const token: KubeObject = {
    ...made,
    metadata: { ...made.metadata, creationTimestamp: time(clusternetImportLifeMs) },
  };
  const pending = (parts: MemberParts, laterMs = 0) =>
    pendingImport(installed({ children: [token], ...parts }), at(laterMs));

  it("is the token of this cluster's account, under the next number", () => {
    expect(pending({ spec: redeployed })).toEqual({ number: 4, values: { regToken: "opaque" } });
    expect(pending({ state: undefined })).toEqual({ number: 1, values: { regToken: "opaque" } });
    expect(pending({}, clusternetImportLifeMs)).toEqual({ number: 4, values: { regToken: "opaque" } });
  });

  it.each<[string, MemberParts, number]>([
    ["the agent is as it should be", {}, 0],
    ["the account has no token", { spec: redeployed, children: [] }, 0],
    [
      "the token is of another cluster",
      { spec: redeployed, children: [secretOf("clusternet.eu-2-token", { token: "t" })] },
      0,
    ],
    ["the cluster leaves", { annotations: leave }, clusternetImportLifeMs],
    ["the cluster is revoked", { annotations: revoked }, clusternetImportLifeMs],
    ["the cluster has no kubeconfig", { spec: {} }, clusternetImportLifeMs],
  ])("is nothing where %s", (_where, parts, laterMs) => {
    expect(pending(parts, laterMs)).toBeUndefined();
  });
});
