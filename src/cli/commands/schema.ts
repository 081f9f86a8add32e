import { AppError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { editorSchema } from "../../manifests/editor-schema.ts";
import { fileSchemas, recordSchemas } from "../../model/generated/schemas.ts";
import { allKindNames } from "../../model/kind-names.ts";
import type { PlainContext } from "./command-context.ts";

/**
 * `rollcall schema [kind]`: the JSON Schema of one kind, or one for every file of a repository, for editors and checks
 * elsewhere. @throws E_USAGE for a kind that there is none of
 */
export function runSchema({ args, stdout }: Pick<PlainContext, "args" | "stdout">): Promise<number> {
  const [kind] = args;
  stdout.write(
    `${JSON.stringify(kind === undefined ? { ...editorSchema(), $schema: "https://json-schema.org/draft/2020-12/schema" } : schemaOf(kind), undefined, 2)}\n`,
  );
  return Promise.resolve(0);
}

const schemas: Readonly<Record<string, object>> = { ...fileSchemas, ...recordSchemas };

function schemaOf(kind: string): object {
  const schema = Object.hasOwn(schemas, kind) ? schemas[kind] : undefined;
  if (schema !== undefined) return schema;
  if (allKindNames.some((known) => known.kind === kind)) {
    throw new AppError(
      "E_USAGE",
      `no file has kind ${kind}, it is on the hub alone: rollcall explain ${kind} describes it`,
    );
  }
  const near = nearestName(kind, Object.keys(schemas));
  throw new AppError(
    "E_USAGE",
    `there is no kind ${kind}${near ? `, did you mean ${near}?` : `; there are ${Object.keys(schemas).join(", ")}`}`,
  );
}
