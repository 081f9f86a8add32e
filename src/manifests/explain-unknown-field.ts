import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { nearestName } from "../core/nearest-name.ts";
import type { SchemaFinding } from "./schema-finding.ts";
import { describePath, showText } from "./schema-finding.ts";

/** Fields that an API server writes; they come into files by `kubectl get -o yaml`. */
const serverFields = new Set([
  "status",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
]);

/** Names the field that was probably meant: one of the same map, or one of that name elsewhere in the document. */
export function explainUnknownField(path: readonly string[], parent: JsonObject, root: JsonObject): SchemaFinding {
  const field = path.at(-1) ?? "";
  const outer = path.slice(0, -1);
  const base = { code: "E_UNKNOWN_FIELD", path, part: "key" } as const;
  const name = describePath(path);
  const isServerField = serverFields.has(field) && (path.length === 1 || outer.join() === "metadata");
  if (isServerField) {
    return { ...base, message: `${name}: is written by the hub, not in files`, fix: "Delete the field." };
  }
  const siblings = Object.keys(isJsonObject(parent["properties"]) ? parent["properties"] : {});
  const nearest = nearestName(field, siblings);
  if (nearest !== undefined) {
    const meant = [...outer, nearest];
    return {
      ...base,
      meant,
      message: `${name}: unknown field, did you mean ${nearest}?`,
      fix: `Rename it to ${nearest}.`,
    };
  }
  const elsewhere = findField(root, field, []);
  if (elsewhere !== undefined) {
    const place = describePath(elsewhere);
    return {
      ...base,
      meant: elsewhere,
      message: `${name}: unknown field, did you mean ${place}?`,
      fix: `Move it to ${place}.`,
    };
  }
  const known =
    siblings.length > 0 && siblings.length <= 12 ? `Known here: ${siblings.join(", ")}.` : "Delete the field.";
  return { ...base, message: `${name}: unknown field ${showText(field)}`, fix: known };
}

/** The path nearest to the root at which the schema knows the field; lists are not looked into. */
function findField(schema: JsonObject, field: string, path: readonly string[]): readonly string[] | undefined {
  const { properties } = schema;
  if (!isJsonObject(properties)) return undefined;
  if (Object.hasOwn(properties, field)) return [...path, field];
  let best: readonly string[] | undefined;
  for (const [name, part] of Object.entries(properties)) {
    const found = isJsonObject(part) ? findField(part, field, [...path, name]) : undefined;
    if (found !== undefined && (best === undefined || found.length < best.length)) best = found;
  }
  return best;
}
