import { appendAll } from "../../core/append-all.ts";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { validateCustomObject } from "../rules/validate-custom-object.ts";
import type { HookContext, ResourceDefinition } from "../operations/resource-definition.ts";
import { invalid } from "../schema/field-error.ts";
import type { FieldError, Schema } from "../schema/schema.ts";
import { asJson } from "../metadata/kube-json.ts";

export interface ObjectValidation {
  readonly object: KubeObject;
  /** Absent on create. */
  readonly old?: KubeObject;
  readonly context: HookContext;
  /** What is wrong with the metadata. */
  readonly earlier: readonly FieldError[];
}

/** All that is wrong with an object: the earlier findings and those of its kind. */
export async function validateObject(
  definition: ResourceDefinition,
  validation: ObjectValidation,
): Promise<readonly FieldError[]> {
  const { object, old, context, earlier } = validation;
  const { validate, verify, validatesMetadataLast = false } = definition.hooks;
  const verified = verify === undefined ? [] : await verify(object, old);
  const ofKind = [...verified, ...(validate?.(object, old, context) ?? [])];
  if (validatesMetadataLast && old === undefined && ofKind.length > 0) return ofKind;
  const { structuralSchema } = definition;
  if (structuralSchema === undefined) return [...earlier, ...ofKind];
  const custom = validateCustom(definition, structuralSchema, validation);
  return [...earlier, ...ofKind, ...custom];
}

function validateCustom(
  definition: ResourceDefinition,
  schema: Schema,
  { object, old, context, earlier }: ObjectValidation,
): readonly FieldError[] {
  const { kind, subresources } = definition;
  const apiVersion = apiVersionOf(definition);
  const ofType = [
    ...(object.kind === kind ? [] : [invalid("kind", object.kind, `must be ${kind}`)]),
    ...(object.apiVersion === apiVersion ? [] : [invalid("apiVersion", object.apiVersion, `must be ${apiVersion}`)]),
  ];
  if (ofType.length > 0) return ofType;
  const scale = subresources.find((subresource) => subresource.scale !== undefined)?.scale;
  const { errors, warnings } = validateCustomObject({
    object: asJson(object),
    schema,
    isStatus: context.subresource === "status",
    earlier,
    ...(old === undefined ? {} : { old: asJson(old) }),
    ...(scale === undefined ? {} : { scale }),
  });
  appendAll(context.warnings, warnings);
  return errors;
}
