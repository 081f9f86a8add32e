import { compact } from "../core/compact.ts";
import { compareNames } from "../core/compare-names.ts";
import { sha256Hex } from "../core/digest.ts";
import type { ChangeOutcome } from "../hub/execute-changes.ts";
import type { RepositoryStatus } from "../model/generated/repository.ts";
import type { WaitingFile } from "../model/generated/waiting-file.ts";
import type { Plan } from "../model/plan.ts";

/** Waiting files that are named. */
const mostNamed = 20;
/** Waiting files behind those whose commit is remembered. */
const mostOthers = 1000;

function waitingDigest(reason: string, file: string): string {
  return sha256Hex(`${reason} ${file}`).slice(0, 8);
}

/**
 * Since which commit a file waits for a reason. `now`: it did not wait before. Undefined: more files waited than are recorded,
 * and this one may be one of them.
 */
function sinceReader(
  before: RepositoryStatus["waiting"],
  now: string,
): (reason: string, file: string) => string | undefined {
  const { count = 0, first = [], others = [] } = before ?? {};
  const named = new Map(first.map(({ reason, file, since }) => [`${reason} ${file}`, since]));
  const digests = new Map(others.flatMap((group) => group.digests.map((digest) => [digest, group.since])));
  const isAllRecorded = count <= named.size + digests.size;
  return (reason, file) => {
    const key = `${reason} ${file}`;
    if (named.has(key)) return named.get(key);
    return digests.get(waitingDigest(reason, file)) ?? (isAllRecorded ? now : undefined);
  };
}

/** File by file, what of the commit waits, and since when. */
export function waitingFiles(
  plan: Plan,
  failed: readonly ChangeOutcome[],
  before: RepositoryStatus["waiting"],
): RepositoryStatus["waiting"] {
  const reasons = new Map<string, WaitingFile["reason"]>();
  for (const { change } of failed) {
    const file = "source" in change ? change.source?.file : undefined;
    if (file !== undefined) reasons.set(file, "WriteFailed");
  }
  for (const { file } of [...plan.withheld, ...plan.heldDeletes]) if (file !== undefined) reasons.set(file, "Withheld");
  for (const { file, severity } of plan.problems) if (severity === "error") reasons.set(file, "Errors");
  if (reasons.size === 0) return undefined;
  const sinceOf = sinceReader(before, plan.commit ?? "");
  const all = [...reasons]
    .sort(([a], [b]) => compareNames(a, b))
    .map(([file, reason]): WaitingFile => compact({ file, reason, since: sinceOf(reason, file) }));
  const groups = new Map<string, string[]>();
  for (const { file, reason, since } of all.slice(mostNamed, mostNamed + mostOthers))
    if (since !== undefined) groups.set(since, [...(groups.get(since) ?? []), waitingDigest(reason, file)]);
  return {
    count: all.length,
    first: all.slice(0, mostNamed),
    ...(groups.size === 0 ? {} : { others: [...groups].map(([since, digests]) => ({ since, digests })) }),
  };
}
