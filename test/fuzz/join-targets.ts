import { clusternetProtocol } from "../../src/join/clusternet/hub/clusternet-protocol.ts";
import { fleetProtocol } from "../../src/join/fleet/hub/fleet-protocol.ts";
import type { JoinProtocol } from "../../src/join/join.ts";
import { kubefleetProtocol } from "../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import { rollcallProtocol } from "../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import type { Member, TokenSubject } from "../../src/model/member.ts";
import { indexMembers } from "../../src/planning/member-index.ts";
import { isJsonObject } from "../../src/core/json.ts";
import { fleetTokenOf, requestOf } from "../unit/join/fleet/fleet-scene.ts";
import {
  hubFacts,
  makeAgent,
  memberOf,
  memberStateOf,
  proofKey,
  registrationOf,
  startMs,
  tokenSubject,
  workspace,
} from "../unit/join/hub-scene.ts";
import { randomJson, shaken } from "./random-input.ts";
import type { Input, Target } from "./target.ts";
import { inputOf, pure } from "./target.ts";

const protocols: Readonly<Record<string, JoinProtocol>> = {
  rollcall: rollcallProtocol,
  clusternet: clusternetProtocol,
  fleet: fleetProtocol,
  kubefleet: kubefleetProtocol,
};
const agent = makeAgent();
const hub = hubFacts();
const time = new Date(startMs).toISOString();
const clusterId = "dc91021d-2361-4f6d-a404-7c33b9e01118";
const home = { rollcall: workspace, clusternet: workspace, fleet: workspace, kubefleet: "fleet-member-eu-1" };
const labels = { "rollcall.dev/cluster": "eu-1", "rollcall.dev/owner-workspace": workspace };

