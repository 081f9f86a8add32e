import { badRequest } from "../failures/failures.ts";
import type { IncludeObject } from "../table/render-table.ts";

/** What each row of a table carries of its object; throws 400 for an unknown wish. */
export function readIncludeObject(query: URLSearchParams): IncludeObject {
  const value = query.get("includeObject") ?? "";
  if (value === "") return "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
