import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { RegistrationDecision } from "../../../src/join/join.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { keyDigest, protocolVersion, registrationProof, toBase64 } from "../../../src/join/rollcall/messages.ts";
import { x25519PublicKey } from "../../../src/join/rollcall/hpke.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import { registrationName } from "../../../src/model/dialects/rollcall.ts";
import type { ClusterRegistrationToken } from "../../../src/model/generated/cluster-registration-token.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../../../src/model/member.ts";
import { fieldManagers, labelKeys } from "../../../src/model/well-known.ts";
import { copiedMembers } from "./copied-members.ts";

export const workspace = "fleet";
export const startMs = 1_800_000_000_000;

const trustKeys = generateKeyPairSync("ed25519");
const trustKey = spki(trustKeys.publicKey);

export function hubFacts(changes: Partial<HubFacts> = {}): HubFacts {
  return {
    hubId: keyDigest(trustKey),
    endpoint: { url: "https://hub.example.com:6443", caBundle: "ca" },
    trust: {
      publicKey: trustKey,
      epoch: 1,
      validFrom: "2027-01-01T00:00:00Z",
      sign: (payload) => sign(null, payload, trustKeys.privateKey),
    },
    daemonNamespace: "rollcall-system",
    version: "0.1.0",
    agentImage: "registry.example.com/rollcall",
    nowMs: startMs,
    ...changes,
  };
}

export interface TestAgent {
  readonly signingKey: string;
  readonly signingPrivateKey: string;
  readonly sealingKey: string;
  readonly sealingPrivateKey: string;
  readonly digest: string;
}

export function makeAgent(): TestAgent {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const sealing = randomBytes(32);
  const signingKey = spki(publicKey);
  return {
    signingKey,
    signingPrivateKey: toBase64(privateKey.export({ format: "der", type: "pkcs8" })),
    sealingKey: toBase64(x25519PublicKey(sealing)),
    sealingPrivateKey: toBase64(sealing),
    digest: keyDigest(signingKey),
  };
}

export interface Asked {
  readonly tokenName: string;
  readonly proofKey: Uint8Array;
  readonly clientID?: string;
  readonly clusterName?: string;
  readonly labels?: Record<string, string>;
}

/** The registration that an agent makes, proof and all. */
export function registrationOf(agent: TestAgent, asked: Asked, changes: Record<string, unknown> = {}): KubeObject {
  const { tokenName, proofKey, clientID = "uid-1", clusterName, labels } = asked;
  const { signingKey, sealingKey } = agent;
  const claims = {
    hubId: hubFacts().hubId,
    workspace,
    tokenName,
    signingKey,
    sealingKey,
    clientID,
    clusterName,
    labels,
  };
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistration",
    metadata: { name: registrationName(tokenName, agent.digest), namespace: workspace, generation: 1 },
    spec: {
      protocolVersion,
      tokenName,
      clientID,
      ...(clusterName === undefined ? {} : { clusterName }),
      ...(labels === undefined ? {} : { labels }),
      signingKey,
      sealingKey,
      proof: registrationProof(proofKey, claims),
      ...changes,
    },
  };
}

export const proofKey = Buffer.alloc(32, 7);

/** A token whose values were issued. */
export function tokenSubject(
  name: string,
  spec: ClusterRegistrationToken["spec"] = {},
  changes: Partial<ClusterRegistrationToken> = {},
): TokenSubject {
  const token: ClusterRegistrationToken = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name, namespace: workspace, creationTimestamp: new Date(startMs).toISOString() },
    spec,
    ...changes,
  };
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: workspace },
    data: { proofKey: toBase64(proofKey), values: toBase64(Buffer.from("{}")) },
  };
  return { workspace, name, token, children: [secret] };
}

/** The same member, as the file of a Repository declares it. */
export function fromGit(member: Member): Member {
  const { metadata } = member.cluster;
  const labels = { ...metadata.labels, [labelKeys.repository]: "rollcall-system.fleet" };
  const managedFields = [{ manager: fieldManagers.git, operation: "Apply" as const }];
  return { ...member, cluster: { ...member.cluster, metadata: { ...metadata, labels, managedFields } } };
}

export interface MemberParts {
  readonly spec?: Cluster["spec"];
  readonly status?: Cluster["status"];
  readonly annotations?: Record<string, string>;
  readonly state?: MemberState;
  readonly children?: readonly KubeObject[];
}

export function memberOf(name: string, { spec, status, annotations, state, children = [] }: MemberParts = {}): Member {
  return {
    workspace,
    name,
    cluster: {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name, namespace: workspace, ...(annotations === undefined ? {} : { annotations }) },
      spec,
      ...(status === undefined ? {} : { status }),
    },
    state,
    children,
  };
}

/** The state of a member that this agent is. */
export function memberStateOf(agent: TestAgent, changes: Partial<MemberState> = {}): MemberState {
  return {
    clientID: "uid-1",
    keys: { signing: agent.signingKey, sealing: agent.sealingKey },
    join: { token: "edge", tokenUse: 1, time: "2027-01-01T00:00:00Z", registration: "edge-old", initiated: "agent" },
    ...changes,
  };
}

/** Shortens a decision to what tests compare. */
export function result(decision: RegistrationDecision): string {
  switch (decision.kind) {
    case "granted":
      return `granted ${decision.clusterName}${decision.cluster === undefined ? "" : " (new)"}`;
    case "refused":
      return `refused ${decision.reason}`;
    case "proposal":
      return `proposal ${decision.cluster.metadata.name}`;
    case "none":
      return "none";
  }
}

export function decide(
  registration: KubeObject,
  scene: { token?: TokenSubject; members?: readonly Member[] },
  facts = hubFacts(),
): RegistrationDecision {
  return rollcallProtocol.registrations.decide(
    registration,
    {
      ...(scene.token ? { token: scene.token } : {}),
      members: copiedMembers(scene.members ?? []),
      tokens: () => (scene.token ? [scene.token] : []),
    },
    facts,
  );
}

function spki(key: KeyObject): string {
  return toBase64(key.export({ format: "der", type: "spki" }));
}
