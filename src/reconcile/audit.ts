import type { Commit } from "../git/git.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { PlannedChange } from "../model/plan.ts";

export interface AuditContext {
  readonly commit: string | undefined;
  /** The author in the commit; it is not verified. */
  readonly author: Commit["author"] | undefined;
  /** The commit was already on the hub: another manager changed whatever is written now. */
  readonly isApplied: boolean;
}

/** The log fields of one write: object, operation, commit and author, reason. Names of fields, never their values. */
export function auditFields(
  change: PlannedChange,
  { commit, author, isApplied }: AuditContext,
): Readonly<Record<string, unknown>> {
  return {
    object: describeRef(change.ref),
    change: change.kind,
    commit,
    ...(author ? { author: `${author.name} <${author.email}>` } : {}),
    why: reasonOf(change, isApplied),
    ...("fields" in change && change.kind === "update" ? { fields: change.fields.map(({ path }) => path) } : {}),
  };
}

function reasonOf(change: PlannedChange, isApplied: boolean): string {
  if (change.kind === "delete" || change.kind === "leave") return change.reason;
  if (change.former) return `takes the place of ${describeRef(change.former.ref)}`;
  const place = change.source ? `${change.source.file}:${change.source.line}` : "a file";
  return isApplied ? `reverted to what ${place} declares` : `${place} declares it`;
}
