// join/rollcall/downstream: what an agent remembers, asks and understands under the own protocol. Pure but for
// cryptography; src/agent does the talking.
import { createPrivateKey, createPublicKey } from "node:crypto";
import { isJsonObject } from "../../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../core/read-json.ts";
import type { Signed } from "../../../model/generated/signed.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { AgentValues } from "../agent-values.ts";
import { readCredential } from "../answers.ts";
import type { WorkingCredential } from "../answers.ts";
import { x25519PublicKey } from "../hpke.ts";
import { toBase64 } from "../messages.ts";
import type { HubAddress } from "../signed-hub-info.ts";
import type { TrustedKey } from "../trust-chain.ts";

/** Everything an agent keeps; the content of its Secret downstream. */
export interface AgentIdentity {
  readonly keys: AgentKeyPairs;
  readonly hubId: string;
  /** The hub's trust key that this agent knows. Absent: the hub's first one. */
  readonly trustKey?: TrustedKey;
  readonly workspace: string;
  readonly clientID: string;
  /** Where the hub is, best first: from the values, later from signed hub-info. */
  readonly endpoints: readonly HubAddress[];
  /** Where it was before, until it is reached at one of the others: an address that a user mistypes loses no agent. */
  readonly lastEndpoint?: HubAddress;
  /** The newest hub-info that was accepted. */
  readonly hubInfo?: Signed;
  /** The highest epoch of the hub that was seen: orders of a lower one are those of an old copy. */
  readonly epoch: number;
  /** Of the last renewal request. */
  readonly lastNonce: number;
  /** Absent until the hub let this agent in. */
  readonly membership?: Membership;
  /** The membership of this agent before it became another cluster: restored if that move is cancelled. */
  readonly former?: PreviousMembership;
  /** A change of the own Deployment that is under way. */
  readonly rollout?: Rollout;
  /** A manifest that was given up; it is not tried again. */
  readonly refused?: { readonly digest: string; readonly version: string };
}

export interface AgentKeyPairs {
  /** Ed25519: SPKI and PKCS #8, base64. */
  readonly signing: KeyPair;
  /** X25519: raw, base64. */
  readonly sealing: KeyPair;
}

export interface KeyPair {
  readonly public: string;
  readonly private: string;
}

export interface Membership {
  readonly clusterName: string;
  readonly credential: HeldCredential;
  readonly recoveryToken: string;
  readonly heartbeatPeriodSeconds: number;
}

export interface PreviousMembership {
  readonly workspace: string;
  readonly membership: Membership;
}

export interface HeldCredential extends WorkingCredential {
  /** When this agent got it, by its own clock: its age is measured by that clock alone. */
  readonly receivedAtMs: number;
}

export interface Rollout {
  readonly digest: string;
  readonly startedAtMs: number;
  readonly deadlineMs: number;
  readonly version: string;
  /** The Deployment to go back to; absent where there is no way back (hostNetwork). */
  readonly previous?: KubeObject;
}

/** PKCS #8 in front of the 32 bytes of an Ed25519 key. Source: RFC 8410. */
const ed25519Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

/** A new agent: its keys come from 64 random bytes. */
export function makeIdentity(
  values: Pick<AgentValues, "hub" | "workspace">,
  clientID: string,
  randomBytes: Uint8Array,
): AgentIdentity {
  const signing = Buffer.concat([ed25519Prefix, randomBytes.subarray(0, 32)]);
  const publicKey = createPublicKey(createPrivateKey({ key: signing, format: "der", type: "pkcs8" }));
  const sealing = randomBytes.subarray(32, 64);
  const trustKey = trustKeyIn(values);
  return {
    keys: {
      signing: { public: toBase64(publicKey.export({ format: "der", type: "spki" })), private: toBase64(signing) },
      sealing: { public: toBase64(x25519PublicKey(sealing)), private: toBase64(sealing) },
    },
    hubId: values.hub.id,
    ...(trustKey === undefined ? {} : { trustKey }),
    workspace: values.workspace,
    clientID,
    endpoints: [{ url: values.hub.url, caBundle: values.hub.caBundle }],
    epoch: 0,
    lastNonce: 0,
  };
}

/**
 * The identity with the trust key and the address of values of the same hub, if they name a newer key than it knows. A user
 * gives such values to an agent that cannot follow a revocation. The epochs of the former key count no more. Undefined:
 * they are no newer.
 */
export function withNewerKey(
  { hubInfo: _, lastEndpoint: __, ...identity }: AgentIdentity,
  { hub }: Pick<AgentValues, "hub">,
): AgentIdentity | undefined {
  const trustKey = trustKeyIn({ hub });
  if (hub.id !== identity.hubId || trustKey === undefined) return undefined;
  if (trustKey.number <= (identity.trustKey?.number ?? 1)) return undefined;
  return { ...identity, trustKey, epoch: 0, endpoints: [{ url: hub.url, caBundle: hub.caBundle }] };
}

