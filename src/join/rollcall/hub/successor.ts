import { objectAt, textAt } from "../../../core/read-json.ts";
import type { Successor } from "../../../model/generated/cluster-report.ts";
import type { Member } from "../../../model/member.ts";
import { successorKeyOf, reportOf } from "./member-facts.ts";

/** Instructs the agent of a renamed cluster how to continue there; it stays until the agent has moved. */
export function keptSuccessor(member: Member): Successor | undefined {
  const successor = objectAt(reportOf(member), "status", "successor");
  const workspace = textAt(successor, "workspace");
  const name = textAt(successor, "name");
  const enc = textAt(successor, "sealed", "enc");
  const ciphertext = textAt(successor, "sealed", "ciphertext");
  if (workspace === undefined || name === undefined || enc === undefined || ciphertext === undefined) return undefined;
  return successorKeyOf(member) === `${workspace}/${name}`
    ? { workspace, name, sealed: { enc, ciphertext } }
    : undefined;
}

/** The predecessor's agent does not know yet that it continues as this member. */
export function isSuccessorDue({ former, state }: Member): boolean {
  if (former === undefined || state?.keys === undefined || reportOf(former) === undefined) return false;
  return keptSuccessor(former) === undefined || state.credential === undefined;
}
