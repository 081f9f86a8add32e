import { describe, expect, it } from "vitest";
import { digestJson } from "../../../../../src/core/digest.ts";
import {
  importEndMs,
  isImportOpen,
  needsInstall,
  pendingImport,
} from "../../../../../src/join/fleet/hub/import-state.ts";
import { renderFleetCluster } from "../../../../../src/join/fleet/hub/fleet-cluster.ts";
import { fleetAgentManifest } from "../../../../../src/join/fleet/manifests/agent-manifest.ts";
import { fleetAnswerLifeMs, fleetImportLifeMs } from "../../../../../src/model/dialects/fleet.ts";
import type { MemberInstall, MemberState } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import { fleetMemberOf, grantedMemory } from "../fleet-scene.ts";

const at = (laterMs: number) => hubFacts({ nowMs: startMs + laterMs });
const spec = { kubeConfigSecretRef: { name: "eu-1-kubeconfig" } };
const leave = { "rollcall.dev/leave": "c0ffee" };
const revoked = { "rollcall.dev/revoked": "-/operator/now" };
const manifestDigest = digestJson(fleetAgentManifest(fleetMemberOf("eu-1", { spec }), hubFacts()));
const install: MemberInstall = {
  bootstrap: 3,
  redeployGeneration: 0,
  kubeconfigDigest: "k",
  manifestDigest,
  time: new Date(startMs).toISOString(),
};
const installed = (parts: MemberParts = {}): Member => fleetMemberOf("eu-1", { spec, state: { install }, ...parts });
const heard: KubeObject = {
  ...renderFleetCluster(fleetMemberOf("eu-1")),
  status: { agent: { lastSeen: "2026-01-01" }, agentDeployedGeneration: 2 },
};
const redeployed = (redeployGeneration: number) => ({ ...spec, agent: { redeployGeneration } });
const grantedAt = (laterMs: number): MemberState => {
  const { join, ...rest } = grantedMemory({ install });
  if (join === undefined) throw new Error("no join");
  return { ...rest, join: { ...join, time: new Date(startMs + laterMs).toISOString() } };
};

describe("needsInstall: whether the hub installs Fleet's agent downstream", () => {
  it.each<[string, Member, boolean]>([
    ["a kubeconfig is named and nothing was installed", installed({ state: {} }), true],
    ["nothing is remembered of it", fleetMemberOf("eu-1", { spec }), true],
    ["it was installed as it should be", installed(), false],
    ["its manifest changed", installed({ state: { install: { ...install, manifestDigest: "other" } } }), true],
    ["its file asks for it", installed({ spec: redeployed(1) }), true],
    ["no kubeconfig is named", fleetMemberOf("eu-1"), false],
    ["it leaves", installed({ state: {}, annotations: leave }), false],
    ["it is revoked", installed({ state: {}, annotations: revoked }), false],
    ["it is paused", installed({ state: {}, spec: { ...spec, paused: true } }), false],
    ["it is not paused", installed({ state: {}, spec: { ...spec, paused: false } }), true],
    [
      "Fleet's controllers installed a working agent",
      fleetMemberOf("eu-1", { spec: redeployed(2), children: [heard] }),
      false,
    ],
    [
      "a file asks for another agent than Fleet's controllers installed",
      fleetMemberOf("eu-1", { spec: redeployed(3), children: [heard] }),
      true,
    ],
    [
      "Fleet's controllers installed one, and no file ever asked for another",
      fleetMemberOf("eu-1", { spec, children: [{ ...heard, status: { agent: { lastSeen: "2026-01-01" } } }] }),
      false,
    ],
  ])("when %s: %s", (_when, member, expected) => {
    expect(needsInstall(member, at(0))).toBe(expected);
  });

  it("when its account ended and no agent had joined, and not for one that had", () => {
    expect(needsInstall(installed(), at(fleetImportLifeMs - 1))).toBe(false);
    expect(needsInstall(installed(), at(fleetImportLifeMs))).toBe(true);
    expect(needsInstall(installed({ state: grantedAt(1) }), at(fleetImportLifeMs))).toBe(false);
    expect(needsInstall(installed({ children: [heard] }), at(fleetImportLifeMs))).toBe(false);
  });
});

describe("isImportOpen: whether the account that the hub made for one cluster may still be used", () => {
  it.each<[string, Member, number, boolean]>([
    ["before the agent is installed", installed({ state: {} }), 0, true],
    ["until half a day after it was installed", installed(), fleetImportLifeMs - 1, true],
    ["until its agent that came in read its answer", installed({ state: grantedAt(0) }), fleetAnswerLifeMs - 1, true],
    ["not after that", installed({ state: grantedAt(0) }), fleetAnswerLifeMs, false],
    ["as long for an agent that joined before this installation", installed({ state: grantedAt(-1) }), 7_200_000, true],
    ["not without a kubeconfig", fleetMemberOf("eu-1", { state: { install } }), 0, false],
    ["not for one that leaves", installed({ annotations: leave }), 0, false],
    ["not for a revoked one", installed({ annotations: revoked }), 0, false],
    [
      "not where Fleet's controllers installed the agent",
      fleetMemberOf("eu-1", { spec: redeployed(2), children: [heard] }),
      0,
      false,
    ],
    ["not once it ended, for a paused one", installed({ spec: { ...spec, paused: true } }), fleetImportLifeMs, false],
  ])("%s", (_when, member, laterMs, expected) => {
    expect(isImportOpen(member, at(laterMs))).toBe(expected);
  });

  it("ends half a day after the installation, and never without one", () => {
    expect(importEndMs(installed())).toBe(startMs + fleetImportLifeMs);
    expect(importEndMs(installed({ state: {} }))).toBeUndefined();
    expect(importEndMs(installed({ state: { install: { ...install, time: "" } } }))).toBeUndefined();
  });
});

describe("pendingImport: what Fleet's agent is to be installed with", () => {
  const secretOf = (name: string, data: object, namespace = workspace): KubeObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    data,
  });
  const filled = secretOf("import-token-eu-1-token", { token: Buffer.from("opaque").toString("base64") });
  const anew = (children: readonly KubeObject[]): Member => installed({ spec: redeployed(1), children });

  it("is the token of the account that is this cluster's alone, under the next number", () => {
    expect(pendingImport(anew([filled]), at(0))).toEqual({
      number: 4,
      values: {
        clusterNamespace: workspace,
        apiServerURL: "https://hub.example.com:6443",
        apiServerCA: "ca",
        token: "opaque",
        systemRegistrationNamespace: "cattle-fleet-clusters-system",
        tokenName: "import-token-eu-1",
      },
    });
    expect(pendingImport(installed({ state: undefined, children: [filled] }), at(0))?.number).toBe(1);
  });

  it.each<[string, readonly KubeObject[]]>([
    ["has no Secret", []],
    ["has a Secret that is not filled", [secretOf("import-token-eu-1-token", {})]],
    ["has a Secret that is empty", [secretOf("import-token-eu-1-token", { token: "" })]],
    [
      "has a Secret of another cluster",
      [{ ...filled, metadata: { name: "import-token-eu-2-token", namespace: workspace } }],
    ],
    ["has a Secret in another namespace", [{ ...filled, metadata: { ...filled.metadata, namespace: "other" } }]],
  ])("waits while the account %s", (_why, children) => {
    expect(pendingImport(anew(children), at(0))).toBeUndefined();
  });

  it("is nothing for an agent that is installed as it should be", () => {
    expect(pendingImport(installed({ children: [filled] }), at(0))).toBeUndefined();
  });
});
