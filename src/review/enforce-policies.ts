import type { CheckedFleet } from "../manifests/check-fleet.ts";
import { isJsonEqual } from "../core/json.ts";
import { boundProblems } from "../manifests/bound-problems.ts";
import { fleetDocuments, keysOfDocument } from "../manifests/fleet-document.ts";
import { compareProblems } from "../model/problem.ts";
import type { ParsedFile } from "../model/source.ts";
import type { AppliedDocuments, PlacedDocument, PolicyContext } from "./check-policies.ts";
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
  const broken = new Set<string>();
  const onUnchecked = (document: PlacedDocument): void => void unchecked.add(placeOf(document));
  const onBroken = (document: PlacedDocument): void => void broken.add(placeOf(document));
  const found = await checkPolicies(checked.fleet, { ...context, onUnchecked, onBroken });
  if (found.length === 0) return checked;
  const problems = boundProblems([...checked.problems, ...found].sort(compareProblems));
  const refused = new Set([...broken, ...unchecked]);
  if (refused.size === 0) return { ...checked, problems };
  const brokenObjects = new Set(checked.brokenObjects);
  const files = context.files.map((file) => {
    if (!file.documents.some((document) => refused.has(placeOf(document)))) return file;
    const documents = file.documents.flatMap((document) => {
      if (!refused.has(placeOf(document))) return [document];
      const before = context.applied.asApplied(document);
      const isAsApplied =
        before === document || (before !== undefined && isJsonEqual({ ...before.object }, { ...document.object }));
      if (isAsApplied && !broken.has(placeOf(document))) return [document];
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

/** With the version of the file: a document that was kept from an earlier one may be in the place of another now. */
function placeOf({ position: { file, line, column }, blobId = "" }: PlacedDocument): string {
  return `${blobId} ${file}:${line}:${column}`;
}
