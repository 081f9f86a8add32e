import type { ManagedFieldsEntry } from "../../model/kubernetes.ts";
import { differenceOf, fieldSetOf, hasPath } from "./field-set.ts";
import type { ManagerFields, Managers } from "./managed-fields.ts";
import { decodeManagedFields, encodeManagedFields, withSet } from "./managed-fields.ts";
import type { Path } from "./path-element.ts";
import { fieldElement } from "./path-element.ts";

/** Where a version of the kind that is scaled has its number of replicas. */
export interface ReplicasPaths {
  /** The version of the request. */
  readonly apiVersion: string;
  /** The path in a version: "none" when the version cannot be scaled, undefined when there is no such version. */
  readonly pathOf: (apiVersion: string) => Path | "none" | undefined;
}

const scaleApiVersion = "autoscaling/v1";
const scalePath = [fieldElement("spec"), fieldElement("replicas")];

/**
 * The managers of a Scale: those of the object that own its number of replicas. Undefined when there are none, or the
 * entries are malformed. Source: Kubernetes, managed fields of the scale subresource.
 */
export function scaleManagersOf(
  entries: readonly ManagedFieldsEntry[] | undefined,
  { pathOf }: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const ofScale = [...managersOf(entries)].flatMap(([key, entry]): [string, ManagerFields][] => {
    const path = pathOf(entry.apiVersion);
    if (path === undefined || path === "none" || !hasPath(entry.set, path)) return [];
    return [[key, { ...entry, apiVersion: scaleApiVersion, set: fieldSetOf(scalePath) }]];
  });
  return encodeManagedFields(new Map(ofScale));
}

/**
 * The managers of the object after its Scale was written: who lost the number there loses it here, and who has it there
 * has it here. As in kube-apiserver updaters never count as the same ones, since the version of a Scale is another: what
 * they own of it becomes an entry of its own, without a time.
 */
export function parentManagersOf(
  entries: readonly ManagedFieldsEntry[] | undefined,
  scaleEntries: readonly ManagedFieldsEntry[] | undefined,
  { apiVersion, pathOf }: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const before = managersOf(entries);
  const ofScale = new Map(managersOf(scaleEntries));
  let after: Managers = new Map([...before].filter(([, entry]) => pathOf(entry.apiVersion) !== undefined));
  for (const [key, entry] of after) {
    const path = pathOf(entry.apiVersion);
    if (path === undefined || path === "none" || !hasPath(entry.set, path)) continue;
    if (!ofScale.delete(key)) after = withSet(after, key, differenceOf(entry.set, fieldSetOf(path)));
  }
  const path = pathOf(apiVersion);
  if (path === undefined || path === "none") return encodeManagedFields(after);
  const owners = [...ofScale].filter(([, { set }]) => hasPath(set, scalePath));
  const taken = owners.map(([key, { time: _now, ...entry }]): [string, ManagerFields] => {
    const time = before.get(key)?.time;
    return [key, { ...entry, apiVersion, set: fieldSetOf(path), ...(time === undefined ? {} : { time }) }];
  });
  return encodeManagedFields(new Map([...after, ...taken]));
}

function managersOf(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  return decodeManagedFields(entries) ?? new Map();
}
