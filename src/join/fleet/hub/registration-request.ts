import { textAt, textMapAt } from "../../../core/read-json.ts";
import { fleetKeys } from "../../../model/dialects/fleet.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import { labelKeys } from "../../../model/well-known.ts";

/** Why a Fleet agent is not admitted. Its registration has no place for a reason, so the hub logs it. */
export type FleetRefusal =
  | "Malformed"
  | "UnknownToken"
  | "TokenNotNamed"
  | "TokenClosed"
  | "TokenAmbiguous"
  | "TokenNameReserved"
  | "TokenUsedUp"
  | "NameNotAllowed"
  | "NameTaken"
  | "ProtocolMismatch"
  | "ClusterLeaving"
  | "ClusterRevoked"
  | "ClientIDAmbiguous"
  | "NotInGit"
  | "ClientIDTaken";

/** One whose message is the same for every request. */
export type ExplainedRefusal = Exclude<FleetRefusal, "NotInGit">;

export interface FleetRequest {
  readonly name: string;
  readonly uid: string;
  readonly workspace: string;
  readonly clientID: string;
  readonly clientRandom: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined for agents of 0.15 and older that were not given our values. */
  readonly tokenName: string | undefined;
  readonly createdMs: number;
}

/**
 * A name as the API server gives it to the request of Fleet's agent. Its Role and bindings are named by it, with the force of
 * the hub: under a name of its own choice an agent would take those of others.
 */
const requestName = /^request-[a-z0-9]{1,16}$/u;

/** The request in Fleet's ClusterRegistration; undefined when it is none. */
export function readRequest(registration: KubeObject): FleetRequest | undefined {
  const { name, namespace = "", uid, creationTimestamp } = registration.metadata;
  const clientID = textAt(registration, "spec", "clientID");
  const clientRandom = textAt(registration, "spec", "clientRandom");
  if (!requestName.test(name)) return undefined;
  if (uid === undefined || clientID === undefined || !/^[!-~]{1,253}$/u.test(clientID)) return undefined;
  if (clientRandom === undefined || clientRandom.length < 16 || clientRandom.length > 1024) return undefined;
  const { [labelKeys.token]: _token, ...proposed } = textMapAt(registration, "spec", "clusterLabels");
  return {
    name,
    uid,
    workspace: namespace,
    clientID,
    clientRandom,
    labels: proposed,
    tokenName: tokenNameOf(registration),
    createdMs: Date.parse(creationTimestamp ?? "") || 0,
  };
}

/**
 * The token that the agent names: in the label of agents since 0.16, or among the labels that it proposes for its
 * cluster, where our values set it for older ones. The admission policy proves both.
 */
export function tokenNameOf(registration: KubeObject): string | undefined {
  const label = registration.metadata.labels?.[fleetKeys.registrationToken] ?? "";
  if (label !== "") return label;
  const proposed = textMapAt(registration, "spec", "clusterLabels")[labelKeys.token] ?? "";
  return proposed === "" ? undefined : proposed;
}
