import { objectAt, textAt } from "../../../core/read-json.ts";
import { parseJson } from "../../../core/parse-json.ts";
import type { Member, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import { childOf } from "./member-facts.ts";

/**
 * False when a token was issued for an account or a Secret that is not there any more, or was made anew: the API server
 * refuses it then. A token whose claims cannot be read counts as good. Source: Kubernetes, pkg/serviceaccount/claims.go.
 */
export function isIssuedFor(token: string, subject: Pick<Member | TokenSubject, "children">): boolean {
  const claims = objectAt(claimsOf(token), "kubernetes.io");
  return (
    isSame(subject, resourceTypes.serviceAccount, objectAt(claims, "serviceaccount")) &&
    isSame(subject, resourceTypes.secret, objectAt(claims, "secret"))
  );
}

function isSame(
  subject: Pick<Member | TokenSubject, "children">,
  type: Parameters<typeof childOf>[1],
  claim: object | undefined,
): boolean {
  const name = textAt(claim, "name");
  const uid = textAt(claim, "uid");
  if (name === undefined || uid === undefined) return true;
  return childOf(subject, type, name)?.metadata.uid === uid;
}

function claimsOf(token: string): unknown {
  // Nothing is known about a token of another form.
  return parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
}
