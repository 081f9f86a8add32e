import { compileCel } from "../cel/cel.ts";
import type { CelProgram } from "../cel/cel.ts";
import { dyn } from "../cel/cel-type.ts";
import { celOfJson } from "../cel/json-values.ts";
import { AppError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { SchemaFinding } from "./schema-finding.ts";
import { describePath } from "./schema-finding.ts";
import type { DocumentPath } from "./yaml-document.ts";

interface Rule {
  readonly program: CelProgram;
  readonly message: string;
}

/** A part of a schema: its rules, and where further ones are. */
interface RuleNode {
  readonly rules: readonly Rule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly items: RuleNode | undefined;
}

/**
 * Checks `x-kubernetes-validations` of a schema. Parts of the document that break their schema at or below themselves
 * (`broken`) are left out: their rules may not be evaluated on values of the wrong type or size.
 */
export type RuleChecker = (
  document: JsonObject,
  schema: JsonObject,
  broken: readonly DocumentPath[],
) => readonly SchemaFinding[];

/** Of one rule on one value. Source: Kubernetes, PerCallLimit. */
const maximumUnits = 1_000_000;

interface Visit {
  readonly broken: readonly DocumentPath[];
  readonly findings: SchemaFinding[];
}

/** A checker that reads each schema's rules once. Source: Kubernetes, CRD validation rules. */
export function createRuleChecker(): RuleChecker {
  const roots = new WeakMap<JsonObject, RuleNode>();

  function nodeOf(schema: JsonObject): RuleNode | undefined {
    const { properties, items } = schema;
    const parts = isJsonObject(properties) ? Object.entries(properties) : [];
    const node: RuleNode = {
      rules: rulesOf(schema).map(({ rule, message }) => ({ program: programOf(rule), message })),
      properties: new Map(
        parts.flatMap(([name, part]) => {
          const inner = isJsonObject(part) ? nodeOf(part) : undefined;
          return inner === undefined ? [] : [[name, inner] as const];
        }),
      ),
      items: isJsonObject(items) ? nodeOf(items) : undefined,
    };
    return node.rules.length > 0 || node.properties.size > 0 || node.items !== undefined ? node : undefined;
  }

  function rootOf(schema: JsonObject): RuleNode {
    const known = roots.get(schema);
    if (known !== undefined) return known;
    const root = nodeOf(schema) ?? { rules: [], properties: new Map(), items: undefined };
    roots.set(schema, root);
    return root;
  }

  return (document, schema, broken) => {
    const findings: SchemaFinding[] = [];
    check(document, rootOf(schema), [], { broken, findings });
    return findings;
  };
}

function check(value: Json | undefined, node: RuleNode, path: DocumentPath, visit: Visit): void {
  if (value === null || value === undefined) return;
  if (node.rules.length > 0 && !isBrokenAt(path, visit.broken)) {
    for (const rule of node.rules) {
      if (!holds(rule, value)) visit.findings.push(brokenRule(path, rule.message));
    }
  }
  if (isJsonObject(value)) {
    for (const [name, part] of node.properties) {
      if (Object.hasOwn(value, name)) check(value[name], part, [...path, name], visit);
    }
  } else if (Array.isArray(value) && node.items !== undefined) {
    const { items } = node;
    // The isArray of TypeScript does not know lists that cannot be changed.
    (value as readonly Json[]).forEach((item, index) => check(item, items, [...path, index], visit));
  }
}

function isBrokenAt(path: DocumentPath, broken: readonly DocumentPath[]): boolean {
  return broken.some((other) => path.every((step, index) => String(step) === other[index]));
}

/** As on an API server: a rule that cannot be evaluated on the value, or that costs too much, refuses it. */
function holds({ program }: Rule, self: Json): boolean {
  const outcome = program.run({ self: celOfJson(self) }, maximumUnits);
  return outcome.kind === "value" && outcome.value === true;
}

/** @throws E_BUG: the schemas are part of this program */
function programOf(rule: string): CelProgram {
  const compiled = compileCel(rule, { variables: { self: dyn } });
  if (compiled.kind === "program") return compiled;
  throw new AppError("E_BUG", `the rule ${JSON.stringify(rule)} of a schema does not compile: ${compiled.message}`);
}

function brokenRule(path: DocumentPath, message: string): SchemaFinding {
  // Rules of a field name it themselves, by its path or its last part.
  const name = describePath(path);
  const last = String(path.at(-1) ?? "");
  const isNamed = message.startsWith(last) || message.startsWith(name);
  return { code: "E_SCHEMA", path, part: "key", message: isNamed ? message : `${name}: ${message}` };
}

function rulesOf(schema: JsonObject): { rule: string; message: string }[] {
  const rules = schema["x-kubernetes-validations"];
  if (!Array.isArray(rules)) return [];
  return (rules as readonly Json[]).flatMap((item) => {
    if (!isJsonObject(item) || typeof item["rule"] !== "string") return [];
    const { rule, message } = item;
    return [{ rule, message: typeof message === "string" ? message : `must satisfy ${rule}` }];
  });
}