/** What an agent of each protocol reports, with nearly every field that is read. */
const reports: Readonly<Record<string, { readonly type: object; readonly content: object }>> = {
  rollcall: {
    type: { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterReport" },
    content: {
      spec: {
        agentVersion: "0.1.0",
        kubernetesVersion: "v1.34.0",
        platform: "linux/amd64",
        nodes: { total: 3, ready: 2, notReady: 1, unknown: 0 },
        resources: { capacity: { cpu: "4" }, allocatable: { memory: "1Gi" }, available: { pods: 3 } },
        health: { livez: true, readyz: true },
        apiServer: { url: "https://a.example:6443" },
        properties: { a: "b" },
        credentialNumber: 1,
        clock: time,
        refusedVersion: "0.2.0",
        appliedManifestDigest: "sha256:a",
        refusedManifestDigest: "sha256:b",
        renewal: { nonce: 2, credential: 1, signature: "AAAA" },
        leave: { commit: "c0ffee", isDone: true },
      },
    },
  },
  clusternet: {
    type: { apiVersion: "clusters.clusternet.io/v1beta1", kind: "ManagedCluster" },
    content: {
      spec: { clusterId, clusterType: "EdgeCluster", syncMode: "Dual" },
      status: {
        lastObservedTime: time,
        k8sVersion: "v1.34.0",
        platform: "linux/amd64",
        healthz: true,
        livez: true,
        readyz: true,
        nodeStatistics: { readyNodes: 2, notReadyNodes: 1, unknownNodes: 0 },
        allocatable: { cpu: "4" },
        capacity: { memory: "1Gi" },
        apiserverURL: "https://a.example",
        heartbeatFrequencySeconds: 180,
        conditions: [{ type: "Ready", status: "True", reason: "a", message: "b", lastTransitionTime: time }],
        predictorEnabled: false,
      },
    },
  },
  fleet: {
    type: { apiVersion: "fleet.cattle.io/v1alpha1", kind: "Cluster" },
    content: {
      spec: { clientID: "uid-1" },
      status: {
        namespace: "cluster-fleet-a",
        agent: { lastSeen: time, namespace: "cattle-fleet-system", readyNodes: 1, nonReadyNodes: 0 },
        summary: { ready: 1, desiredReady: 2, nonReadyResources: [{ name: "a", bundleState: "NotReady" }] },
        display: { readyBundles: "1/2", state: "NotReady" },
        conditions: [{ type: "Ready", status: "False", message: "m" }],
      },
    },
  },
  kubefleet: {
    type: { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "InternalMemberCluster" },
    content: {
      spec: { state: "Join" },
      status: {
        agentStatus: [
          {
            type: "MemberAgent",
            conditions: [{ type: "Joined", status: "True", reason: "a", lastTransitionTime: time, message: "" }],
            lastReceivedHeartbeat: time,
          },
        ],
        resourceUsage: { capacity: { cpu: "4" }, allocatable: { cpu: "3" }, observationTime: time },
        properties: { "kubernetes-fleet.io/node-count": { value: "3", observationTime: time } },
      },
    },
  },
};

/** The member of an input: the report is what the agent wrote, kind and name are what its rights leave it. */
function memberWith({ form, bytes }: Input): { readonly protocol: JoinProtocol; readonly member: Member } | undefined {
  const protocol = protocols[form];
  const content = jsonOf(bytes);
  if (protocol === undefined || !isJsonObject(content)) return undefined;
  const namespace = home[form as keyof typeof home];
  const metadata = { name: "eu-1", namespace, uid: "uid-1", generation: 1, labels };
  const report = { ...content, ...reports[form]?.type, metadata } as unknown as KubeObject;
  const state = memberStateOf(agent, {
    credential: { number: 1, issuedAt: time, expiresAt: time },
    protocolFacts: { requestUid: "uid-1", registrationUid: "uid-1", clusterId, requestedMs: String(startMs) },
  });
  const spec = { protocol: protocol.name };
  return { protocol, member: memberOf("eu-1", { spec, state, children: [report] }) };
}

const reported: Target = {
  seeds: Object.entries(reports).map(([form, { content }]) => inputOf(form, JSON.stringify(content))),
  generate: (dice) => {
    const form = dice.pick(Object.keys(reports));
    return inputOf(form, JSON.stringify(shaken(dice, reports[form]?.content, [-1, 2 ** 60, "9999-12-31T23:59:59Z"])));
  },
  open: pure((input) => {
    const { protocol, member } = memberWith(input) ?? {};
    if (protocol === undefined || member === undefined) return;
    const { status } = protocol.factsOf(member, hub);
    protocol.statusWrites(member, hub, status);
    protocol.offboardingStatusWrites(member, hub, status);
    protocol.desiredObjects(member, hub);
    const subject = { kind: "member", member } as const;
    protocol.keptObjects(subject, hub);
    protocol.credentialsDue(subject, hub);
    protocol.dueAtMs(subject, hub);
    protocol.offboardingSteps(member, hub);
    protocol.pendingBootstrap(member, hub);
    protocol.agentPeriodSeconds(member);
    protocol.agentProgress(member, hub);
    for (const child of member.children) {
      protocol.heartbeatIn(child);
      protocol.isOnlyHeartbeat(child, child);
    }
  }),
};

const clusternetRequest = {
  clusterId,
  clusterName: "eu-1",
  clusterType: "EdgeCluster",
  syncMode: "Pull",
  clusterLabels: { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "edge", env: "prod" },
};
const asked: Readonly<Record<string, KubeObject>> = {
  rollcall: registrationOf(agent, { tokenName: "edge", proofKey, clusterName: "eu-1", labels: { a: "b" } }),
  clusternet: {
    apiVersion: "clusters.clusternet.io/v1beta1",
    kind: "ClusterRegistrationRequest",
    metadata: { name: `clusternet-${clusterId}`, uid: "uid-1" },
    spec: clusternetRequest,
  },
  fleet: requestOf({ token: "edge", labels: { env: "prod" } }),
};
const tokens: Readonly<Record<string, TokenSubject>> = {
  rollcall: tokenSubject("edge", { agentLabels: ["a"], clusterNames: ["eu-*"] }),
  clusternet: tokenSubject("edge", { protocol: "clusternet", clusterNames: ["eu-*"] }),
  fleet: fleetTokenOf("edge"),
};

/** What an agent asks: any spec and status, under the name that the first example has. */
const registrations: Target = {
  seeds: Object.entries(asked).map(([form, { apiVersion: _v, kind: _k, metadata: _m, ...content }]) =>
    inputOf(form, JSON.stringify(content)),
  ),
  generate: (dice) => {
    const form = dice.pick(Object.keys(asked));
    const spec = asked[form]?.["spec"];
    return inputOf(
      form,
      JSON.stringify({ spec: shaken(dice, spec), status: dice.next() < 0.5 ? undefined : randomJson(dice) }),
    );
  },
  open: pure(({ form, bytes }) => {
    const [kind, example, token] = [protocols[form]?.registrations, asked[form], tokens[form]];
    const content = jsonOf(bytes);
    if (kind === undefined || example === undefined || token === undefined || !isJsonObject(content)) return;
    const { apiVersion, metadata } = example;
    const registration: KubeObject = { ...content, apiVersion, kind: example.kind, metadata: { ...metadata } };
    kind.workspaceOf(registration);
    kind.tokenNameOf(registration);
    if (kind.isDecided(registration)) return;
    kind.decide(registration, { token, members: indexMembers([memberOf("eu-1")]), tokens: () => [token] }, hub);
  }),
};

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined; // the hub has read it: it is JSON
  }
}

/** What agents write on the hub. */
export const joinTargets = { reports: reported, registrations };
