import { isTrueAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { PrinterColumn } from "../operations/resource-definition.ts";
import { ageColumn, column, integerColumn, nameColumn } from "./column.ts";

type Columns = readonly PrinterColumn[];

const textColumn = (name: string, ...path: readonly string[]): PrinterColumn =>
  column(name, (object) => textAt(object, ...path) ?? "");
const booleanColumn = (name: string, ...path: readonly string[]): PrinterColumn => ({
  ...column(name, (object) => isTrueAt(object, ...path)),
  type: "boolean",
});

export const csiNodeColumns: Columns = [
  nameColumn,
  integerColumn("Drivers", (object) => objectsAt(object, "spec", "drivers").length),
  ageColumn,
];

export const csiDriverColumns: Columns = [
  nameColumn,
  booleanColumn("AttachRequired", "spec", "attachRequired"),
  booleanColumn("PodInfoOnMount", "spec", "podInfoOnMount"),
  booleanColumn("StorageCapacity", "spec", "storageCapacity"),
  column("TokenRequests", (object) => {
    const requests = objectsAt(object, "spec", "tokenRequests");
    return requests.length === 0 ? "<unset>" : requests.map((one) => textAt(one, "audience") ?? "").join(",");
  }),
  booleanColumn("RequiresRepublish", "spec", "requiresRepublish"),
  column("Modes", (object) => textsAt(object, "spec", "volumeLifecycleModes").join(",")),
  ageColumn,
];

const defaultClass = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const storageClassColumns: Columns = [
  {
    ...nameColumn,
    cell: ({ metadata }) =>
      defaultClass.some((key) => metadata.annotations?.[key] === "true") ? `${metadata.name} (default)` : metadata.name,
  },
  textColumn("Provisioner", "provisioner"),
  textColumn("ReclaimPolicy", "reclaimPolicy"),
  textColumn("VolumeBindingMode", "volumeBindingMode"),
  { ...booleanColumn("AllowVolumeExpansion", "allowVolumeExpansion"), type: "string" },
  ageColumn,
];

export const volumeAttachmentColumns: Columns = [
  nameColumn,
  { ...textColumn("Attacher", "spec", "attacher"), format: "name" },
  textColumn("PV", "spec", "source", "persistentVolumeName"),
  textColumn("Node", "spec", "nodeName"),
  booleanColumn("Attached", "status", "attached"),
  ageColumn,
];
