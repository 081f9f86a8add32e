import { describe, expect, it } from "vitest";
import { credentials } from "../../../../../src/join/fleet/hub/credentials.ts";
import { renderFleetCluster } from "../../../../../src/join/fleet/hub/fleet-cluster.ts";
import { clusterNamespaceName, fleetAnswerLifeMs, fleetImportLifeMs } from "../../../../../src/model/dialects/fleet.ts";
import { describeRef } from "../../../../../src/model/kubernetes.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import { fleetMemberOf, fleetTokenOf, grantedMemory } from "../fleet-scene.ts";

const home = clusterNamespaceName(workspace, "eu-1");
const leave = { "rollcall.dev/leave": "c0ffee" };
const revoked = { "rollcall.dev/revoked": "-/operator/now" };
const at = (laterMs: number) => hubFacts({ nowMs: startMs + laterMs });
const kept = (member: Member, laterMs = 0): string[] =>
  credentials
    .keptObjects({ kind: "member", member }, at(laterMs))
    .map((ref) => describeRef(ref).replaceAll(home, "home"));
const memory = `ConfigMap/${workspace}/rollcall-cluster-eu-1`;
const answer = "Secret/cattle-fleet-clusters-system/c-answer";

describe("keptObjects: what is not taken from a Fleet agent", () => {
  const state = grantedMemory();

  it("is the answer as long as an agent may read it, and the state", () => {
    const member = fleetMemberOf("eu-1", { state });
    expect(kept(member, fleetAnswerLifeMs - 1)).toEqual([memory, answer]);
    expect(kept(member, fleetAnswerLifeMs)).toEqual([memory]);
  });

  it.each([
    ["leaves", leave],
    ["is revoked", revoked],
  ])("is not the answer where the cluster %s", (_why, annotations) => {
    expect(kept(fleetMemberOf("eu-1", { state, annotations }))).toEqual([memory]);
  });

  describe("that Fleet's own controllers admitted", () => {
    const heartbeat = { ...renderFleetCluster(fleetMemberOf("eu-1")), status: { agent: { lastSeen: "2026-01-01" } } };
    const account: KubeObject = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a", namespace: home } };
    const elsewhere = { ...account, metadata: { name: "b", namespace: workspace } };
    const secret = { ...account, kind: "Secret", metadata: { name: "c", namespace: home } };
    const children = [heartbeat, account, elsewhere, secret];

    it("is its account, and no account or Secret of another place", () => {
      expect(kept(fleetMemberOf("eu-1", { children }))).toEqual([memory, "ServiceAccount/home/a"]);
    });

    it.each([
      ["the cluster leaves", { annotations: leave, children }],
      ["the cluster is revoked", { annotations: revoked, children }],
      ["the agent was let in anew", { state: grantedMemory(), children }],
      ["no agent was ever heard of", { children: [account] }],
    ])("is not its account once %s", (_when, parts) => {
      expect(kept(fleetMemberOf("eu-1", parts))).not.toContain("ServiceAccount/home/a");
    });
  });
});

describe("dueAtMs: when a Fleet member changes by time alone", () => {
  const dueAt = (member: Member, laterMs: number): number | undefined => {
    const moment = credentials.dueAtMs({ kind: "member", member }, at(laterMs));
    return moment === undefined ? undefined : moment - startMs;
  };

  it("is when its answer ends, and nothing after", () => {
    const member = fleetMemberOf("eu-1", { state: grantedMemory() });
    expect(dueAt(member, fleetAnswerLifeMs - 1)).toBe(fleetAnswerLifeMs);
    expect(dueAt(member, fleetAnswerLifeMs)).toBeUndefined();
  });

  it("is the sooner one of the end of its answer and the end of the account that it was installed with", () => {
    const spec = { kubeConfigSecretRef: { name: "k" } };
    const time = new Date(startMs - fleetImportLifeMs + 60_000).toISOString();
    const install = { bootstrap: 1, redeployGeneration: 0, kubeconfigDigest: "k", time, manifestDigest: "other" };
    const member = fleetMemberOf("eu-1", { spec, state: grantedMemory({ install }) });
    expect(dueAt(member, 0)).toBe(60_000);
    expect(dueAt(member, 60_000)).toBe(fleetAnswerLifeMs);
  });

  it.each([
    ["leaves", leave],
    ["is revoked", revoked],
  ])("is never for one that %s", (_why, annotations) => {
    expect(dueAt(fleetMemberOf("eu-1", { state: grantedMemory(), annotations }), 0)).toBeUndefined();
  });

  it("is never for a revoked token, whatever time it had left", () => {
    const subject = fleetTokenOf("edge", { ttl: "1h" });
    subject.token.metadata.annotations = revoked;
    expect(credentials.dueAtMs({ kind: "token", subject }, at(0))).toBeUndefined();
    expect(credentials.keptObjects({ kind: "token", subject }, at(0))).toEqual([]);
  });
});

describe("deliver: a Fleet credential", () => {
  const made = (purpose: string) => ({
    due: { purpose, workspace, how: { kind: "random" }, reason: "" } as const,
    token: "opaque",
    issuedAt: "",
    random: new Uint8Array(),
  });
  const namesOf = async (subject: Parameters<typeof credentials.deliver>[0], purpose: string) =>
    (await credentials.deliver(subject, made(purpose), hubFacts())).objects.map(({ metadata }) => metadata.name);
  const member = { kind: "member", member: fleetMemberOf("eu-1", { state: grantedMemory() }) } as const;

  it("is written to the token's values, or to the answer of the agent", async () => {
    expect(await namesOf({ kind: "token", subject: fleetTokenOf("edge") }, "token")).toEqual(["edge"]);
    expect(await namesOf(member, "working")).toEqual(["c-answer"]);
  });

  it("is given to no agent for another purpose", async () => {
    await expect(namesOf(member, "recovery")).rejects.toThrow("unknown purpose recovery");
  });
});
