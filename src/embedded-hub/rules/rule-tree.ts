import type { Schema } from "../schema/schema.ts";
import type { CelType } from "../../cel/cel-type.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { compileRule } from "./compile-rule.ts";
import { escapeField } from "./field-names.ts";
import { typeOfSchema } from "./schema-types.ts";

/** The rules of a schema and of all that is below it. Parts without rules are absent. */
export interface RuleTree {
  readonly schema: Schema;
  /** A resource has apiVersion, kind and metadata with any schema. */
  readonly isResource: boolean;
  readonly rules: readonly CompiledRule[];
  /** Why none of the rules can be compiled. */
  readonly fault?: string;
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly others?: RuleTree;
  readonly items?: RuleTree;
}

/** Compiles all rules of a custom kind's schema, or gives undefined when it has none. */
export function compileRules(schema: Schema): RuleTree | undefined {
  return compileNode(schema, true, typeOfSchema(schema, true));
}

function compileNode(schema: Schema, isResource: boolean, type: CelType | undefined): RuleTree | undefined {
  const rules = schema["x-kubernetes-validations"] ?? [];
  const properties = propertiesOf(schema, type);
  const others = partOf(schema.additionalProperties, elementOf(type));
  const items = partOf(schema.items, elementOf(type));
  if (rules.length === 0 && properties.size === 0 && others === undefined && items === undefined) return undefined;
  return {
    schema,
    isResource,
    rules: type === undefined ? [] : rules.map((rule) => compileRule(rule, schema, type)),
    ...(rules.length > 0 && type === undefined
      ? { fault: "failed to convert to declType for CEL validation rules" }
      : {}),
    properties,
    ...(others === undefined ? {} : { others }),
    ...(items === undefined ? {} : { items }),
  };
}

function partOf(schema: Schema | boolean | undefined, type: CelType | undefined): RuleTree | undefined {
  if (typeof schema !== "object") return undefined;
  return compileNode(schema, schema["x-kubernetes-embedded-resource"] === true, type);
}

function propertiesOf({ properties = {} }: Schema, type: CelType | undefined): ReadonlyMap<string, RuleTree> {
  const trees = new Map<string, RuleTree>();
  for (const [key, property] of Object.entries(properties)) {
    const propertyType = typeOfProperty(key, property, type);
    const tree = propertyType === undefined ? undefined : partOf(property, propertyType);
    if (tree !== undefined) trees.set(key, tree);
  }
  return trees;
}

/** Properties whose names cannot be written in expressions have a type all the same: rules below them count. */
function typeOfProperty(key: string, property: Schema, owner: CelType | undefined): CelType | undefined {
  const field = escapeField(key);
  if (field === undefined) return typeOfSchema(property, property["x-kubernetes-embedded-resource"] === true);
  return owner?.kind === "object" ? owner.fields.get(field) : undefined;
}

function elementOf(type: CelType | undefined): CelType | undefined {
  if (type?.kind === "list") return type.element;
  return type?.kind === "map" ? type.value : undefined;
}
