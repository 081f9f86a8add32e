import { isJsonEqual } from "../../core/json.ts";
import { objectAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import {
  csiDriverColumns,
  csiNodeColumns,
  storageClassColumns,
  volumeAttachmentColumns,
} from "../table/storage-columns.ts";
import {
  validateCsiDriver,
  validateCsiNode,
  validateStorageCapacity,
  validateStorageClass,
  validateVolumeAttachment,
  warnOfStorageCapacity,
  warnOfStorageClass,
} from "../validation/validate-storage.ts";
import type { BuiltInRow } from "./define.ts";
import { keepMetadata } from "./keep-metadata.ts";
import { withWarnings } from "./warn-of-kinds.ts";

/** MutableCSINodeAllocatableCount is off in a server without flags: a driver has no period of updates. */
function withoutPeriod(driver: KubeObject): KubeObject {
  const { nodeAllocatableUpdatePeriodSeconds: _, ...spec } = objectAt(driver, "spec") ?? {};
  return { ...driver, spec };
}

/** A new driver has no generation. */
function changedDriver(given: KubeObject, old: KubeObject): KubeObject {
  const driver = withoutPeriod(given);
  const { metadata } = driver;
  if (isJsonEqual(driver["spec"], old["spec"])) return driver;
  return { ...driver, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 } };
}

/** The same gate: errors have no codes. */
function changedStatus(given: KubeObject, old: KubeObject): KubeObject {
  const status = objectAt(given, "status") ?? {};
  const errors = ["attachError", "detachError"].flatMap((name) => {
    const { errorCode: _, ...error } = objectAt(status, name) ?? {};
    return objectAt(status, name) === undefined ? [] : [[name, error]];
  });
  return { ...given, metadata: keepMetadata(given, old), status: { ...status, ...Object.fromEntries(errors) } };
}

/** The kinds of storage.k8s.io. Nothing of the hub stores anything by them: what does reads and writes them. */
export const storageRows: readonly BuiltInRow[] = [
  {
    kind: "CSIDriver",
    isClusterScoped: true,
    columns: csiDriverColumns,
    hooks: {
      canUpdateUnconditionally: false,
      returnsDeletedObject: true,
      prepareForCreate: withoutPeriod,
      prepareForUpdate: changedDriver,
      validate: validateCsiDriver,
    },
  },
  {
    kind: "CSINode",
    isClusterScoped: true,
    columns: csiNodeColumns,
    hooks: { canUpdateUnconditionally: false, returnsDeletedObject: true, validate: validateCsiNode },
  },
  {
    kind: "CSIStorageCapacity",
    plural: "csistoragecapacities",
    hooks: {
      canUpdateUnconditionally: false,
      validate: withWarnings(validateStorageCapacity, warnOfStorageCapacity),
    },
  },
  {
    kind: "StorageClass",
    plural: "storageclasses",
    isClusterScoped: true,
    shortNames: ["sc"],
    columns: storageClassColumns,
    hooks: { returnsDeletedObject: true, validate: withWarnings(validateStorageClass, warnOfStorageClass) },
  },
  {
    kind: "VolumeAttachment",
    isClusterScoped: true,
    subresources: ["status"],
    columns: volumeAttachmentColumns,
    hooks: {
      canUpdateUnconditionally: false,
      returnsDeletedObject: true,
      keptFields: { status: [["spec"], ["metadata"]] },
      prepareForUpdate: (attachment, old, { subresource }) =>
        subresource === "status" ? changedStatus(attachment, old) : attachment,
      validate: validateVolumeAttachment,
    },
  },
];
