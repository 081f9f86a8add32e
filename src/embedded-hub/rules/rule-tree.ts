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
  readonly allOf: readonly RuleTree[];
}

/** Compiles all rules of a custom kind's schema, or gives undefined when it has none. */
export function compileRules(schema: Schema): RuleTree | undefined {
  return compileNode({ rules: schema, schema, isResource: true, type: typeOfSchema(schema, true) });
}

interface Node {
  /** Where the rules are: the schema itself or one of its allOf. */
  readonly rules: Schema;
  /** The structural schema of the value. */
  readonly schema: Schema;
  readonly isResource: boolean;
  readonly type: CelType | undefined;
}

function compileNode(node: Node): RuleTree | undefined {
  const { rules: source, schema, isResource, type } = node;
  const rules = source["x-kubernetes-validations"] ?? [];
  const fault = rules.length > 0 && type === undefined;
  const properties = propertiesOf(node);
  const others = partOf(source.additionalProperties, schema.additionalProperties, elementOf(type));
  const items = partOf(source.items, schema.items, elementOf(type));
  const allOf = (source.allOf ?? []).flatMap((part) => compileNode({ ...node, rules: part }) ?? []);
  const isEmpty = rules.length === 0 && properties.size === 0 && others === undefined && items === undefined;
  if (isEmpty && allOf.length === 0) return undefined;
  return {
    schema,
    isResource,
    rules: type === undefined ? [] : rules.map((rule) => compileRule(rule, schema, type)),
    ...(fault ? { fault: "failed to convert to declType for CEL validation rules" } : {}),
    properties,
    ...(others === undefined ? {} : { others }),
    ...(items === undefined ? {} : { items }),
    allOf,
  };
}

function partOf(
  source: Schema | boolean | undefined,
  schema: Schema | boolean | undefined,
  type: CelType | undefined,
): RuleTree | undefined {
  if (typeof source !== "object" || typeof schema !== "object") return undefined;
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  return compileNode({ rules: source, schema, isResource, type });
}

function propertiesOf({ rules, schema, type }: Node): ReadonlyMap<string, RuleTree> {
  const trees = new Map<string, RuleTree>();
  for (const [key, source] of Object.entries(rules.properties ?? {})) {
    const property =
      schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (property === undefined) continue;
    const propertyType = typeOfProperty(key, property, type);
    const tree = propertyType === undefined ? undefined : partOf(source, property, propertyType);
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
