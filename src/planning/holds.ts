import { isSuspended } from "../model/is-suspended.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Removal, WithheldRemoval } from "../model/plan.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys } from "../model/well-known.ts";

/** Facts about the range of commits that make a removal wait. */
export interface HoldInputs {
  /** False when the tree has no readable document of ours: then nothing is removed, whatever is approved. */
  readonly hasDocuments: boolean;
  /** Files with errors, at the head. */
  readonly brokenFiles: ReadonlySet<string>;
  /** Objects (`Kind/namespace/name`) that broken documents declare. */
  readonly brokenObjects: ReadonlySet<string>;
  /** True when the range adds a file that cannot be identified: it may be a renamed one. */
  readonly hasUnidentifiedNewFile: boolean;
  /** Every file at the head. */
  readonly files: ReadonlySet<string>;
  /** Files that the range changed. */
  readonly changedFiles: ReadonlySet<string>;
  /** False while appliedCommit is empty. */
  readonly wasAppliedBefore: boolean;
  /** True when the url changed and appliedCommit is not in the new history. */
  readonly isForeignHistory: boolean;
  /** True when a person approved removals explicitly; lifts the last two. */
  readonly isApproved: boolean;
}

/** Why a removal of `live` must wait, apart from the budget; undefined when it need not. */
export function holdReason(
  live: KubeObject,
  removal: Removal | undefined,
  holds: HoldInputs,
  isObservedComplete: boolean,
): WithheldRemoval["because"] | undefined {
  if (!isObservedComplete) return "not-synced";
  if (!holds.hasDocuments) return "empty-tree";
  // First: what waits for a reason of its own lets the commit count as settled, and the next one is of the same history.
  if (!holds.isApproved && !holds.wasAppliedBefore) return "not-applied-before";
  if (!holds.isApproved && holds.isForeignHistory) return "foreign-history";
  if (removal?.kind === "label") return undefined;
  const file = live.metadata.annotations?.[annotationKeys.sourceFile];
  if (isDeclaredByBrokenFile(live, holds)) return "held-by-bad-file";
  if (holds.hasUnidentifiedNewFile && (file === undefined || !holds.files.has(file))) return "held-by-bad-file";
  // A move removes nothing downstream; the successor's file declares whether the successor is protected.
  if (removal?.kind !== "move" && isProtected(live)) return "protected";
  // A mark could not be taken back while it is suspended, and would take effect when it is resumed.
  // A token is a credential: what it admits ends with its file.
  if (isSuspended(live) && live.kind !== resourceTypes.clusterRegistrationToken.kind) return "suspended";
  return undefined;
}

/** True when a document or a file with errors declares this object, as far as is known. */
export function isDeclaredByBrokenFile(
  live: KubeObject,
  { brokenFiles, brokenObjects }: Pick<HoldInputs, "brokenFiles" | "brokenObjects">,
): boolean {
  const { namespace, name, annotations } = live.metadata;
  const file = annotations?.[annotationKeys.sourceFile];
  return brokenObjects.has(`${live.kind}/${namespace}/${name}`) || (file !== undefined && brokenFiles.has(file));
}

function isProtected(live: KubeObject): boolean {
  const spec = live["spec"];
  return typeof spec === "object" && spec !== null && "deletionProtection" in spec && spec.deletionProtection === true;
}
