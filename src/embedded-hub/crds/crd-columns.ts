import { goJson, goNumber } from "../../core/formats/go-format.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { PrinterColumn } from "../operations/resource-definition.ts";
import { ageColumn, nameColumn } from "../table/column.ts";
import { parseTime } from "../../core/formats/rfc3339.ts";
import { sinceText } from "../../core/human-duration.ts";
import { compileJsonPath } from "../../core/json-path.ts";

/** The columns of a version: its name, then those that the CRD declares, or the age when it declares none. */
export function columnsOfVersion(version: JsonObject): readonly PrinterColumn[] {
  const declared = objectsAt(version, "additionalPrinterColumns");
  if (declared.length === 0) return [nameColumn, { ...ageColumn, type: "date" }];
  return [nameColumn, ...declared.map(columnOf)];
}

function columnOf(column: JsonObject): PrinterColumn {
  const path = textAt(column, "jsonPath") ?? "";
  const type = textAt(column, "type") ?? "string";
  const read = compileJsonPath(path);
  return {
    name: textAt(column, "name") ?? "",
    type,
    format: textAt(column, "format") ?? "",
    description: textAt(column, "description") ?? `Custom resource definition column (in JSONPath format): ${path}`,
    priority: numberAt(column, "priority") ?? 0,
    cell: (object, nowMs) => cellOf(read?.(object) ?? [], type, nowMs),
  };
}

/**
 * The first value of a path counts, however many there are. Null is nothing, but in a column of texts it is one.
 * Source: apiextensions-apiserver, registry/customresource/tableconvertor.
 */
function cellOf([first]: readonly unknown[], type: string, nowMs: number): ReturnType<PrinterColumn["cell"]> {
  if (first === undefined) return null;
  switch (type) {
    case "integer":
      if (typeof first === "bigint") return first;
      return typeof first === "number" ? Math.trunc(first) : null;
    case "number":
      return typeof first === "number" || typeof first === "bigint" ? Number(first) : null;
    case "boolean":
      return typeof first === "boolean" ? first : null;
    case "date":
      return typeof first === "string" ? dateText(first, nowMs) : null;
    default:
      return textOf(first);
  }
}

function dateText(date: string, nowMs: number): string {
  if (date === "") return "<unknown>";
  return "error" in parseTime(date) ? "<invalid>" : sinceText(date, nowMs);
}

function textOf(value: unknown): string {
  if (value === null) return "<no value>";
  if (typeof value === "number") return goNumber(value);
  return typeof value === "string" ? value : goJson(value);
}
