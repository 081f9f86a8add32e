import { describe, expect, it } from "vitest";
import {
  agentPeriodOf,
  answerEndMs,
  clusterIdOf,
  grantOf,
  hasHome,
  heartbeatIn,
  homeNamespaceName,
  homeNamespaceOf,
  isAnswerOpen,
  requestOf as requestOfMember,
} from "../../../../../src/join/clusternet/hub/member-facts.ts";
import { clusternetAnswerLifeMs, clusternetFirstAnswerLifeMs } from "../../../../../src/model/dialects/clusternet.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import {
  clusternetMemberOf,
  granted,
  heard,
  home,
  id,
  managedOf,
  otherId,
  requestOf,
  time,
} from "../clusternet-scene.ts";

const namespace = (metadata: Partial<KubeObject["metadata"]> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: home, ...metadata },
});

describe("grantOf: what is remembered of a Clusternet agent that was admitted", () => {
  it("is who it is, which request it made and by which token", () => {
    expect(grantOf({ state: granted() })).toEqual({
      request: `clusternet-${id}`,
      requestUid: "uid-1",
      clusterId: id,
      tokenName: "door",
      clusterType: "EdgeCluster",
      syncMode: "Dual",
      grantedMs: startMs,
    });
    const bare = granted({ protocolFacts: { requestUid: "u", clusterId: id } });
    expect(grantOf({ state: bare })).toMatchObject({ tokenName: "", clusterType: "", syncMode: "Pull" });
  });

  it("is nothing without a join, an id or the request's uid", () => {
    for (const state of [
      undefined,
      granted({ join: undefined }),
      granted({ protocolFacts: { requestUid: "u" } }),
      granted({ protocolFacts: { clusterId: id } }),
    ])
      expect(grantOf({ state })).toBeUndefined();
  });

  it("may be answered by the token for ten minutes, and for a day where its agent never reported", () => {
    for (const [children, lifeMs] of [
      [[managedOf(heard)], clusternetAnswerLifeMs],
      [[managedOf()], clusternetFirstAnswerLifeMs],
      [[], clusternetFirstAnswerLifeMs],
    ] as const) {
      const member = clusternetMemberOf({ state: granted(), children });
      const grant = grantOf(member);
      if (grant === undefined) throw new Error("no grant");
      expect(answerEndMs(member, grant)).toBe(startMs + lifeMs);
      expect(isAnswerOpen(member, grant, hubFacts({ nowMs: startMs + lifeMs - 1 }))).toBe(true);
      expect(isAnswerOpen(member, grant, hubFacts({ nowMs: startMs + lifeMs }))).toBe(false);
    }
  });
});

describe("what belongs to a Clusternet member", () => {
  it("is identified by the file, then by what is remembered, then by the object of their approver", () => {
    const children = [{ ...managedOf(), spec: { clusterId: "theirs" } }];
    const state = { clientID: otherId };
    expect(clusterIdOf(clusternetMemberOf({ spec: { clientID: id }, state, children }))).toBe(id);
    expect(clusterIdOf(clusternetMemberOf({ state, children }))).toBe(otherId);
    expect(clusterIdOf(clusternetMemberOf({ children }))).toBe("theirs");
    expect(clusterIdOf(clusternetMemberOf())).toBeUndefined();
  });

  it("is in a namespace of its own, or in the one that the file names", () => {
    expect(homeNamespaceOf(clusternetMemberOf())).toBe(home);
    expect(homeNamespaceOf(clusternetMemberOf({ spec: { clusternet: { clusterNamespace: "x" } } }))).toBe("x");
  });

  it.each<[string, readonly KubeObject[], boolean]>([
    ["is there", [namespace()], true],
    ["is being deleted", [namespace({ deletionTimestamp: time(0) })], false],
    ["is being deleted with a ManagedCluster in it", [namespace({ deletionTimestamp: time(0) }), managedOf()], false],
    ["is not ours yet, and has a ManagedCluster in it", [managedOf()], true],
    ["is another one", [namespace({ name: "other" })], false],
    ["is not there", [], false],
  ])("can be filled where the namespace %s", (_where, children, expected) => {
    expect(hasHome(clusternetMemberOf({ children }))).toBe(expected);
  });

  it("is the request that it joined by, and none before it joined", () => {
    const children = [requestOf({ metadata: { name: "clusternet-other" } }), requestOf()];
    expect(requestOfMember(clusternetMemberOf({ state: granted(), children }))).toBe(children[1]);
    expect(requestOfMember(clusternetMemberOf({ children }))).toBeUndefined();
  });
});

describe("heartbeatIn: what a Clusternet agent reports", () => {
  it("is of the workspace of the hub's own label", () => {
    expect(heartbeatIn(managedOf(heard))).toEqual({ workspace, cluster: "eu-1", marker: heard.lastObservedTime });
  });

  it.each<[string, KubeObject]>([
    ["without a time", managedOf()],
    ["with an empty time", managedOf({ lastObservedTime: "" })],
    ["without that label", managedOf(heard, { labels: {} })],
    ["without any labels", managedOf(heard, { labels: undefined })],
    ["of another kind", { ...managedOf(heard), kind: "Cluster" }],
  ])("is none %s", (_how, object) => {
    expect(heartbeatIn(object)).toBeUndefined();
  });

  it.each([
    [1, 1],
    [180, 180],
    [3600, 3600],
    [3601, 3600],
    [0, undefined],
    [0.5, undefined],
  ])("comes every %s s: %s", (heartbeatFrequencySeconds, expected) => {
    expect(agentPeriodOf(clusternetMemberOf({ children: [managedOf({ heartbeatFrequencySeconds })] }))).toBe(expected);
  });
});

describe("A101 homeNamespaceName: which namespace a file may take over", () => {
  const createdBy = { "clusternet.io/created-by": "clusternet-agent" };
  const named = { clusternet: { clusterNamespace: "team-b" } };

  it.each([
    { what: "the hub's own choice: any", spec: { clientID: id }, labels: undefined },
    {
      what: "one that Clusternet made for this id",
      spec: { ...named, clientID: id },
      labels: { ...createdBy, "clusters.clusternet.io/cluster-id": id },
    },
    {
      what: "one that Clusternet made for this name, where the file has no id",
      spec: named,
      labels: { ...createdBy, "clusters.clusternet.io/cluster-name": "eu-1" },
    },
  ])("is $what", ({ spec, labels }) => {
    const member = clusternetMemberOf({ spec });
    expect(homeNamespaceName(member).labelsToAdopt).toEqual(labels);
  });
});
