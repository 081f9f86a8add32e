// schemas/page-api.openapi.yaml -> types of the page's answers, and the document that is served.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "json-schema-to-typescript";
import { parse } from "yaml";
import { format } from "./format.mjs";

/** Text by path: the types, and the document as a constant. */
export async function renderPageApi({ schemasFolder, typesFolder, codeHeader }) {
  const document = parse(readFileSync(join(schemasFolder, "page-api.openapi.yaml"), "utf8"));
  for (const schema of Object.values(document.components.schemas)) {
    if (schema.properties !== undefined) schema.additionalProperties = false;
  }
  return new Map([
    [`${typesFolder}/page-api.ts`, await typesText(document.components.schemas, codeHeader)],
    [`${typesFolder}/page-api-document.ts`, documentText(document, codeHeader)],
  ]);
}

async function typesText(schemas, codeHeader) {
  const definitions = JSON.parse(JSON.stringify(schemas).replaceAll("#/components/schemas/", "#/definitions/"));
  const text = await compile({ definitions, type: "object", additionalProperties: false }, "Everything", {
    additionalProperties: false,
    bannerComment: "",
    declareExternallyReferenced: true,
    format: false,
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: true,
  });
  const formatted = await format("page-api.ts", `${codeHeader}\n\n${text}`);
  return formatted
    .replace(/^export interface Everything \{\}\n/mu, "")
    .replaceAll(
      /^( *)\*\n\1\* This interface was referenced by `Everything`'s JSON-Schema\n\1\* via the `definition` "\w+"\.\n/gmu,
      "",
    );
}

function documentText(document, codeHeader) {
  return `${codeHeader}
import type { JsonObject } from "../../core/json.ts";

/** The OpenAPI document of what the page is made from; served as /api/v1/openapi.json. */
export const pageApiDocument: JsonObject = ${JSON.stringify(document, undefined, 2)};
`;
}
