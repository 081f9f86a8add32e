import { csiNodeColumns } from "../table/storage-columns.ts";
import { validateCsiNode } from "../validation/validate-storage.ts";
import type { BuiltInRow } from "./define.ts";

/** The kinds of storage.k8s.io. Nothing of the hub stores anything by them: what does reads and writes them. */
export const storageRows: readonly BuiltInRow[] = [
  {
    kind: "CSINode",
    isClusterScoped: true,
    columns: csiNodeColumns,
    hooks: { canUpdateUnconditionally: false, returnsDeletedObject: true, validate: validateCsiNode },
  },
];
