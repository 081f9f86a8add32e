import { isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import { checkQualifiedName } from "../../core/formats/kube-names.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { duplicate, indexPath, invalid, invalidStruct, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold, nonNegative } from "./checks.ts";
import { validateDriverName } from "./validate-volume-kinds.ts";

// Source of this file: Kubernetes, pkg/apis/storage/validation.

const longestNodeId = 256;

/** What is wrong with a CSINode or with its change. */
export function validateCsiNode(node: KubeObject, old: KubeObject | undefined): FieldError[] {
  const drivers = objectsAt(node, "spec", "drivers");
  const names = new Set<string>();
  return [
    ...drivers.flatMap((driver, index) => {
      const path = indexPath("spec.drivers", index);
      const name = textAt(driver, "name") ?? "";
      const errors = validateNodeDriver(driver, path);
      if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
      names.add(name);
      return errors;
    }),
    ...changedDrivers(drivers, objectsAt(old, "spec", "drivers")),
  ];
}

function validateNodeDriver(driver: JsonObject, path: string): FieldError[] {
  const id = textAt(driver, "nodeID") ?? "";
  const keys = new Set<string>();
  const field = `${path}.nodeID`;
  return [
    ...validateDriverName(textAt(driver, "name") ?? "", `${path}.name`),
    ...(id === "" ? [required(field)] : []),
    ...(id.length > longestNodeId ? [invalid(field, id, `must be ${longestNodeId} characters or less`)] : []),
    ...nonNegative(objectAt(driver, "allocatable"), `${path}.allocatable`, "count"),
    ...textsAt(driver, "topologyKeys").flatMap((key) => {
      const isKnown = keys.has(key);
      keys.add(key);
      return [
        ...(key === "" ? [required(path)] : []),
        ...(isKnown ? [duplicate(path, key)] : []),
        ...hold(checkQualifiedName, key, path),
      ];
    }),
  ];
}

/** A driver that stays on the node stays as it is. */
function changedDrivers(drivers: readonly JsonObject[], olds: readonly JsonObject[]): FieldError[] {
  const before = new Map(olds.map((driver) => [textAt(driver, "name"), driver]));
  return drivers.flatMap((driver) => {
    const old = before.get(textAt(driver, "name"));
    if (old === undefined || isJsonEqual(printedDriver(old), printedDriver(driver))) return [];
    return [invalidStruct("spec.drivers", printedDriver(driver), "field is immutable")];
  });
}

/** An API server prints its own form of the object, in the order of that. */
function printedDriver(driver: JsonObject): JsonObject {
  const { name = "", nodeID = "", topologyKeys = null, allocatable } = driver;
  const Allocatable = allocatable === undefined ? null : { Count: numberAt(allocatable, "count") ?? null };
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys, Allocatable };
}
