import type { DeclaredFleet } from "../model/declared-fleet.ts";
import type { Problem } from "../model/problem.ts";
import { compareProblems } from "../model/problem.ts";
import type { ParsedFile } from "../model/source.ts";
import { boundProblems } from "./bound-problems.ts";
import { checkClusternet } from "./check-clusternet.ts";
import { checkDuplicates } from "./check-duplicates.ts";
import { checkLabels } from "./check-labels.ts";
import { checkKubefleet } from "./check-kubefleet.ts";
import { checkNames } from "./check-names.ts";
import { checkReferences } from "./check-references.ts";
import { checkSelectors } from "./check-selectors.ts";
import type { WorkspaceRules } from "./check-workspaces.ts";
import { checkWorkspaces } from "./check-workspaces.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";
import { createFleetReport, fleetDocuments, keysOfDocument } from "./fleet-document.ts";
import type { SelectionCost } from "./selection-cost.ts";
import { exceedsPolicyCost, measureSelection, tooCostlyPolicies, tooCostlySelection } from "./selection-cost.ts";
import { toDeclaredFleet } from "./to-declared-fleet.ts";

export interface FleetContext extends WorkspaceRules {
  /**
   * Whether rules and groups are evaluated by the labels of files alone (W_EMPTY_SELECTOR, E_LABEL_CONFLICT). A daemon
   * leaves it out: planning evaluates them by all labels that clusters have.
   */
  readonly evaluatesSelectors?: boolean;
  /** What rules and groups may cost. Default: that of {@link measureSelection}. */
  readonly maxSelectionCost?: number;
}

export interface CheckedFleet {
  readonly fleet: DeclaredFleet;
  /** Of the files themselves and of all of them together, in the order of listings, bounded. */
  readonly problems: readonly Problem[];
  /**
   * Objects (`Kind/namespace/name`, the workspace filled in) that documents with errors declare, in the files or taken
   * together: what is on the hub under these names stays as it is.
   */
  readonly brokenObjects: ReadonlySet<string>;
  /** Absent: rules and groups do not cost too much, whatever labels clusters have. */
  readonly selection?: SelectionCost;
}

/**
 * Brings the documents of all files together: workspaces, duplicates, names, references, labels. A document with an
 * error is left out and named in `brokenObjects`; everything else proceeds. Where rules or policies would cost too much
 * (E_REPOSITORY_TOO_LARGE), all documents are left out. Work is linear in the documents; places are looked up only for
 * problems.
 */
export function checkFleet(files: readonly ParsedFile[], context: FleetContext): CheckedFleet {
  const documents = fleetDocuments(files, context.defaultWorkspace);
  const report = createFleetReport(files);
  checkWorkspaces(documents, context, report);
  checkDuplicates(documents, report);
  checkNames(documents, report);
  checkKubefleet(documents, report);
  checkClusternet(documents, context, report);
  checkLabels(documents, report);
  const inFiles = files.flatMap((file) =>
    file.brokenObjects.map((key) => withWorkspace(key, context.defaultWorkspace)),
  );
  checkReferences(documents, { rules: context, brokenObjects: inFiles }, report);
  const accepted = documents.filter((subject) => !report.isRefused(subject));
  const selection = measureSelection(accepted, context.maxSelectionCost);
  const isSelectionCostly = selection !== undefined && selection.room < 0;
  if (isSelectionCostly || exceedsPolicyCost(accepted)) {
    report.problems.push(isSelectionCostly ? tooCostlySelection(context.maxSelectionCost) : tooCostlyPolicies());
    return checkedOf([], [...inFiles, ...documents.flatMap(keysOfDocument)], { files, report });
  }
  const together = documents.filter((subject) => report.isRefused(subject)).flatMap(keysOfDocument);
  if (context.evaluatesSelectors === true) checkSelectors(accepted, report);
  const checked = checkedOf(accepted, [...inFiles, ...together], { files, report });
  return selection === undefined ? checked : { ...checked, selection };
}

function checkedOf(
  accepted: readonly FleetDocument[],
  brokenObjects: readonly string[],
  { files, report }: { readonly files: readonly ParsedFile[]; readonly report: FleetReport },
): CheckedFleet {
  return {
    fleet: toDeclaredFleet(accepted),
    problems: boundProblems([...files.flatMap(({ problems }) => problems), ...report.problems].sort(compareProblems)),
    brokenObjects: new Set(brokenObjects),
  };
}

/** `Kind//name` becomes `Kind/<default workspace>/name`. */
function withWorkspace(key: string, defaultWorkspace = ""): string {
  return key.replace(/^([^/]*)\/\//u, (_match, kind: string) => `${kind}/${defaultWorkspace}/`);
}
