import { accountCredentials } from "../../../../src/join/clusternet/hub/token-credentials.ts";
import { desiredMemberObjects } from "../../../../src/join/clusternet/hub/desired-objects.ts";
import { dedicatedNamespaceName } from "../../../../src/model/dialects/clusternet.ts";
import type { MemberState } from "../../../../src/model/member-state.ts";
import type { ClusterRegistrationToken } from "../../../../src/model/generated/cluster-registration-token.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { Member, TokenSubject } from "../../../../src/model/member.ts";
import { hubFacts, memberOf, startMs, tokenSubject, workspace } from "../hub-scene.ts";
import type { MemberParts } from "../hub-scene.ts";

export const id = "dc91021d-2361-4f6d-a404-7c33b9e01118";
export const otherId = "0d4f1f5e-2b5f-4f0f-9f55-6f0a8a3b1c11";
export const home = dedicatedNamespaceName(workspace, "eu-1");
export const hourMs = 3_600_000;
export const withKubeconfig = { kubeConfigSecretRef: { name: "eu-1-kubeconfig" } };
export const leave = { "rollcall.dev/leave": "c0ffee" };
export const revoked = { "rollcall.dev/revoked": "-/operator/now" };
export const time = (laterMs: number): string => new Date(startMs + laterMs).toISOString();

export function clusternetMemberOf(parts: MemberParts = {}, name = "eu-1"): Member {
  return memberOf(name, { ...parts, spec: { protocol: "clusternet", ...parts.spec } });
}

/** The state of a member that was admitted at the start, by the token `door`. */
export function granted(changes: Partial<MemberState> = {}): MemberState {
  return {
    clientID: id,
    join: { token: "door", tokenUse: 1, time: time(0), registration: `clusternet-${id}`, initiated: "agent" },
    protocolFacts: { requestUid: "uid-1", clusterId: id, clusterType: "EdgeCluster", syncMode: "Dual", door: "door" },
    ...changes,
  };
}

export interface AskedOfClusternet {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly metadata?: Partial<KubeObject["metadata"]>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly status?: object;
}

/** The request of an agent that was given the values of the token `door`. */
export function requestOf({ spec, metadata, labels, status }: AskedOfClusternet = {}): KubeObject {
  const clusterLabels = labels ?? { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "door" };
  return {
    apiVersion: "clusters.clusternet.io/v1beta1",
    kind: "ClusterRegistrationRequest",
    metadata: { name: `clusternet-${id}`, uid: "uid-1", ...metadata },
    spec: { clusterId: id, clusterName: "eu-1", clusterLabels, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

export function doorOf(spec: ClusterRegistrationToken["spec"] = {}): TokenSubject {
  return { ...tokenSubject("door", { protocol: "clusternet", clusterNames: ["eu-1"], ...spec }), children: [] };
}

/** A ManagedCluster with what its agent reports. */
export function managedOf(status: object = {}, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  const labels = { "rollcall.dev/cluster": "eu-1", "rollcall.dev/owner-workspace": workspace };
  return {
    apiVersion: "clusters.clusternet.io/v1beta1",
    kind: "ManagedCluster",
    metadata: { name: "eu-1", namespace: home, labels, ...metadata },
    spec: { clusterId: id },
    status,
  };
}

export const heard = { lastObservedTime: "2027-01-01T00:00:00Z" };

/** Every object on the hub that a member has once its namespace is there. */
export function objectsOf(parts: MemberParts = {}): KubeObject[] {
  const first = desiredMemberObjects(accountCredentials, clusternetMemberOf(parts), hubFacts());
  return desiredMemberObjects(accountCredentials, clusternetMemberOf({ ...parts, children: first }), hubFacts());
}

export function secretOf(name: string, data: Readonly<Record<string, string>>, changes: object = {}): KubeObject {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: workspace },
    data: Object.fromEntries(encoded) as Record<string, string>,
    ...changes,
  };
}
