import { tokenAccountName } from "../../../../src/model/dialects/fleet.ts";
import { decideRegistration } from "../../../../src/join/fleet/hub/decide.ts";
import { tokenNameOf } from "../../../../src/join/fleet/hub/registration-request.ts";
import type { RegistrationDecision } from "../../../../src/join/join.ts";
import type { MemberState } from "../../../../src/model/member-state.ts";
import type { ClusterRegistrationToken } from "../../../../src/model/generated/cluster-registration-token.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../../../../src/model/member.ts";
import { copiedMembers } from "../copied-members.ts";
import { hubFacts, memberOf, startMs, workspace } from "../hub-scene.ts";
import type { MemberParts } from "../hub-scene.ts";

export const tokenUid = "11111111-2222-3333-4444-555555555555";
const random = "mzc69bk9dgcbdjsndhtts628rn6j24nx5x6jt524sn9bh2k6mvpkvw";

/** What an agent asks with; agents of 0.15 leave the token out, and have it among the labels where our values declared it. */
export interface Asked {
  readonly clientID?: string;
  readonly token?: string;
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly askedMs?: number;
  readonly isGranted?: boolean;
}

export function requestOf({
  clientID = "uid-1",
  token,
  name = "request-a",
  labels,
  askedMs,
  isGranted,
}: Asked): KubeObject {
  return {
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind: "ClusterRegistration",
    metadata: {
      name,
      namespace: workspace,
      uid: `uid-of-${name}`,
      creationTimestamp: new Date(askedMs ?? startMs).toISOString(),
      labels: token === undefined ? {} : { "fleet.cattle.io/registration-token": token },
    },
    spec: { clientID, clientRandom: random, clusterLabels: { ...labels } },
    ...(isGranted === true ? { status: { granted: true } } : {}),
  };
}

/** A Fleet token whose object has its uid on the hub. */
export function fleetTokenOf(
  name: string,
  spec: ClusterRegistrationToken["spec"] = {},
  children: readonly KubeObject[] = [],
): TokenSubject {
  const creationTimestamp = new Date(startMs).toISOString();
  return {
    workspace,
    name,
    token: {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "ClusterRegistrationToken",
      metadata: { name, namespace: workspace, creationTimestamp },
      spec: { protocol: "fleet", ...spec },
    },
    children: [
      {
        apiVersion: "fleet.cattle.io/v1alpha1",
        kind: "ClusterRegistrationToken",
        metadata: { name, namespace: workspace, uid: tokenUid },
      },
      ...children,
    ],
  };
}

export const accountOf = (token: string): string => tokenAccountName(token, tokenUid);

export function fleetMemberOf(name: string, parts: MemberParts = {}): Member {
  return memberOf(name, { ...parts, spec: { protocol: "fleet", ...parts.spec } });
}

/** The state of a member that was admitted. */
export function grantedMemory(changes: Partial<MemberState> = {}): MemberState {
  return {
    clientID: "uid-1",
    join: {
      token: "edge",
      tokenUse: 1,
      time: new Date(startMs).toISOString(),
      registration: "request-a",
      initiated: "agent",
    },
    protocolFacts: {
      registrationUid: "uid-of-request-a",
      account: "request-a-account",
      sharedName: "request-a-account",
      answer: "c-answer",
      reader: accountOf("edge"),
      requestedMs: String(startMs),
    },
    ...changes,
  };
}

export function decideFleet(
  registration: KubeObject,
  scene: { readonly tokens?: readonly TokenSubject[]; readonly members?: readonly Member[] } = {},
  hub: HubFacts = hubFacts(),
): RegistrationDecision {
  const { tokens = [], members = [] } = scene;
  const named = tokenNameOf(registration);
  const token = tokens.find(({ name }) => name === named);
  return decideRegistration(
    registration,
    { ...(token ? { token } : {}), members: copiedMembers(members), tokens: () => tokens },
    hub,
  );
}
