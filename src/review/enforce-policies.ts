import type { CheckedFleet } from "../manifests/check-fleet.ts";
import { isJsonEqual } from "../core/json.ts";
import { boundProblems } from "../manifests/bound-problems.ts";
import { fleetDocuments, keysOfDocument } from "../manifests/fleet-document.ts";
import { compareProblems } from "../model/problem.ts";
import type { ParsedFile, SourcePosition } from "../model/source.ts";
import type { AppliedDocuments, PolicyContext } from "./check-policies.ts";
import { checkPolicies } from "./check-policies.ts";

export interface EnforceContext extends PolicyContext {
  readonly applied: AppliedDocuments;
  readonly defaultWorkspace: string | undefined;
  /** Brings files together again after documents were exchanged. */
  readonly checkFleet: (files: readonly ParsedFile[]) => CheckedFleet;
}

/**
 * The fleet without documents that break a policy, or of which a stopped rule leaves it open: each is as it was when it was
 * last applied, or is left out and named in `brokenObjects`, so that what is on the hub under its name stays.
 */
export async function enforcePolicies(checked: CheckedFleet, context: EnforceContext): Promise<CheckedFleet> {
  const unchecked = new Set<string>();
  const onUnchecked = (position: SourcePosition): void => void unchecked.add(placeOf(position));
  const found = await checkPolicies(checked.fleet, { ...context, onUnchecked });
  if (found.length === 0) return checked;
  const problems = boundProblems([...checked.problems, ...found].sort(compareProblems));
  const broken = new Set(found.filter(({ code }) => code === "E_POLICY").map(placeOf));
  const refused = new Set([...broken, ...unchecked]);
  if (refused.size === 0) return { ...checked, problems };
  const brokenObjects = new Set(checked.brokenObjects);
  const files = context.files.map((file) => {
    if (!file.documents.some(({ position }) => refused.has(placeOf(position)))) return file;
    const documents = file.documents.flatMap((document) => {
      if (!refused.has(placeOf(document.position))) return [document];
      const before = context.applied.asApplied(document);
      const isAsApplied =
        before === document || (before !== undefined && isJsonEqual({ ...before.object }, { ...document.object }));
      if (isAsApplied && !broken.has(placeOf(document.position))) return [document];
      const [item] = fleetDocuments([{ documents: [document] }], context.defaultWorkspace);
      for (const key of item === undefined ? [] : keysOfDocument(item)) brokenObjects.add(key);
      return before ?? [];
    });
    return { ...file, documents };
  });
  const again = context.checkFleet(files);
  return {
    fleet: again.fleet,
    problems,
    brokenObjects: new Set([...brokenObjects, ...again.brokenObjects]),
  };
}

function placeOf({ file, line, column }: SourcePosition): string {
  return `${file}:${line}:${column}`;
}
