import { tokenAccountName } from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, TokenSubject } from "../../../model/member.ts";
import { labelKeys } from "../../../model/well-known.ts";
import { isTokenClosed, isUsedUp } from "../../../planning/token-life.ts";
import { renderAccess, renderTokenSecret } from "./access.ts";
import type { AccessRule } from "./access.ts";
import { needsTokenSecret } from "./token-values.ts";

/**
 * What the credential of a token may do: ask to come in, and read the answer by the name it chose. No list, no Secret;
 * what it reads of others is sealed.
 */
export const registrarRule: AccessRule = {
  apiGroups: ["rollcall.dev"],
  resources: ["clusterregistrations"],
  verbs: ["create", "get"],
};

/** The objects of an open token: its account, and a token Secret where no other credential lives as long. */
export function desiredTokenObjects(subject: TokenSubject, hub: HubFacts): KubeObject[] {
  if (isTokenClosed(subject, hub)) return [];
  const access = {
    name: tokenAccountName(subject.name),
    workspace: subject.workspace,
    labels: { [labelKeys.token]: subject.name },
  };
  // The last admitted agent may still fetch its answer; requests that are refused anyway cannot flood the hub.
  const isSpent = isUsedUp(subject, subject.token.status?.uses ?? 0);
  const rule = isSpent ? { ...registrarRule, verbs: ["get"] } : registrarRule;
  return [
    ...renderAccess({ ...access, rules: [rule] }),
    ...(needsTokenSecret(subject, hub) ? [renderTokenSecret(access, access.name)] : []),
  ];
}
