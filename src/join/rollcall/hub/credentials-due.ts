import {
  bootstrapLifeSeconds,
  bootstrapName,
  bootstrapSecretName,
  credentialSecretName,
  rollcallAnnotations,
  shortestTokenLifeSeconds,
  tokenAccountName,
  tokenCredentialName,
  workingLifeSeconds,
  workingName,
} from "../../../model/dialects/rollcall.ts";
import type { HubFacts, Member, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { labelKeys } from "../../../model/well-known.ts";
import { textAt } from "../../../core/read-json.ts";
import { isTokenClosed, tokenEndMs } from "../../../planning/token-life.ts";
import type { CredentialDue } from "../../join.ts";
import { renderBoundSecret } from "./access.ts";
import { currentBootstrap } from "./bootstrap.ts";
import { isIssuedFor } from "./issued-for.ts";
import {
  childOf,
  credentialInUse,
  isGranted,
  isLeaving,
  isRevoked,
  otherAgentNamed,
  recoveryTokenOf,
  registrationOf,
} from "./member-facts.ts";
import { openRenewal, renewalAllowedAtMs } from "./renewal.ts";
import { isSuccessorDue } from "./successor.ts";
import { isOfOtherTrustKey, needsTokenSecret, proofKeyOf, valuesCredentialOf, valuesSecretOf } from "./token-values.ts";

const proofKeyBytes = 32;
const sealingBytes = 32;

/** Credentials of a member that are missing or due: to join by, to work with, to work on with. */
export function memberCredentialsDue(member: Member, hub: HubFacts): CredentialDue[] {
  if (isLeaving(member) || isRevoked(member)) return [];
  return [...bootstrapDue(member, hub), ...workingDue(member, hub)];
}

/** The credential of a token, when it is missing or ends before the token does. */
export function tokenCredentialsDue(subject: TokenSubject, hub: HubFacts): CredentialDue[] {
  if (isTokenClosed(subject, hub)) return [];
  const { workspace, name } = subject;
  const account = tokenAccountName(name);
  const endMs = tokenEndMs(subject, hub);
  const reason = tokenIssueReason(subject, hub);
  if (reason === undefined) return [];
  return [
    {
      purpose: "token",
      workspace,
      how: needsTokenSecret(subject, hub)
        ? { kind: "token-secret", secret: account }
        : {
            kind: "token-request",
            account,
            expirationSeconds: secondsUntil(endMs ?? hub.nowMs, hub),
            boundSecret: renderBoundSecret(tokenCredentialName(name), {
              workspace,
              labels: { [labelKeys.token]: name },
            }),
          },
      randomBytes: proofKeyBytes,
      reason,
    },
  ];
}

function tokenIssueReason(subject: TokenSubject, hub: HubFacts): string | undefined {
  const secret = valuesSecretOf(subject);
  if (proofKeyOf(secret) === undefined || textAt(secret, "data", "values") === undefined)
    return "the values are missing";
  const held = valuesCredentialOf(secret);
  const filled = textAt(childOf(subject, resourceTypes.secret, tokenAccountName(subject.name)), "data", "token");
  const isHeldDead = needsTokenSecret(subject, hub)
    ? filled !== undefined && Buffer.from(filled, "base64").toString("utf8") !== held
    : held === undefined || !isIssuedFor(held, subject);
  if (isHeldDead) return "its account or Secret was made anew";
  if (isOfOtherTrustKey(secret, hub)) return "the hub's trust key was replaced";
  const expires = secret?.metadata.annotations?.[rollcallAnnotations.credentialExpires];
  if (needsTokenSecret(subject, hub))
    return expires === "never" ? undefined : "the credential must outlive its first form";
  const endMs = tokenEndMs(subject, hub) ?? 0;
  const expiresMs = expires === undefined ? 0 : Date.parse(expires);
  // An API server gives whole seconds, and never less than ten minutes: a credential may outlive its token, whose Secret
  // is deleted in time, but must not end before it.
  return expiresMs + 1000 >= endMs ? undefined : "the credential ends before the token";
}

function bootstrapDue(member: Member, hub: HubFacts): CredentialDue[] {
  const bootstrap = currentBootstrap(member, hub);
  if (bootstrap === undefined || bootstrap.values !== undefined) return [];
  if (member.state?.join?.bootstrap === bootstrap.number) return [];
  const { workspace, name } = member;
  const secretName = bootstrapSecretName(name, bootstrap.number);
  return [
    {
      purpose: "bootstrap",
      workspace,
      how: {
        kind: "token-request",
        account: bootstrapName(name),
        expirationSeconds: bootstrapLifeSeconds,
        boundSecret: renderBoundSecret(secretName, { workspace, labels: { [labelKeys.cluster]: name } }),
      },
      randomBytes: proofKeyBytes,
      reason: member.state?.rejoin ?? "the agent is to be installed",
    },
  ];
}

function workingDue(member: Member, hub: HubFacts): CredentialDue[] {
  // Both credentials travel in one answer; the recovery token is the API server's to fill in.
  if (!isGranted(member) || recoveryTokenOf(member) === undefined) return [];
  if (isSuccessorDue(member))
    return [workingCredential(member, hub, { purpose: "successor", reason: "the agent continues under this name" })];
  if (otherAgentNamed(member) !== undefined) return [];
  const registration = registrationOf(member);
  if (registration !== undefined && textAt(registration, "status", "sealedAnswer", "enc") === undefined)
    return [workingCredential(member, hub, { purpose: "working", reason: "the agent was admitted" })];
  if (openRenewal(member, hub) === undefined || renewalAllowedAtMs(member, hub) > hub.nowMs) return [];
  return [workingCredential(member, hub, { purpose: "renewal", reason: "the agent asks for its next credential" })];
}

function workingCredential(
  member: Member,
  hub: HubFacts,
  { purpose, reason }: Pick<CredentialDue, "purpose" | "reason">,
): CredentialDue {
  const { workspace, name } = member;
  const number = purpose === "working" ? joinCredentialNumber(member, hub) : nextCredentialNumber(member, hub);
  const secretName = credentialSecretName(name, number);
  const accountUid = childOf(member, resourceTypes.serviceAccount, workingName(name))?.metadata.uid;
  return {
    purpose,
    workspace,
    how: {
      kind: "token-request",
      account: workingName(name),
      expirationSeconds: workingLifeSeconds,
      boundSecret: renderBoundSecret(secretName, {
        workspace,
        labels: { [labelKeys.cluster]: name },
        ...(accountUid === undefined ? {} : { annotations: { [rollcallAnnotations.accountUid]: accountUid } }),
      }),
    },
    randomBytes: sealingBytes,
    reason,
  };
}

/** The number that the grant planned, if that was not made yet; else the next. */
function joinCredentialNumber(member: Member, hub: HubFacts): number {
  const { credential, join } = member.state ?? {};
  if (credential === undefined || credential.issuedAt !== join?.time) return nextCredentialNumber(member, hub);
  const { number } = credential;
  const isMade = childOf(member, resourceTypes.secret, credentialSecretName(member.name, number)) !== undefined;
  return isMade || credentialInUse(member) === number ? nextCredentialNumber(member, hub) : number;
}

/** The number of the credential that is to be made: the planned one, or the next. */
export function numberOfCredentialDue(member: Member, hub: HubFacts, { how }: CredentialDue): number {
  const planned = member.state?.credential?.number;
  const secretName = how.kind === "token-request" ? how.boundSecret?.metadata.name : undefined;
  const isPlanned = planned !== undefined && secretName === credentialSecretName(member.name, planned);
  return isPlanned ? planned : nextCredentialNumber(member, hub);
}

/** A number that was never used: neither by what the hub remembers, nor by what an agent has that the hub forgot. */
export function nextCredentialNumber(member: Member, hub: HubFacts): number {
  const { state } = member;
  const held = openRenewal(member, hub)?.credential ?? 0;
  return Math.max(state?.lastCredentialNumber ?? 0, state?.credential?.number ?? 0, held) + 1;
}

function secondsUntil(endMs: number, hub: HubFacts): number {
  return Math.max(shortestTokenLifeSeconds, Math.ceil((endMs - hub.nowMs) / 1000));
}
