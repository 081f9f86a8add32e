import { forbidden, indexPath } from "../schema/field-error.ts";
import type { FieldError, Schema } from "../schema/schema.ts";
import { estimateCost } from "./estimate-cost.ts";
import { largestRequestBytes, minSizeOf } from "./schema-sizes.ts";
import { typeOfSchema } from "./schema-types.ts";

const ruleLimit = 10_000_000;
const schemaLimit = 100_000_000;
/** Rules that are named when all together cost too much. */
const mostNamed = 4;

interface Place {
  readonly path: string;
  readonly isResource: boolean;
  /** How many values an object can have here; undefined without a bound above. */
  readonly cardinality: number | undefined;
}

interface RuleCost {
  readonly path: string;
  readonly cost: number;
}

/**
 * The rules of a sound schema that could cost too much, each by itself and all together. An estimate here is at most that
 * of kube-apiserver: what that takes is not refused. Source: Kubernetes, validation of CustomResourceDefinitions.
 */
export function validateRuleCosts(schema: Schema, path: string): FieldError[] {
  const costs = costsOf(schema, { path, isResource: true, cardinality: 1 });
  const errors = costs
    .filter(({ cost }) => cost > ruleLimit)
    .map((rule) => forbidden(rule.path, describeCost("estimated rule cost", rule.cost / ruleLimit)));
  const total = costs.reduce((sum, { cost }) => sum + cost, 0);
  if (total <= schemaLimit) return errors;
  const expensive = costs.filter(({ cost }) => cost >= schemaLimit / 100).sort((a, b) => b.cost - a.cost);
  const contribution = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const all = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  return [
    ...errors,
    ...expensive.slice(0, mostNamed).map((rule) => forbidden(rule.path, contribution)),
    forbidden(path, describeCost(all, total / schemaLimit)),
  ];
}

function describeCost(what: string, factor: number): string {
  const text = factor > 100 ? "more than 100x" : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  const remedy =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${what} exceeds budget by factor of ${text} (${remedy})`;
}

/** Of the schema and all below it, the innermost first. */
function costsOf(schema: Schema, place: Place): RuleCost[] {
  const { additionalProperties, properties = {}, items } = schema;
  const repetition = repetitionOf(schema);
  const cardinality =
    place.cardinality === undefined || repetition === undefined ? undefined : place.cardinality * repetition;
  const inner = (part: Schema, path: string): RuleCost[] =>
    costsOf(part, {
      path: `${place.path}.${path}`,
      isResource: part["x-kubernetes-embedded-resource"] === true,
      cardinality,
    });
  return [
    ...(typeof additionalProperties === "object" ? inner(additionalProperties, "additionalProperties") : []),
    ...Object.entries(properties).flatMap(([key, property]) => inner(property, `properties[${key}]`)),
    ...(items === undefined ? [] : inner(items, "items")),
    ...ownCosts(schema, place),
  ];
}

function ownCosts(schema: Schema, { path, isResource, cardinality }: Place): RuleCost[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  const self = rules.length === 0 ? undefined : typeOfSchema(schema, isResource);
  if (self === undefined) return [];
  const times = cardinality ?? Math.floor(largestRequestBytes / (minSizeOf(schema, isResource) + 1));
  return rules.map(({ rule, optionalOldSelf }, index) => {
    const oldSelf = optionalOldSelf === true ? ({ kind: "optional", value: self } as const) : self;
    const cost = estimateCost(rule, { variables: { self, oldSelf }, self: schema, isResource });
    return { path: `${indexPath(`${path}.x-kubernetes-validations`, index)}.rule`, cost: cost * times };
  });
}

/** How many values are below one of the schema; undefined when it sets no bound. */
function repetitionOf({ type, additionalProperties, maxProperties, maxItems }: Schema): number | undefined {
  if (type === "array") return maxItems;
  if (type === "object" && additionalProperties !== undefined) return maxProperties;
  return 1;
}
