import { internalCluster } from "../../../../src/join/kubefleet/hub/desired-objects.ts";
import { kubefleetProtocol } from "../../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import type { MemberState } from "../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../src/model/member.ts";
import { memberOf, startMs, workspace } from "../hub-scene.ts";
import type { MemberParts } from "../hub-scene.ts";

export const home = "fleet-member-eu-1";
export const hourMs = 3_600_000;
export const time = (laterMs: number): string => new Date(startMs + laterMs).toISOString();
export const withKubeconfig = { kubeConfigSecretRef: { name: "eu-1-kubeconfig" } };
export const leave = { "rollcall.dev/leave": "c0ffee" };
export const revoked = { "rollcall.dev/revoked": "-/operator/now" };

export function kubefleetMemberOf(parts: MemberParts = {}, name = "eu-1"): Member {
  return memberOf(name, { ...parts, spec: { protocol: "kubefleet", ...parts.spec } });
}

/** A token of a day that was issued at the start. */
export function issued(number: number, changes: Partial<MemberState> = {}): MemberState {
  return {
    credential: { number, issuedAt: time(0), expiresAt: time(24 * hourMs) },
    liveCredentials: [number],
    lastCredentialNumber: number,
    ...changes,
  };
}

export function credentialSecret(number: number, token = `token ${number}`): KubeObject {
  const metadata = { name: `rollcall-eu-1.${number}`, namespace: workspace };
  return { apiVersion: "v1", kind: "Secret", metadata, data: { token: Buffer.from(token).toString("base64") } };
}

/** Every object on the hub that a member has once it may join. */
export function objectsOf(parts: MemberParts = {}): KubeObject[] {
  const first = kubefleetProtocol.desiredObjects(kubefleetMemberOf(parts));
  return kubefleetProtocol.desiredObjects(kubefleetMemberOf({ ...parts, children: first }));
}

/** What the agent reports of itself, by the statuses of its conditions. */
export function internalOf(conditions: Readonly<Record<string, object>>, status: object = {}): KubeObject {
  const agentStatus = [
    {
      type: "MemberAgent",
      conditions: Object.entries(conditions).map(([type, said]) => ({ type, ...said })),
      lastReceivedHeartbeat: time(0),
    },
  ];
  return { ...internalCluster(kubefleetMemberOf(), "Join"), status: { agentStatus, ...status } };
}
