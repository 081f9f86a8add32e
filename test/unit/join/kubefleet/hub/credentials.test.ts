import { describe, expect, it } from "vitest";
import { credentials } from "../../../../../src/join/kubefleet/hub/credentials.ts";
import { externalKubefleetProtocol } from "../../../../../src/join/kubefleet/hub/external-protocol.ts";
import { memberClusterRef } from "../../../../../src/join/kubefleet/hub/member-facts.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member, TokenSubject } from "../../../../../src/model/member.ts";
import { hubFacts, startMs, tokenSubject, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import {
  credentialSecret,
  hourMs,
  internalOf,
  issued,
  kubefleetMemberOf,
  leave,
  objectsOf,
  time,
  withKubeconfig,
} from "../kubefleet-scene.ts";

const at = (laterMs: number) => hubFacts({ nowMs: startMs + laterMs });
const spec = withKubeconfig;
const token: TokenSubject = tokenSubject("edge");
const minuteMs = 60_000;

describe("a KubeFleet member's credentials", () => {
  const member: Member = kubefleetMemberOf({
    spec,
    state: issued(2),
    children: [...objectsOf({ spec }), credentialSecret(2)],
  });

  it("are kept with the state, and a token of files has none here", () => {
    const kept = credentials
      .keptObjects({ kind: "member", member }, at(0))
      .map(({ type, name }) => `${type.kind}/${name}`);
    expect(kept).toEqual(["ConfigMap/rollcall-cluster-eu-1", "Secret/rollcall-eu-1.2"]);
    expect(credentials.keptObjects({ kind: "token", subject: token }, at(0))).toEqual([]);
    expect(credentials.credentialsDue({ kind: "token", subject: token }, at(0))).toEqual([]);
    expect(credentials.credentialsDue({ kind: "member", member }, at(12 * hourMs))).toHaveLength(1);
  });

  it("are delivered to no token, and for no other purpose", async () => {
    const deliver = async (subject: Parameters<typeof credentials.deliver>[0], purpose: string) => {
      const due = { purpose, workspace, how: { kind: "random" }, reason: "" } as const;
      return await credentials.deliver(subject, { due, issuedAt: time(0), random: new Uint8Array() });
    };
    await expect(deliver({ kind: "member", member }, "recovery")).rejects.toThrow("unknown purpose recovery");
    await expect(deliver({ kind: "token", subject: token }, "working")).rejects.toThrow("unknown purpose working");
    expect(await deliver({ kind: "member", member }, "working")).toEqual({ objects: [], statusWrites: [] });
  });
});

describe("dueAtMs: when a KubeFleet member changes by time alone", () => {
  const silent = {
    conditions: [{ type: "Healthy", status: "Unknown", reason: "x", message: "", lastTransitionTime: time(0) }],
  } as const;
  const joined = [internalOf({ Joined: { status: "True" } })];
  const dueAt = (parts: MemberParts, laterMs = 0): number | undefined => {
    const moment = credentials.dueAtMs({ kind: "member", member: kubefleetMemberOf(parts) }, at(laterMs));
    return moment === undefined ? undefined : (moment - startMs) / minuteMs;
  };

  it("is in two minutes while its agent sends heartbeats, which are copied", () => {
    expect(dueAt({ children: joined })).toBe(2);
    expect(dueAt({ children: joined, status: { conditions: [{ ...silent.conditions[0], status: "True" }] } })).toBe(2);
  });

  it.each<[string, MemberParts]>([
    ["its agent is silent", { children: joined, status: { conditions: [...silent.conditions] } }],
    ["its agent has left", { children: [internalOf({ Joined: { status: "False" } })] }],
    ["it leaves", { children: joined, annotations: leave }],
    ["nothing is there", {}],
  ])("is never when %s", (_when, parts) => {
    expect(dueAt(parts)).toBeUndefined();
  });

  it("is the next moment of its token, and none that is over", () => {
    const parts = { spec, state: issued(2) };
    expect([dueAt(parts), dueAt(parts, 12 * hourMs - 1)]).toEqual([12 * 60, 12 * 60]);
    expect([dueAt(parts, 12 * hourMs), dueAt(parts, 24 * hourMs)]).toEqual([24 * 60, undefined]);
    expect(credentials.dueAtMs({ kind: "token", subject: token }, at(0))).toBeUndefined();
  });
});

describe("pendingBootstrap: where KubeFleet's own hub agent serves the member", () => {
  const memberCluster = (conditions: readonly object[]): KubeObject => ({
    ...{ apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "MemberCluster" },
    metadata: { name: memberClusterRef({ workspace, name: "eu-1" }).name },
    status: { conditions },
  });
  const pending = (conditions: readonly object[]) =>
    externalKubefleetProtocol.pendingBootstrap(
      kubefleetMemberOf({ spec, state: issued(2), children: [credentialSecret(2), memberCluster(conditions)] }),
      at(0),
    );
  const ready = { type: "ReadyToJoin", reason: "MemberClusterReadyToJoin", status: "True" };

  it("waits until the hub agent reports that the namespace and the rights are there", () => {
    expect(pending([ready])).toEqual({ number: 2, values: { token: "token 2" } });
    expect(pending([])).toBeUndefined();
    expect(pending([{ ...ready, status: "False" }])).toBeUndefined();
    expect(pending([{ ...ready, reason: "MemberClusterJoined" }])).toBeUndefined();
  });
});
