import { AppError } from "../core/errors.ts";
import { isJsonEqual } from "../core/json.ts";
import { labelsMissing } from "../model/exclusive-name.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { PlannedChange } from "../model/plan.ts";
import { labelKeys } from "../model/well-known.ts";
import { isAppliedBy } from "../planning/owned-fields.ts";

type PlannedWrite = Extract<PlannedChange, { kind: "create" | "update" }>;

/**
 * A child of a member or token is created by a forced apply, which would take over an object of its name. Ours is an object
 * with the labels of the same owner, or without any when the hub wrote it: a person took the labels off.
 * @throws E_KUBE_EXISTS (`data.taken`) for an object of another owner, or of another program when no file adopts it
 */
export function refuseOtherChild(
  { kind, ref, object, manager, labelsToAdopt }: PlannedWrite,
  live: KubeObject | undefined,
): void {
  const owner = ownerLabelsOf(object);
  if (kind !== "create" || live === undefined || owner.length === 0) return;
  const liveOwner = isWithoutWorkspace(live, object) ? [] : ownerLabelsOf(live);
  if (liveOwner.length === 0 && (isAdoptable(live, labelsToAdopt) || isAppliedBy(live, manager))) return;
  if (isJsonEqual(liveOwner, owner)) return;
  const message = `create ${describeRef(ref)}: it exists and belongs to ${liveOwner.length === 0 ? "another program" : "another owner"}. Delete it, or rename the cluster or token.`;
  throw new AppError("E_KUBE_EXISTS", message, { data: { taken: describeRef(ref) } });
}

/** A name without the workspace that it is of names no owner. */
function isWithoutWorkspace(live: KubeObject, object: KubeObject): boolean {
  const [shown, wanted] = [live, object].map(({ metadata }) => metadata.labels?.[labelKeys.ownerWorkspace]);
  return wanted !== undefined && shown === undefined;
}

function isAdoptable(live: KubeObject, labelsToAdopt: PlannedWrite["labelsToAdopt"]): boolean {
  return labelsToAdopt !== undefined && labelsMissing(live, labelsToAdopt).length === 0;
}

function ownerLabelsOf({ metadata: { labels = {} } }: KubeObject): (readonly [string, string])[] {
  return [labelKeys.cluster, labelKeys.token].flatMap((key) => {
    const name = labels[key];
    return name === undefined ? [] : [[key, `${labels[labelKeys.ownerWorkspace] ?? ""}/${name}`] as const];
  });
}
