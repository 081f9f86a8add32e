import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { PrinterColumn, ResourceDefinition } from "../operations/resource-definition.ts";
import { defaultColumns, scaleColumns } from "./column.ts";

export type IncludeObject = "None" | "Metadata" | "Object";

export interface TableOptions {
  /** v1 or v1beta1 of meta.k8s.io. */
  readonly version: string;
  /** What each row carries of its object. Default Metadata. */
  readonly includeObject: IncludeObject;
  readonly nowMs: number;
  /** Of the list; absent for single objects and watch events after the first. */
  readonly metadata?: JsonObject;
  /** Rows of a watch after the first need no columns: the client has them. */
  readonly omitsColumns?: boolean;
}

/** Objects as a Table. Source: Kubernetes API, meta.k8s.io/v1 Table. */
export function renderTable(
  definition: ResourceDefinition,
  objects: readonly KubeObject[],
  options: TableOptions,
): object {
  return {
    ...tableHead(definition, options),
    rows: objects.map((object) => tableRow(definition, object, options)),
  };
}

/** A Scale as a Table, whatever kind it scales. */
export function renderScaleTable(scale: KubeObject, options: TableOptions): object {
  return {
    ...headOf(scaleColumns, options),
    rows: [rowOf(scaleColumns, scale, options)],
  };
}

/** A Table without its rows. */
export function tableHead(definition: ResourceDefinition, options: TableOptions): JsonObject {
  return headOf(columnsOf(definition), options);
}

function headOf(columns: readonly PrinterColumn[], options: TableOptions): JsonObject {
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata: options.metadata ?? {},
    columnDefinitions: options.omitsColumns === true ? null : columns.map(definitionOf),
  };
}

export function tableRow(definition: ResourceDefinition, object: KubeObject, options: TableOptions): object {
  return rowOf(columnsOf(definition), object, options);
}

function rowOf(columns: readonly PrinterColumn[], object: KubeObject, options: TableOptions): object {
  return {
    cells: columns.map((column) => column.cell(object, options.nowMs)),
    ...rowObject(object, options),
  };
}

/** An object as its metadata alone. */
export function partialMetadata(object: KubeObject, version: string): object {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

function columnsOf({ columns }: ResourceDefinition): readonly PrinterColumn[] {
  return columns.length === 0 ? defaultColumns : columns;
}

function definitionOf({ name, type, format = "", description = "", priority }: PrinterColumn): JsonObject {
  return { name, type, format, description, priority };
}

function rowObject(object: KubeObject, { includeObject, version }: TableOptions): object {
  switch (includeObject) {
    case "None":
      return { object: null };
    case "Metadata":
      return { object: partialMetadata(object, version) };
    case "Object":
      return { object };
  }
}
