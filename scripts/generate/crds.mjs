// Kinds -> CustomResourceDefinitions with structural schemas.
import { dereference, isObject, mapSchema } from "./load-schemas.mjs";

/** Keywords of JSON Schema that an API server does not know, and those of our own. */
const dropped = ["$schema", "$id", "title", "examples", "propertyNames", "x-rollcall"];
/** What must not be in a source schema, because JSON Schema and CRDs cannot both express it. */
const refused = ["if", "then", "else", "const", "patternProperties", "oneOf", "allOf", "not", "uniqueItems"];

/** The CRD of a kind that has one. */
export function toCrd(schema, fragments) {
  const { crd } = schema["x-rollcall"];
  const versions = schema.properties.apiVersion.enum.map((apiVersion) => apiVersion.split("/"));
  const group = versions[0][0];
  const kind = schema.title;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${crd.plural}.${group}`, labels: { "app.kubernetes.io/part-of": "rollcall" } },
    spec: {
      group,
      scope: crd.scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural: crd.plural,
        singular: crd.singular,
        ...(crd.shortNames.length > 0 ? { shortNames: crd.shortNames } : {}),
        categories: crd.categories,
      },
      conversion: { strategy: "None" },
      // The first is what is stored; the others are served with the same fields.
      versions: versions.map(([, name], index) => ({
        name,
        served: true,
        storage: index === 0,
        ...(crd.hasStatus ? { subresources: { status: {} } } : {}),
        additionalPrinterColumns: crd.columns,
        schema: { openAPIV3Schema: toStructuralRoot(dereference(schema, fragments)) },
      })),
    },
  };
}

function toStructuralRoot(schema) {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...fields } = schema.properties;
  const { type, pattern, maxLength } = metadata.properties.name;
  const structural = mapSchema({ ...schema, properties: fields }, toStructural);
  return {
    ...structural,
    required: schema.required.filter((name) => name in fields),
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object", properties: { name: { type, pattern, maxLength } } },
      ...structural.properties,
    },
  };
}

function toStructural(schema) {
  const bad = refused.find((keyword) => keyword in schema);
  if (bad !== undefined) throw new Error(`${bad} cannot be in a CRD: ${schema.description}`);
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !dropped.includes(keyword)));
  if (kept.additionalProperties !== undefined && !isObject(kept.additionalProperties)) delete kept.additionalProperties;
  if (Array.isArray(kept.type)) {
    kept.nullable = kept.type.includes("null");
    kept.type = kept.type.find((type) => type !== "null");
  }
  return kept["x-kubernetes-int-or-string"] ? toIntOrString(kept) : kept;
}

/** The only form of anyOf that a structural schema may have; the bounds of the text move beside it. */
function toIntOrString({ anyOf, ...schema }) {
  const { pattern, maxLength } = anyOf.find((part) => part.type === "string");
  return { ...schema, anyOf: [{ type: "integer" }, { type: "string" }], pattern, maxLength };
}