/** Where the hub may be, best first. */
export function addressesOf({ endpoints, lastEndpoint }: AgentIdentity): readonly HubAddress[] {
  return lastEndpoint === undefined ? endpoints : [...endpoints, lastEndpoint];
}

function trustKeyIn({ hub: { trustKey: digest, trustKeyNumber: number = 0 } }: Pick<AgentValues, "hub">) {
  return digest === undefined ? undefined : { digest, number };
}

/** The identity in a JSON value, or undefined when it is not valid because a user edited the Secret. */
export function readIdentity(value: unknown): AgentIdentity | undefined {
  const signing = readKeyPair(objectAt(value, "keys", "signing"));
  const sealing = readKeyPair(objectAt(value, "keys", "sealing"));
  const hubId = textAt(value, "hubId");
  const workspace = textAt(value, "workspace");
  const clientID = textAt(value, "clientID");
  const epoch = numberAt(value, "epoch");
  const lastNonce = numberAt(value, "lastNonce");
  const endpoints = objectsAt(value, "endpoints").flatMap(readAddress);
  const [lastEndpoint] = readAddress(objectAt(value, "lastEndpoint"));
  if (!signing || !sealing || !hubId || !workspace || !clientID) return undefined;
  if (epoch === undefined || lastNonce === undefined || endpoints.length === 0) return undefined;
  const trustedDigest = textAt(value, "trustKey", "digest");
  const payload = textAt(value, "hubInfo", "payload");
  const signature = textAt(value, "hubInfo", "signature");
  const membership = readMembership(objectAt(value, "membership"));
  const previousWorkspace = textAt(value, "former", "workspace");
  const former = readMembership(objectAt(value, "former", "membership"));
  const rollout = readRollout(objectAt(value, "rollout"));
  const refusedDigest = textAt(value, "refused", "digest");
  return {
    keys: { signing, sealing },
    hubId,
    ...(trustedDigest === undefined
      ? {}
      : { trustKey: { digest: trustedDigest, number: numberAt(value, "trustKey", "number") ?? 0 } }),
    workspace,
    clientID,
    endpoints,
    ...(lastEndpoint === undefined ? {} : { lastEndpoint }),
    epoch,
    lastNonce,
    ...(payload === undefined || signature === undefined ? {} : { hubInfo: { payload, signature } }),
    ...(membership === undefined ? {} : { membership }),
    ...(former === undefined || previousWorkspace === undefined
      ? {}
      : { former: { workspace: previousWorkspace, membership: former } }),
    ...(rollout === undefined ? {} : { rollout }),
    ...(refusedDigest === undefined
      ? {}
      : { refused: { digest: refusedDigest, version: textAt(value, "refused", "version") ?? "" } }),
  };
}

function readKeyPair(value: unknown): KeyPair | undefined {
  const publicHalf = textAt(value, "public");
  const privateHalf = textAt(value, "private");
  return publicHalf && privateHalf ? { public: publicHalf, private: privateHalf } : undefined;
}

function readAddress(value: unknown): HubAddress[] {
  const url = textAt(value, "url");
  return url === undefined ? [] : [{ url, caBundle: textAt(value, "caBundle") ?? "" }];
}

function readMembership(value: unknown): Membership | undefined {
  const clusterName = textAt(value, "clusterName");
  const recoveryToken = textAt(value, "recoveryToken");
  const credential = readCredential(objectAt(value, "credential"));
  const receivedAtMs = numberAt(value, "credential", "receivedAtMs");
  if (!clusterName || recoveryToken === undefined || !credential || receivedAtMs === undefined) return undefined;
  return {
    clusterName,
    recoveryToken,
    credential: { ...credential, receivedAtMs },
    heartbeatPeriodSeconds: numberAt(value, "heartbeatPeriodSeconds") ?? 60,
  };
}

function readRollout(value: unknown): Rollout | undefined {
  const digest = textAt(value, "digest");
  const startedAtMs = numberAt(value, "startedAtMs");
  const deadlineMs = numberAt(value, "deadlineMs");
  if (!digest || startedAtMs === undefined || deadlineMs === undefined) return undefined;
  const previous = objectAt(value, "previous");
  return {
    digest,
    startedAtMs,
    deadlineMs,
    version: textAt(value, "version") ?? "",
    ...(isDeployment(previous) ? { previous } : {}),
  };
}

function isDeployment(value: unknown): value is KubeObject {
  return isJsonObject(value) && value["kind"] === "Deployment" && textAt(value, "metadata", "name") !== undefined;
}
