import { describe, expect, it } from "vitest";
import { GroupMembers } from "../../../src/hub/group-members.ts";
import { reconcileGroups } from "../../../src/hub/groups.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { proposalWrite } from "../../../src/join/rollcall/hub/refusals.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { computeClusterStatus } from "../../../src/planning/cluster-status.ts";
import { tokenStatus } from "../../../src/planning/token-status.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";
import {
  hubFacts,
  makeAgent,
  memberOf,
  memberStateOf,
  proofKey,
  registrationOf,
  tokenSubject,
} from "../join/hub-scene.ts";
import { openMemberWorld, workspace } from "./members/member-world.ts";

const apiVersion = "rollcall.dev/v1alpha1";

describe("the status that the hub writes", () => {
  it("of a Cluster has each field that the hub computes", () => {
    const annotations = {
      "rollcall.dev/source-file": "clusters/eu-1.yaml",
      "rollcall.dev/source-line": "3",
      "rollcall.dev/source-commit": "c0ffee",
    };
    const spec = {
      clientID: "uid-1",
      deletionPolicy: "Detach" as const,
      heartbeat: { periodSeconds: 45, failureThreshold: 4 },
    };
    const member = memberOf("eu-1", { spec, annotations, state: memberStateOf(makeAgent()) });
    Object.assign(member.cluster.metadata, { generation: 7 });
    const hub = hubFacts();
    const status = computeClusterStatus({
      member,
      hub,
      facts: {
        ...rollcallProtocol.factsOf(member, hub),
        status: {
          agent: { version: "0.1.0", refusedVersion: "0.2.0" },
          resources: { capacity: { cpu: "4" }, allocatable: { cpu: "3" }, available: { cpu: "2" } },
        },
      },
      heartbeat: { kind: "alive" },
      leave: { commit: "c0ffee", phase: "Waiting", since: "2030-01-02T03:04:05Z" },
    });
    expect(status).toMatchObject({
      observedGeneration: 7,
      agent: { refusedVersion: "0.2.0" },
      resources: { available: { cpu: "2" } },
      source: { file: "clusters/eu-1.yaml", line: 3, commit: "c0ffee" },
      effective: {
        protocol: "rollcall",
        clientID: "uid-1",
        deletionPolicy: "Detach",
        heartbeatPeriodSeconds: 45,
        failureThreshold: 4,
        hubURL: hub.endpoint.url,
      },
      leave: { commit: "c0ffee" },
    });
  });

  it("of a ClusterGroup has its clusters, those that are ready, and the names of the others", async () => {
    const world = await openMemberWorld();
    const labels = { "rollcall.dev/repository": "rollcall-system.fleet", env: "prod" };
    const readyCondition = {
      type: "Ready",
      status: "True",
      reason: "Ready",
      message: "",
      lastTransitionTime: "2030-01-02T03:04:05Z",
    };
    await world.addCluster("a", { labels, status: { conditions: [readyCondition] } as never });
    await world.addCluster("b", { labels });
    const group = await world.put({
      apiVersion,
      kind: "ClusterGroup",
      metadata: { name: "all", namespace: workspace, labels },
      spec: { selector: { matchLabels: { env: "prod" } } },
    });
    const groupMembers = new GroupMembers(world.ports.view, world.ports.clock);
    await reconcileGroups({ ...world.ports, groupMembers }, workspace, world.signal);
    const seen = world.ports.view.get({ type: resourceTypes.clusterGroup, namespace: workspace, name: "all" });
    expect(seen?.["status"]).toMatchObject({
      observedGeneration: group.metadata.generation,
      clusters: 2,
      readyClusters: 1,
      notReady: ["b"],
      conditions: [{ type: "Ready", status: "False", reason: "SomeNotReady" }],
    });
  });

  it("of a ClusterRegistrationToken names which generation and which line of a file it is about", () => {
    const annotations = {
      "rollcall.dev/source-file": "tokens/edge.yaml",
      "rollcall.dev/source-line": "3",
      "rollcall.dev/source-commit": "c0ffee",
    };
    const subject = tokenSubject(
      "edge",
      {},
      { metadata: { name: "edge", namespace: workspace, generation: 3, annotations } },
    );
    const values = { hasSecret: true, isComplete: true };
    expect(tokenStatus({ subject, members: indexMembers([]), hub: hubFacts(), values })).toMatchObject({
      observedGeneration: 3,
      source: { file: "tokens/edge.yaml", line: 3, commit: "c0ffee" },
    });
  });

  it("of a ClusterRegistration names which generation was refused or proposed", () => {
    const registration = registrationOf(makeAgent(), { tokenName: "edge", proofKey });
    const { status } = proposalWrite(registration, memberOf("eu-1").cluster, hubFacts());
    expect(status).toMatchObject({ observedGeneration: 1, decision: "Proposed", clusterName: "eu-1" });
  });

  it("of a proposed ClusterRegistration keeps the words of another version, so that an update writes nothing", () => {
    const registration = registrationOf(makeAgent(), { tokenName: "edge", proofKey });
    const written = { decision: "Proposed", reason: "AwaitingMerge", message: "Other words.", clusterName: "eu-1" };
    const status = { ...written, observedGeneration: 1, decidedTime: "2026-01-01T00:00:00Z" };
    const write = (name: string) => proposalWrite({ ...registration, status }, memberOf(name).cluster, hubFacts());
    expect(write("eu-1").status).toEqual(status);
    expect(write("eu-2").status).toMatchObject({
      message: expect.stringContaining("cluster eu-2 is proposed") as string,
    });
  });

  it("of a ClusterReport names the manifest, and keeps the answers that the agent has not taken", () => {
    const renewal = { nonce: 7, number: 2, sealed: { enc: "a", ciphertext: "b" } };
    const successor = { workspace: "other", name: "eu-2", sealed: { enc: "c", ciphertext: "d" } };
    const report = { apiVersion, kind: "ClusterReport", metadata: { name: "eu-1", namespace: workspace }, spec: {} };
    const member = memberOf("eu-1", {
      annotations: { "rollcall.dev/moved-to": "other/eu-2" },
      state: { ...memberStateOf(makeAgent()), answeredNonce: 7 },
      children: [{ ...report, status: { renewal, successor } }],
    });
    const [write] = rollcallProtocol.statusWrites(member, hubFacts());
    expect(write?.status).toMatchObject({ manifest: { configMap: "rollcall-agent-eu-1" }, renewal, successor });
  });
});
