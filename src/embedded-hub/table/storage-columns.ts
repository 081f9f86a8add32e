import { objectsAt } from "../../core/read-json.ts";
import type { PrinterColumn } from "../operations/resource-definition.ts";
import { ageColumn, integerColumn, nameColumn } from "./column.ts";

type Columns = readonly PrinterColumn[];

export const csiNodeColumns: Columns = [
  nameColumn,
  integerColumn("Drivers", (object) => objectsAt(object, "spec", "drivers").length),
  ageColumn,
];
