// Kinds of other projects -> self-contained JSON Schemas that refuse what the project's own API refuses in a file.
import { dereference, mapSchema } from "./load-schemas.mjs";
import { toStrictSchema } from "./strict-schemas.mjs";

/** Strict schemas by `<apiVersion> <kind>`, of the kinds that a repository's files may hold. */
export function foreignFileSchemas(schemas, fragments) {
  return schemas
    .filter((schema) => schema["x-rollcall"].isInFiles)
    .flatMap((schema) =>
      schema.properties.apiVersion.enum.map((apiVersion) => [
        `${apiVersion} ${schema.title}`,
        toFileSchema(schema, { apiVersion, fragments }),
      ]),
    );
}

function toFileSchema(schema, { apiVersion, fragments }) {
  const served = mapSchema(schema, (part) => toServed(part, apiVersion));
  const properties = {
    ...served.properties,
    apiVersion: { ...served.properties.apiVersion, enum: [apiVersion] },
    metadata: metadataOf(schema["x-rollcall"].crd.scope === "Namespaced"),
  };
  const whole = dereference({ ...served, "x-rollcall": { in: "file" }, properties }, fragments);
  const strict = toStrictSchema(whole, fragments);
  // What `kubectl get` prints may be in a file: the API ignores a status in what is created.
  const $id = `https://rollcall.dev/schemas/files/${apiVersion}/${schema.title}`;
  return { ...strict, $id, properties: { ...strict.properties, status: { description: "Ignored." } } };
}

/** One version's properties. Rules about the former object do not apply to a file. */
function toServed(schema, apiVersion) {
  const served = { ...schema };
  if (served.properties) {
    served.properties = Object.fromEntries(
      Object.entries(served.properties).filter(
        ([, part]) => part["x-rollcall"]?.versions?.includes(apiVersion) !== false,
      ),
    );
  }
  const rules = served["x-kubernetes-validations"]?.filter(({ rule }) => !rule.includes("oldSelf"));
  if (rules !== undefined) served["x-kubernetes-validations"] = rules;
  return served;
}

/** ObjectMeta, without what only the API server or controllers write. */
function metadataOf(isNamespaced) {
  const name = {
    description: "Name of the object.",
    type: "string",
    pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    minLength: 1,
    maxLength: 253,
  };
  const namespace = { $ref: "name.schema.json", description: "Namespace of the object." };
  return {
    description: "Name, place, labels and annotations of the object.",
    type: "object",
    required: ["name"],
    properties: {
      name,
      ...(isNamespaced ? { namespace } : {}),
      labels: { $ref: "labels.schema.json", type: ["object", "null"] },
      annotations: {
        description: "Annotations of the object.",
        type: ["object", "null"],
        additionalProperties: { description: "Text of the annotation.", type: "string" },
      },
      creationTimestamp: { description: "Ignored.", type: ["string", "null"], format: "date-time" },
      uid: { description: "Ignored.", type: "string" },
      resourceVersion: { description: "Ignored: the hub has its own.", type: "string" },
      selfLink: { description: "Ignored.", type: "string" },
      managedFields: { description: "Ignored.", type: "array", items: { description: "Ignored." } },
      generation: { description: "Ignored.", type: "integer", format: "int64" },
    },
  };
}
