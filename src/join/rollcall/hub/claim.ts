import type { Member } from "../../../model/member.ts";
import type { MemberIndex } from "../../../planning/member-index.ts";
import { declaredOwners } from "../../member-state.ts";
import { isIdentityLost } from "./bootstrap.ts";
import type { AdmissionRule } from "./admission-rule.ts";
import { successorKeyOf, isLeaving, isRevoked } from "./member-facts.ts";
import type { RefusalReason } from "./refusals.ts";
import type { RegistrationRequest } from "./registration-request.ts";
import { trimEndOf, trimStartOf } from "../../../core/trim-characters.ts";

/** Which member a request is about. */
export type Target =
  | { readonly kind: "member"; readonly member: Member }
  | { readonly kind: "new"; readonly name: string }
  | { readonly kind: "refusal"; readonly reason: RefusalReason };

/** How a request is this member. */
export type Claim =
  /** The same agent again. */
  | { readonly kind: "known" }
  /** Git names its key: that is the approval. */
  | { readonly kind: "declared" }
  /** The first agent, or one that replaces the last by the hub's own doing. */
  | { readonly kind: "first" }
  | { readonly kind: "refusal"; readonly reason: RefusalReason };

/**
 * Finds the member by clientID, which is an agent's identity: the one whose file declares it, otherwise the one that joined with
 * it. By name only where no member has that clientID.
 */
export function findTarget(request: RegistrationRequest, rule: AdmissionRule, members: MemberIndex): Target {
  const owners = declaredOwners(members.find(clientIDOf, request.clientID).filter(isThere));
  const [owner, second] = owners;
  if (second !== undefined) return { kind: "refusal", reason: "ClientIDAmbiguous" };
  if (rule.kind === "internal") {
    const member = members.named(rule.onlyName ?? "");
    if (member === undefined || !isThere(member)) return { kind: "refusal", reason: "UnknownToken" };
    if (owner !== undefined && owner.name !== member.name) return { kind: "refusal", reason: "ClientIDTaken" };
    return { kind: "member", member };
  }
  if (owner !== undefined) return { kind: "member", member: owner };
  const name = request.clusterName ?? rule.onlyName ?? nameFromClientID(request.clientID);
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u.test(name)) return { kind: "refusal", reason: "NameInvalid" };
  const member = members.named(name);
  // Its Cluster, its state and its credentials are those of the agent that is on its way.
  if (member !== undefined && !isThere(member)) return { kind: "refusal", reason: "ClusterMoving" };
  if (member !== undefined) return { kind: "member", member };
  if (rule.mayCreate(name)) return { kind: "new", name };
  const isChosen = request.clusterName !== undefined || rule.onlyName !== undefined;
  return { kind: "refusal", reason: isChosen ? "NameNotAllowed" : "NameNeeded" };
}

/** Evaluates whether the request may be this member. A clientID, and a name, belong to the keys that have it. */
export function evaluateClaim(request: RegistrationRequest, rule: AdmissionRule, member: Member): Claim {
  const { spec } = member.cluster;
  if ((spec?.protocol ?? "rollcall") !== "rollcall") return refuse("ProtocolMismatch");
  if (isLeaving(member)) return refuse("ClusterLeaving");
  if (isRevoked(member)) return refuse("ClusterRevoked");
  if (spec?.clientID !== undefined && spec.clientID !== request.clientID) return refuse("ClientIDMismatch");

  const declaredKeys = spec?.identity?.keys ?? [];
  // When git declares another clientID for the cluster, the predecessor is ignored.
  const isReplaced = spec?.clientID !== undefined && member.state?.clientID !== spec.clientID;
  const known = isReplaced ? undefined : member.state?.keys;
  const isKnown = known?.signing === request.signingKey && member.state?.clientID === request.clientID;
  if (declaredKeys.length > 0) {
    if (!declaredKeys.includes(request.keyDigest)) return refuse("KeyMismatch");
    return { kind: isKnown ? "known" : "declared" };
  }
  if (isKnown) return { kind: "known" };
  if (known !== undefined) {
    // The hub itself put this agent into the cluster whose kubeconfig it holds, to take the place of the last.
    if (rule.kind === "internal" && !rule.isUsedUp) return { kind: "first" };
    return refuse(member.state?.clientID === request.clientID ? "ClientIDTaken" : "NameTaken");
  }
  if (isIdentityLost(member)) return refuse("IdentityLost");
  return rule.isNamed(member.name) ? { kind: "first" } : refuse("ClaimNotNamed");
}

/** A cluster that is becoming another one is that other one already. */
function isThere(member: Member): boolean {
  return successorKeyOf(member) === undefined;
}

function clientIDOf(member: Member): string | undefined {
  return member.cluster.spec?.clientID ?? member.state?.clientID;
}

/** A name for an agent that asks for none: readable where the clientID is a uid. */
function nameFromClientID(clientID: string): string {
  const usable = trimStartOf(clientID.toLowerCase().replace(/[^a-z0-9]+/gu, "-"), "-");
  return trimEndOf(`cluster-${usable}`.slice(0, 63), "-");
}

function refuse(reason: RefusalReason): Claim {
  return { kind: "refusal", reason };
}
