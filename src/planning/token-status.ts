import { formatAge } from "../core/duration.ts";
import type { ClusterRegistrationTokenStatus, TokenUse } from "../model/generated/cluster-registration-token.ts";
import type { HubFacts, TokenSubject } from "../model/member.ts";
import { annotationKeys } from "../model/well-known.ts";
import { toConditions, toTime } from "./conditions.ts";
import type { ConditionResult } from "./conditions.ts";
import type { MemberIndex } from "./member-index.ts";
import { compareUses, mostNamedUses } from "./member-index.ts";
import { isTokenClosed, isUsedUp, tokenEndMs, tokenUses, tokenWarningMs } from "./token-life.ts";

/** What its protocol knows of the Secret with a token's values, which is named like the token. */
export interface TokenValues {
  readonly hasSecret: boolean;
  /** True when everything that an agent needs is in it. */
  readonly isComplete: boolean;
  /** When the credential in it ends, RFC 3339; unset: with the token. */
  readonly credentialExpires?: string;
}

export interface TokenStatusInputs {
  readonly subject: TokenSubject;
  /** The members of the workspace. */
  readonly members: Pick<MemberIndex, "usesOf">;
  readonly hub: HubFacts;
  readonly values: TokenValues;
}

/** The whole status of a token: its condition, its end, and the clusters that it admitted. */
export function tokenStatus(inputs: TokenStatusInputs): ClusterRegistrationTokenStatus {
  const { subject, members, hub, values } = inputs;
  const { metadata, status: previous } = subject.token;
  const { generation } = metadata;
  const endMs = tokenEndMs(subject, hub);
  const uses = tokenUses(subject, members);
  const lastUses = recentUses(subject, members);
  const source = sourceOf(subject);
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: toConditions([evaluate(inputs, uses), ...evaluateFight(subject)], previous?.conditions, {
      nowMs: hub.nowMs,
      ...(generation === undefined ? {} : { generation }),
    }),
    ...(values.hasSecret ? { secretName: subject.name } : {}),
    ...(endMs === undefined ? {} : { expires: toTime(endMs) }),
    ...(values.credentialExpires === undefined ? {} : { credentialExpires: values.credentialExpires }),
    uses,
    ...(lastUses.length === 0 ? {} : { lastUses }),
    ...(source === undefined ? {} : { source }),
  };
}

function evaluate({ subject, hub, values }: TokenStatusInputs, uses: number): ConditionResult {
  const endMs = tokenEndMs(subject, hub);
  const result = (status: ConditionResult["status"], reason: string, message: string): ConditionResult => ({
    type: "Ready",
    status,
    reason,
    message,
  });
  if (subject.token.metadata.annotations?.[annotationKeys.revoked] !== undefined)
    return result("False", "Revoked", "The token was revoked; change its file to undo it.");
  if (endMs !== undefined && endMs <= hub.nowMs)
    return result(
      "False",
      "Expired",
      `The token ended at ${toTime(endMs)}. Admitted clusters stay; new ones need another token, or a longer ttl.`,
    );
  if (isTokenClosed(subject, hub)) return result("False", "Closed", "The token is being deleted.");
  if (subject.refusal !== undefined) return result("False", subject.refusal.reason, subject.refusal.message);
  if (isUsedUp(subject, uses))
    return result("False", "UsedUp", `All ${uses} registrations are taken: raise maxRegistrations, or add a token.`);
  if (!values.isComplete) return result("False", "Preparing", "The values are being made.");
  const warningMs = tokenWarningMs(subject, hub);
  if (endMs !== undefined && warningMs !== undefined && warningMs <= hub.nowMs)
    return result(
      "True",
      "ExpiresSoon",
      `The token ends at ${toTime(endMs)}, a tenth of its life is left: raise its ttl, or add a token.`,
    );
  const life = endMs === undefined ? "It does not end." : `It lives ${formatAge(endMs - createdMs(subject, hub))}.`;
  return result("True", "Open", `Secret ${subject.name} has the values to install an agent with. ${life}`);
}

function evaluateFight({ fight }: TokenSubject): ConditionResult[] {
  return fight === undefined ? [] : [{ type: "Stalled", status: "True", ...fight }];
}

/** The newest admissions first: those of member states, and those that the status has already. */
function recentUses({ name, token }: TokenSubject, members: TokenStatusInputs["members"]): TokenUse[] {
  const known = new Map<string, TokenUse>();
  for (const use of [...members.usesOf(name).newest, ...(token.status?.lastUses ?? [])])
    known.set(`${use.cluster} ${use.time}`, { cluster: use.cluster, time: use.time });
  return [...known.values()].sort(compareUses).slice(0, mostNamedUses);
}

function createdMs(subject: TokenSubject, hub: HubFacts): number {
  const { creationTimestamp } = subject.token.metadata;
  return creationTimestamp === undefined ? hub.nowMs : Date.parse(creationTimestamp);
}

function sourceOf(subject: TokenSubject): ClusterRegistrationTokenStatus["source"] {
  const annotations = subject.token.metadata.annotations ?? {};
  const file = annotations[annotationKeys.sourceFile];
  if (file === undefined) return undefined;
  const commit = annotations[annotationKeys.sourceCommit];
  const line = Number(annotations[annotationKeys.sourceLine] ?? "1");
  return { file, line, ...(commit === undefined ? {} : { commit }) };
}
