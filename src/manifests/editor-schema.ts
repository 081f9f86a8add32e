import type { JsonObject } from "../core/json.ts";
import { fileSchemas } from "../model/generated/schemas.ts";

/** Where a repository keeps the schema for editors: they need no network, and another version of it is a change of a file. */
export const editorSchemaPath = ".vscode/rollcall.schema.json";
/** Where it is published, for files of a repository that does not have it. */
export const publishedSchema = "https://rollcall.dev/schemas/v1alpha1/rollcall.schema.json";

/**
 * One JSON Schema for every file of a repository, in draft-07, which every editor knows. A document is checked by its kind, and
 * is offered the fields of its kind alone; documents of other projects fit.
 */
export function editorSchema(): JsonObject {
  const schemas = Object.entries(fileSchemas);
  const kinds = schemas.map(([kind]) => kind);
  const apiVersion = "rollcall.dev/v1alpha1";
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "https://rollcall.dev/schemas/v1alpha1/files.schema.json",
    title: "Rollcall",
    description: "Files of a repository that Rollcall reads.",
    type: "object",
    properties: {
      apiVersion: { description: "Version of the kind.", type: "string", examples: [apiVersion] },
      kind: { description: "The kind of the object.", type: "string", examples: kinds },
    },
    allOf: [
      ...schemas.map(([kind, { $schema: _dialect, $id: _id, ...schema }]) => ({
        if: {
          // Not by const: yaml-language-server would complete the fields of every kind whose name begins with the typed one.
          properties: { apiVersion: { const: apiVersion }, kind: { type: "string", pattern: `^${kind}$` } },
          required: ["apiVersion", "kind"],
        },
        then: schema,
      })),
      {
        if: { properties: { apiVersion: { const: apiVersion } }, required: ["apiVersion"] },
        then: { properties: { kind: { enum: kinds } }, required: ["kind"] },
      },
    ],
  };
}

/** The schema as the text of its file in a repository. */
export const editorSchemaText = (): string => `${JSON.stringify(editorSchema(), undefined, 2)}\n`;
