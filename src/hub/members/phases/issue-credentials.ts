import type { HubPorts } from "../../hub-ports.ts";
import { issueAndDeliver } from "../../issue-credential.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** Issues the credentials that are due, and delivers each to its holder. */
export async function issueCredentials(
  scope: MemberScope,
  ports: Pick<HubPorts, "hubApi" | "view" | "hubFacts" | "clock" | "entropy" | "log">,
): Promise<PhaseResult> {
  const { protocol, write, signal } = scope;
  for (const due of protocol.credentialsDue({ kind: "member", member: scope.member }, scope.hub)) {
    const subject = { kind: "member" as const, member: scope.member };
    await issueAndDeliver({ ...ports, write }, protocol, { subject, due, signal });
  }
  return next;
}
