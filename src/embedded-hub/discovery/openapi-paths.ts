import type { JsonObject } from "../../core/json.ts";
import type { ResourceDefinition, SubresourceDefinition } from "../operations/resource-definition.ts";

/** Schemas that operations refer to, as references. */
export interface OperationSchemas {
  readonly object: JsonObject;
  readonly list: JsonObject | undefined;
}

interface OperationRow {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** The verb that must be served. */
  readonly verb: string;
  readonly action: string;
  readonly parameters: readonly string[];
  readonly answersList?: boolean;
}

const listParameters = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
  "watch",
];
const writeParameters = ["dryRun", "fieldManager", "fieldValidation"];
const deleteParameters = ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"];
const integers = new Set(["limit", "timeoutSeconds", "gracePeriodSeconds"]);
const booleans = new Set(["allowWatchBookmarks", "sendInitialEvents", "watch", "force", "orphanDependents"]);

const collectionRows: readonly OperationRow[] = [
  { method: "get", verb: "list", action: "list", parameters: listParameters, answersList: true },
  { method: "post", verb: "create", action: "post", parameters: writeParameters },
  {
    method: "delete",
    verb: "deletecollection",
    action: "deletecollection",
    parameters: [...listParameters, ...deleteParameters],
  },
];
const objectRows: readonly OperationRow[] = [
  { method: "get", verb: "get", action: "get", parameters: [] },
  { method: "post", verb: "create", action: "post", parameters: writeParameters },
  { method: "put", verb: "update", action: "put", parameters: writeParameters },
  { method: "patch", verb: "patch", action: "patch", parameters: [...writeParameters, "force"] },
  { method: "delete", verb: "delete", action: "delete", parameters: deleteParameters },
];

/** The paths of a kind with their operations, as far as clients read them: verbs, kinds, parameters, schemas. */
export function pathsOf(
  definition: ResourceDefinition,
  schemas: OperationSchemas,
  schemaOfSubresource: (subresource: SubresourceDefinition) => JsonObject,
): Readonly<Record<string, JsonObject>> {
  const { group, version, plural, isNamespaced, isCustom, verbs, subresources } = definition;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = isNamespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const place = isNamespaced ? ["namespace"] : [];
  const namedRows = objectRows.filter(({ verb }) => verb !== "create");
  return {
    ...(isNamespaced && verbs.includes("list")
      ? { [`${root}/${plural}`]: pathItem(definition, collectionRows.slice(0, 1), { schemas, place: [] }) }
      : {}),
    [collection]: pathItem(definition, served(collectionRows, verbs), { schemas, place }),
    ...(verbs.includes("get")
      ? {
          [`${collection}/{name}`]: pathItem(definition, served(namedRows, verbs), {
            schemas,
            place: [...place, "name"],
          }),
        }
      : {}),
    ...Object.fromEntries(
      subresources.map((subresource) => [
        `${collection}/{name}/${subresource.name}`,
        pathItem(
          isCustom ? definition : { ...definition, ...subresource.kind },
          served(objectRows, subresource.verbs),
          {
            schemas: { object: schemaOfSubresource(subresource), list: undefined },
            place: [...place, "name"],
          },
        ),
      ]),
    ),
  };
}

function served(rows: readonly OperationRow[], verbs: readonly string[]): readonly OperationRow[] {
  return rows.filter(({ verb }) => verbs.includes(verb));
}

function pathItem(
  definition: ResourceDefinition,
  rows: readonly OperationRow[],
  { schemas, place }: { readonly schemas: OperationSchemas; readonly place: readonly string[] },
): JsonObject {
  const operations = rows.map((row) => [row.method, operationOf(definition, row, schemas)] as const);
  return {
    ...Object.fromEntries(operations),
    ...listed(
      "parameters",
      place.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ),
  };
}

function operationOf(definition: ResourceDefinition, row: OperationRow, schemas: OperationSchemas): JsonObject {
  const { group, version, kind, isCustom } = definition;
  const answer = row.answersList === true ? (schemas.list ?? schemas.object) : schemas.object;
  return {
    operationId: `${row.action}${version}${kind}${row.answersList === true ? "List" : ""}`,
    ...listed("parameters", row.parameters.map(queryParameter)),
    ...bodyOf(row, schemas.object, isCustom),
    responses: {
      "200": { description: "OK", content: { "application/json": { schema: answer } } },
      "401": { description: "Unauthorized" },
    },
    "x-kubernetes-action": row.action,
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
}

/** A field that is left out when it is empty. */
function listed(name: string, items: readonly JsonObject[]): JsonObject {
  return items.length === 0 ? {} : { [name]: items };
}

function queryParameter(name: string): JsonObject {
  const type = integers.has(name) ? "integer" : booleans.has(name) ? "boolean" : "string";
  return { name, in: "query", schema: { type, uniqueItems: true } };
}

function bodyOf({ method }: OperationRow, object: JsonObject, isCustom: boolean): JsonObject {
  if (method === "post" || method === "put") {
    return { requestBody: { required: true, content: { "*/*": { schema: object } } } };
  }
  if (method !== "patch") return {};
  const types = [
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    ...(isCustom ? [] : ["application/strategic-merge-patch+json"]),
  ];
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: "object" } }]));
  return { requestBody: { required: true, content } };
}
