import { describe, expect, it } from "vitest";
import {
  bundleDeploymentsOf,
  clientIDOf,
  formerAccountsOf,
  grantOf,
  hasPreviousGrant,
  hasHomeNamespace,
  heartbeatIn,
  isAnswerOpen,
  registrationOf,
} from "../../../../../src/join/fleet/hub/member-facts.ts";
import { clusterNamespaceName, fleetAnswerLifeMs } from "../../../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import { accountOf, fleetMemberOf, grantedMemory, requestOf } from "../fleet-scene.ts";

const home = clusterNamespaceName(workspace, "eu-1");
const fleetCluster = (lastSeen: unknown, changes: object = {}): KubeObject => ({
  apiVersion: "fleet.cattle.io/v1alpha1",
  kind: "Cluster",
  metadata: { name: "eu-1", namespace: workspace },
  status: { agent: { lastSeen } },
  ...changes,
});
const inHome = (kind: string, changes: object = {}, namespace = home): KubeObject => ({
  apiVersion: kind === "BundleDeployment" ? "fleet.cattle.io/v1alpha1" : "v1",
  kind,
  metadata: { name: "a", namespace, ...changes },
});

describe("grantOf: what is remembered of a Fleet agent that was admitted", () => {
  const { protocolFacts = {} } = grantedMemory();

  it("has the names of all that is the agent's", () => {
    expect(grantOf({ state: grantedMemory() })).toEqual({
      registration: "request-a",
      registrationUid: "uid-of-request-a",
      account: "request-a-account",
      sharedName: "request-a-account",
      answer: "c-answer",
      reader: accountOf("edge"),
      grantedMs: startMs,
    });
  });

  it.each(["registrationUid", "account", "answer"])("is none without its %s", (key) => {
    const left = Object.fromEntries(Object.entries(protocolFacts).filter(([name]) => name !== key));
    expect(grantOf({ state: grantedMemory({ protocolFacts: left }) })).toBeUndefined();
  });

  it("is none without a join, or without any state", () => {
    expect(grantOf({ state: grantedMemory({ join: undefined }) })).toBeUndefined();
    expect(grantOf({ state: undefined })).toBeUndefined();
  });

  it("has defaults for an agent that was admitted before names were remembered", () => {
    const { registrationUid = "", account = "", answer = "" } = protocolFacts;
    const state = grantedMemory({ protocolFacts: { registrationUid, account, answer } });
    expect(grantOf({ state })).toMatchObject({ sharedName: "request-a", reader: "" });
  });

  it("is open as long as an agent may wait for its answer", () => {
    const grant = grantOf({ state: grantedMemory() });
    if (grant === undefined) throw new Error("no grant");
    expect(isAnswerOpen(grant, hubFacts({ nowMs: startMs + fleetAnswerLifeMs - 1 }))).toBe(true);
    expect(isAnswerOpen(grant, hubFacts({ nowMs: startMs + fleetAnswerLifeMs }))).toBe(false);
  });
});

describe("heartbeatIn: what Fleet's agent reports in Fleet's Cluster", () => {
  it("is of the cluster whose object it is", () => {
    expect(heartbeatIn(fleetCluster("t"))).toEqual({ workspace, cluster: "eu-1", marker: "t" });
  });

  it.each<[string, KubeObject]>([
    ["a time that is empty", fleetCluster("")],
    ["a time that is no text", fleetCluster(7)],
    ["an object without a namespace", fleetCluster("t", { metadata: { name: "eu-1" } })],
    ["an object of another kind", fleetCluster("t", { kind: "ClusterGroup" })],
    ["a Cluster of another project", fleetCluster("t", { apiVersion: "rollcall.dev/v1alpha1" })],
  ])("is none in %s", (_what, object) => {
    expect(heartbeatIn(object)).toBeUndefined();
  });
});

describe("what Fleet's controllers left of an agent that they admitted", () => {
  it("counts only while no agent was admitted here, and one reported", () => {
    expect(hasPreviousGrant(fleetMemberOf("eu-1", { children: [fleetCluster("t")] }))).toBe(true);
    expect(hasPreviousGrant(fleetMemberOf("eu-1", { children: [fleetCluster("")] }))).toBe(false);
    expect(hasPreviousGrant(fleetMemberOf("eu-1"))).toBe(false);
    const both = fleetMemberOf("eu-1", { state: grantedMemory(), children: [fleetCluster("t")] });
    expect(hasPreviousGrant(both)).toBe(false);
    expect(hasPreviousGrant(fleetMemberOf("eu-2", { children: [fleetCluster("t")] }))).toBe(false);
  });

  it("is the accounts in the namespace of the cluster, nothing else there and none elsewhere", () => {
    const account = inHome("ServiceAccount");
    const children = [account, inHome("Secret"), inHome("ServiceAccount", {}, workspace)];
    expect(formerAccountsOf(fleetMemberOf("eu-1", { children }))).toEqual([account]);
  });
});

describe("what belongs to a Fleet member", () => {
  it("is identified by the file first, then by what is remembered, then by Fleet's Cluster", () => {
    const children = [fleetCluster("t", { spec: { clientID: "fleets" } })];
    const state = { clientID: "remembered" };
    expect(clientIDOf(fleetMemberOf("eu-1", { spec: { clientID: "file" }, state, children }))).toBe("file");
    expect(clientIDOf(fleetMemberOf("eu-1", { state, children }))).toBe("remembered");
    expect(clientIDOf(fleetMemberOf("eu-1", { children }))).toBe("fleets");
    expect(clientIDOf(fleetMemberOf("eu-1"))).toBeUndefined();
  });

  it("is the registration that it joined by", () => {
    const registration = requestOf({ token: "edge" });
    const children = [requestOf({ name: "request-b" }), registration];
    expect(registrationOf(fleetMemberOf("eu-1", { state: grantedMemory(), children }))).toBe(registration);
    expect(registrationOf(fleetMemberOf("eu-1", { children }))).toBeUndefined();
  });

  it("is a namespace into which something can be put", () => {
    const of = (changes: object, name = home) =>
      hasHomeNamespace(
        fleetMemberOf("eu-1", { children: [inHome("Namespace", { ...changes, name, namespace: undefined })] }),
      );
    expect(of({})).toBe(true);
    expect(of({ deletionTimestamp: "2027-01-01T00:00:00Z" })).toBe(false);
    expect(of({}, "other")).toBe(false);
    expect(hasHomeNamespace(fleetMemberOf("eu-1"))).toBe(false);
  });

  it("is what its agent is to deploy, and nothing that is another cluster's", () => {
    const deployment = inHome("BundleDeployment");
    const children = [deployment, inHome("Secret"), inHome("BundleDeployment", {}, "other")];
    expect(bundleDeploymentsOf(fleetMemberOf("eu-1", { children }))).toEqual([deployment]);
  });
});
