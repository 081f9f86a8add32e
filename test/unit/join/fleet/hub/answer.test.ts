import { describe, expect, it } from "vitest";
import { deliverAnswer, memberCredentialsDue } from "../../../../../src/join/fleet/hub/answer.ts";
import { desiredMemberObjects } from "../../../../../src/join/fleet/hub/desired-objects.ts";
import { clusterNamespaceName, fleetAnswerLifeMs } from "../../../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import { fleetMemberOf, grantedMemory } from "../fleet-scene.ts";

const home = clusterNamespaceName(workspace, "eu-1");
const state = grantedMemory();
const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: home } };
const rights = desiredMemberObjects(fleetMemberOf("eu-1", { state, children: [namespace] }), hubFacts());
const answer: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "c-answer", namespace: "cattle-fleet-clusters-system" },
};
const admitted = (parts: MemberParts = {}): Member => fleetMemberOf("eu-1", { state, children: rights, ...parts });
const dueOf = (member: Member, laterMs = 0) => memberCredentialsDue(member, hubFacts({ nowMs: startMs + laterMs }));

describe("memberCredentialsDue: the answer to a Fleet agent that was admitted", () => {
  it("is due as soon as the agent's rights are there, with the token of the agent's own account", () => {
    expect(dueOf(admitted())).toEqual([
      {
        purpose: "working",
        workspace,
        how: { kind: "token-secret", secret: "request-a-account-token" },
        reason: "the agent was admitted",
      },
    ]);
  });

  it.each<[string, Member, number]>([
    ["once it is there", admitted({ children: [...rights, answer] }), 0],
    ["when no agent waits for it any more", admitted(), fleetAnswerLifeMs],
    ["for a cluster that leaves", admitted({ annotations: { "rollcall.dev/leave": "c0ffee" } }), 0],
    ["for a revoked one", admitted({ annotations: { "rollcall.dev/revoked": "-/operator/now" } }), 0],
    ["for one that nobody was let in for", admitted({ state: { clientID: "uid-1" } }), 0],
  ])("is not due %s", (_reason, member, laterMs) => {
    expect(dueOf(member, laterMs)).toEqual([]);
  });

  it("is still due in the last moment in which an agent waits", () => {
    expect(dueOf(admitted(), fleetAnswerLifeMs - 1)).toHaveLength(1);
  });

  it("is not due while any one of the agent's bindings is missing: the agent would be refused and ask anew", () => {
    const needed = rights.filter(
      ({ kind, metadata }) => kind.endsWith("Binding") && metadata.namespace !== "cattle-fleet-clusters-system",
    );
    expect(needed.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? "-"} ${metadata.name}`)).toEqual([
      `RoleBinding ${workspace} request-a`,
      "ClusterRoleBinding - request-a-account-content",
      `RoleBinding ${home} request-a`,
    ]);
    for (const missing of needed)
      expect(dueOf(admitted({ children: rights.filter((child) => child !== missing) })), missing.kind).toEqual([]);
  });

  it("is not held for answered by a Secret of that name in another namespace", () => {
    const elsewhere = { ...answer, metadata: { name: "c-answer", namespace: workspace } };
    expect(dueOf(admitted({ children: [...rights, elsewhere] }))).toHaveLength(1);
  });
});

describe("deliverAnswer: the Secret that a Fleet agent asks for", () => {
  const deliver = (member: Member) => {
    const due = { purpose: "working", workspace, how: { kind: "random" }, reason: "" } as const;
    return deliverAnswer(member, { due, token: "opaque", issuedAt: "", random: new Uint8Array() });
  };

  it("answers the agent where its cluster is, under the name that it computed", () => {
    const [secret, ...others] = deliver(admitted()).objects;
    expect(others).toEqual([]);
    expect(secret).toMatchObject({
      kind: "Secret",
      metadata: {
        name: "c-answer",
        namespace: "cattle-fleet-clusters-system",
        labels: {
          "rollcall.dev/cluster": "eu-1",
          "rollcall.dev/owner-workspace": workspace,
          "fleet.cattle.io/cluster": "eu-1",
          "fleet.cattle.io/managed": "true",
        },
      },
      type: "fleet.cattle.io/agent-credential",
    });
    const data = Object.entries(secret?.["data"] as Record<string, string>);
    expect(
      Object.fromEntries(data.map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")])),
    ).toEqual({
      token: "opaque",
      deploymentNamespace: home,
      clusterNamespace: workspace,
      clusterName: "eu-1",
      systemNamespace: "cattle-fleet-system",
    });
  });

  it("is not made for a member whose grant was forgotten meanwhile", () => {
    expect(deliver(admitted({ state: {} }))).toEqual({ objects: [], statusWrites: [] });
  });
});
