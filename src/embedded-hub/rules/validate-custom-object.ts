import type { Json, JsonObject } from "../../core/json.ts";
import { invalid } from "../schema/field-error.ts";
import type { FieldError, Schema } from "../schema/schema.ts";
import { validateLists } from "../schema/validate-lists.ts";
import { validateBySchema } from "../schema/validate-object.ts";
import { validateEmbedded } from "../types/validate-embedded.ts";
import type { RuleTree } from "./rule-tree.ts";
import { compileRules } from "./rule-tree.ts";
import { validateRules } from "./validate-rules.ts";
import type { ScalePaths } from "./validate-scale.ts";
import { validateScale } from "./validate-scale.ts";

export interface CustomValidation {
  /** The object as it would be stored, whole. */
  readonly object: JsonObject;
  /** The object in store; absent on create. */
  readonly old?: JsonObject;
  /** The schema as the CRD has it. */
  readonly schema: Schema;
  /** True for a write of the subresource status: only that part is held to the schema. */
  readonly isStatus?: boolean;
  readonly scale?: ScalePaths;
  /** What was found in apiVersion, kind and metadata: some findings keep rules from being run. */
  readonly earlier?: readonly FieldError[];
}

export interface CustomFindings {
  /** Without the earlier ones. */
  readonly errors: readonly FieldError[];
  /** Texts for the Warning header. */
  readonly warnings: readonly string[];
}

const blocking: readonly FieldError["reason"][] = [
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
];

/** All that is wrong with a custom object besides its metadata. Source: Kubernetes, the strategy of custom resources. */
export function validateCustomObject(request: CustomValidation): CustomFindings {
  const { object, old, schema, isStatus = false, scale, earlier = [] } = request;
  const errors = [
    ...(isStatus ? validateStatus(request) : validateWhole(request)),
    ...(scale === undefined ? [] : validateScale(object, scale, isStatus)),
    ...(isStatus ? [] : validateEmbedded(object, schema)),
    ...validateListsOf(object, old, schema),
  ];
  const rules = rulesOf(schema);
  if (rules === undefined) return { errors, warnings: [] };
  if ([...earlier, ...errors].some(({ reason }) => blocking.includes(reason))) {
    const text =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return { errors: [...errors, invalid("<nil>", null, text)], warnings: [] };
  }
  const found = validateRules(rules, object, old === undefined ? {} : { old });
  return { errors: [...errors, ...found.errors], warnings: found.warnings };
}

function validateWhole({ object, old, schema }: CustomValidation): FieldError[] {
  return validateBySchema(object, schema, old === undefined ? {} : { old });
}

function validateStatus({ object, old, schema }: CustomValidation): FieldError[] {
  const status = schema.properties?.["status"];
  const value: Json | undefined = object["status"];
  if (status === undefined || value === undefined) return [];
  const oldValue = old?.["status"];
  return validateBySchema(value, status, { path: "status", ...(oldValue === undefined ? {} : { old: oldValue }) });
}

/** Items that occurred twice before the schema forbade it may stay. */
function validateListsOf(object: JsonObject, old: JsonObject | undefined, schema: Schema): FieldError[] {
  const errors = validateLists(object, schema);
  if (errors.length === 0 || old === undefined) return errors;
  return validateLists(old, schema).length > 0 ? [] : errors;
}

/** Rules are compiled once for each schema. */
const compiled = new WeakMap<Schema, { readonly tree: RuleTree | undefined }>();

function rulesOf(schema: Schema): RuleTree | undefined {
  const known = compiled.get(schema) ?? { tree: compileRules(schema) };
  compiled.set(schema, known);
  return known.tree;
}
