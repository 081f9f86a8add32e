import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { memoizeWeak } from "../core/memoize-weak.ts";
import { nearestName } from "../core/nearest-name.ts";
import { isSlashComment, slashComment } from "./explain-yaml-error.ts";
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
  "finalizers",
  "ownerReferences",
]);

/** sops adds its metadata to each document of a file, and its checksum covers all of them: one alone cannot lose it. */
const encryptedTogether = "the document was encrypted by SOPS, with the Secrets of its file; only a Secret may be";
const moveSecrets =
  "Decrypt the file (`sops decrypt --in-place FILE`), move its Secrets to a file of their own, and encrypt that.";

/** Names the field that was probably meant: one of the same map, or one of that name elsewhere in the document. */
export function explainUnknownField(path: readonly string[], parent: JsonObject, root: JsonObject): SchemaFinding {
  const field = path.at(-1) ?? "";
  const outer = path.slice(0, -1);
  const base = { code: "E_UNKNOWN_FIELD", path, part: "key" } as const;
  if (isSlashComment(field)) return { ...base, ...slashComment, code: "E_YAML" };
  const name = describePath(path);
  const isServerField = serverFields.has(field) && (path.length === 1 || outer.join() === "metadata");
  if (isServerField) {
    return { ...base, message: `${name}: is written by the hub, not in files`, fix: "Delete the field." };
  }
  if (path.length === 1 && field === "sops")
    return { ...base, message: `${name}: ${encryptedTogether}`, fix: moveSecrets };
  const siblings = siblingsOf(parent);
  const nearest = siblings.nearest(field);
  if (nearest !== undefined) {
    const meant = [...outer, nearest];
    return {
      ...base,
      meant,
      message: `${name}: unknown field, did you mean ${nearest}?`,
      fix: `Rename it to ${nearest}.`,
    };
  }
  const elsewhere = fieldPaths(root).get(field);
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
    siblings.names.length > 0 && siblings.names.length <= mostNamed
      ? `Known here: ${siblings.names.join(", ")}.`
      : "Delete the field.";
  return { ...base, message: `${name}: unknown field ${showText(field)}`, fix: known };
}

/** The path nearest to the root at which the schema has each field; the items of lists are not searched. */
const fieldPaths = memoizeWeak((root: JsonObject): ReadonlyMap<string, readonly string[]> => {
  const paths = new Map<string, readonly string[]>();
  let level: { schema: JsonObject; path: readonly string[] }[] = [{ schema: root, path: [] }];
  while (level.length > 0) {
    level = level.flatMap(({ schema, path }) => {
      const { properties } = schema;
      if (!isJsonObject(properties)) return [];
      return Object.entries(properties).flatMap(([name, part]) => {
        const place = [...path, name];
        if (!paths.has(name)) paths.set(name, place);
        return isJsonObject(part) ? [{ schema: part, path: place }] : [];
      });
    });
  }
  return paths;
});

/** The known names beside an unknown field, and which of them was meant; the same mistake is often made again. */
const siblingsOf = memoizeWeak((parent: JsonObject) => {
  const names = Object.keys(isJsonObject(parent["properties"]) ? parent["properties"] : {});
  const known = new Map<string, string | undefined>();
  return {
    names,
    nearest: (field: string): string | undefined => {
      if (known.has(field)) return known.get(field);
      const nearest = nearestName(field, names);
      if (known.size < mostRemembered) known.set(field, nearest);
      return nearest;
    },
  };
});
const mostRemembered = 1000;
/** As many as the spec of any kind of ours has. */
const mostNamed = 24;
