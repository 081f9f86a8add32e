import type { ErrorObject, Options, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonObject } from "../core/json.ts";
import { foreignFileSchemas } from "../model/generated/foreign-schemas.ts";
import type { FileKind, StrictSchema } from "../model/generated/schemas.ts";
import { fileSchemas } from "../model/generated/schemas.ts";
import { createRuleChecker } from "./check-rules.ts";
import { explainSchemaErrors } from "./explain-schema-error.ts";
import type { SchemaFinding } from "./schema-finding.ts";
import { pathOfPointer } from "./schema-finding.ts";

/** Returns the faults of a document of one of our kinds; none when it fits its schema. */
export type DocumentValidator = SchemaValidator<FileKind>;

/** Returns the faults of a document, by the name of its schema. */
export type SchemaValidator<Name extends string> = (name: Name, object: JsonObject) => readonly SchemaFinding[];

/** Keywords of Kubernetes' structural schemas. check-rules.ts checks the rules in CEL; the others have no effect here. */
const extensionKeywords = [
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
];

/** The faults of a document of our own kinds. One for the process: to compile the schemas takes 30 ms. */
export const validateDocument: DocumentValidator = createSchemaValidator((kind) => fileSchemas[kind]);

/** The faults of a document of another project, by `<apiVersion> <kind>`. */
export const validateForeignDocument: SchemaValidator<string> = createSchemaValidator((name) => {
  const schema = Object.hasOwn(foreignFileSchemas, name) ? foreignFileSchemas[name] : undefined;
  if (schema === undefined) throw new Error(`no schema for ${name}`);
  return schema;
});

/**
 * A validator by the schemas of files. Each kind's schema is compiled when its first document comes, to accept or refuse it
 * quickly, and again when a document is first refused, to report every error. Rules in CEL are checked on those parts of
 * a document that fit their schema otherwise, as an API server does.
 */
function createSchemaValidator<Name extends string>(schemaOf: (name: Name) => StrictSchema): SchemaValidator<Name> {
  const accepts = compileLazily(schemaOf, { messages: false });
  const listErrors = compileLazily(schemaOf, { allErrors: true, verbose: true });
  const checkRules = createRuleChecker();

  return (name, object) => {
    const schema: JsonObject = schemaOf(name);
    const errors = accepts(name)(object) ? [] : errorsOf(listErrors(name), object);
    const findings = errors.length === 0 ? [] : explainSchemaErrors(errors, schema);
    const broken = errors.map((error) => pathOfPointer(error.instancePath));
    const rules = checkRules(object, schema, broken);
    return rules.length === 0 ? findings : [...findings, ...rules];
  };
}

function errorsOf(validate: ValidateFunction, object: JsonObject): readonly ErrorObject[] {
  return validate(object) ? [] : (validate.errors ?? []);
}

function compileLazily<Name extends string>(
  schemaOf: (name: Name) => StrictSchema,
  options: Options,
): (name: Name) => ValidateFunction {
  let ajv: Ajv2020 | undefined;
  const compiled = new Map<Name, ValidateFunction>();
  return (name) => {
    const known = compiled.get(name);
    if (known !== undefined) return known;
    ajv ??= createAjv(options);
    const validate = ajv.compile(schemaOf(name));
    compiled.set(name, validate);
    return validate;
  };
}

function createAjv(options: Options): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    ownProperties: true,
    discriminator: true,
    // Our own schemas were evaluated when they were made: evaluating them again takes longer than compiling them.
    validateSchema: false,
    meta: false,
    code: { optimize: false },
    ...options,
  });
  addFormats.default(ajv);
  // The package takes any whole number; an API server refuses what 64 bits cannot hold.
  ajv.addFormat("int64", { type: "number", validate: (value) => value >= -(2 ** 63) && value < 2 ** 63 });
  ajv.addVocabulary(extensionKeywords);
  return ajv;
}
