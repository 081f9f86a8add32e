// File kinds -> one schema for every YAML file of a repository, for editors. In draft-07, which all of them know.
import { toStrictSchema } from "./strict-schemas.mjs";

/** One schema that checks a document by its kind and leaves documents of other groups alone. */
export function toEditorSchema(kinds, fragments) {
  const files = kinds.filter((schema) => schema["x-rollcall"].in === "file");
  const apiVersions = [...new Set(files.flatMap((schema) => schema.properties.apiVersion.enum))];
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "https://rollcall.dev/schemas/v1alpha1/rollcall.schema.json",
    title: "Rollcall",
    description: "Files of a repository that Rollcall reads.",
    type: "object",
    properties: {
      apiVersion: { description: "Version of the kind.", type: "string", examples: apiVersions },
      kind: { description: "The kind of the object.", type: "string", examples: files.map((schema) => schema.title) },
    },
    allOf: [
      ...files.map((schema) => ({
        if: {
          required: ["apiVersion", "kind"],
          // Not by enum: yaml-language-server would complete the fields of every kind whose name begins with the typed one.
          properties: {
            apiVersion: schema.properties.apiVersion,
            kind: { type: "string", pattern: `^${schema.title}$` },
          },
        },
        then: { $ref: `#/definitions/${schema.title}` },
      })),
      {
        if: { required: ["apiVersion"], properties: { apiVersion: { enum: apiVersions } } },
        then: { required: ["kind"], properties: { kind: { enum: files.map((schema) => schema.title) } } },
      },
    ],
    definitions: Object.fromEntries(
      files.map((schema) => [schema.title, withoutIds(toStrictSchema(schema, fragments))]),
    ),
  };
}

function withoutIds({ $schema: _dialect, $id: _id, ...schema }) {
  return schema;
}
