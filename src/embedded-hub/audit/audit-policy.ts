import { AppError } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { readYamlDocument } from "../../core/yaml/read-document.ts";

const auditLevels = ["None", "Metadata", "Request", "RequestResponse"] as const;
const auditStages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;
export type AuditLevel = (typeof auditLevels)[number];
export type AuditStage = (typeof auditStages)[number];

export interface AuditResources {
  /** Empty: the core group. */
  readonly group: string;
  /** `pods`, `pods/log`, `pods/*`, `*` followed by `/scale`, or `*`. Empty: all. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** An empty list matches everything. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly AuditResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  /** Of the policy too. */
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

/** The first rule that matches decides; a request that none matches is not recorded. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
}

const noRule = { users: [], userGroups: [], verbs: [], resources: [], namespaces: [], nonResourceURLs: [] } as const;

/** Every request with its user and its answer's code, without bodies. */
export const metadataPolicy: AuditPolicy = {
  rules: [{ ...noRule, level: "Metadata", omitStages: ["RequestReceived"], omitManagedFields: false }],
};

/**
 * Reads a file of kind Policy, group audit.k8s.io/v1. Unlike kube-apiserver it refuses unknown fields.
 * @throws E_USAGE with the place of the first mistake
 */
export function parseAuditPolicy(text: string, file: string): AuditPolicy {
  const refuse = (problem: string): AppError => new AppError("E_USAGE", `the audit policy ${file}: ${problem}`);
  const { value, problem, line } = { line: 0, ...readYamlDocument(text) };
  if (problem !== undefined) throw refuse(`line ${line}: ${problem}`);
  const policy = fieldsOf(value, "", refuse, policyFields);
  if (policy["apiVersion"] !== "audit.k8s.io/v1" || policy["kind"] !== "Policy") {
    throw refuse("it must have apiVersion: audit.k8s.io/v1 and kind: Policy");
  }
  const rules = itemsOf(policy["rules"], "rules", refuse);
  if (rules.length === 0) throw refuse("rules: it must have at least one rule");
  const omitStages = stagesOf(policy["omitStages"], "omitStages", refuse);
  const omitManagedFields = flagOf(policy["omitManagedFields"], "omitManagedFields", refuse) ?? false;
  return {
    rules: rules.map((rule, index) => parseRule(rule, `rules[${index}]`, { omitStages, omitManagedFields }, refuse)),
  };
}

type Refuse = (problem: string) => AppError;

const policyFields = ["apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"];
const ruleFields = [...Object.keys(noRule), "level", "omitStages", "omitManagedFields"];
const resourceFields = ["group", "resources", "resourceNames"];

function parseRule(
  value: Json,
  path: string,
  common: Pick<AuditRule, "omitStages" | "omitManagedFields">,
  refuse: Refuse,
): AuditRule {
  const rule = fieldsOf(value, path, refuse, ruleFields);
  const texts = (name: string): readonly string[] => textsOf(rule[name], `${path}.${name}`, refuse);
  const nonResourceURLs = texts("nonResourceURLs");
  for (const [index, url] of nonResourceURLs.entries()) checkUrl(url, `${path}.nonResourceURLs[${index}]`, refuse);
  const namespaces = texts("namespaces");
  const resources = itemsOf(rule["resources"], `${path}.resources`, refuse).map((item, index) =>
    parseResources(item, `${path}.resources[${index}]`, refuse),
  );
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    throw refuse(`${path}.nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs`);
  }
  return {
    level: memberOf(rule["level"], auditLevels, `${path}.level`, refuse),
    users: texts("users"),
    userGroups: texts("userGroups"),
    verbs: texts("verbs"),
    resources,
    namespaces,
    nonResourceURLs,
    omitStages: [...common.omitStages, ...stagesOf(rule["omitStages"], `${path}.omitStages`, refuse)],
    omitManagedFields:
      flagOf(rule["omitManagedFields"], `${path}.omitManagedFields`, refuse) ?? common.omitManagedFields,
  };
}

function parseResources(value: Json, path: string, refuse: Refuse): AuditResources {
  const item = fieldsOf(value, path, refuse, resourceFields);
  const { group = "" } = item;
  if (typeof group !== "string" || /[/A-Z]/u.test(group)) {
    throw refuse(`${path}.group: it must be the name of a group without a version`);
  }
  const resources = textsOf(item["resources"], `${path}.resources`, refuse);
  const resourceNames = textsOf(item["resourceNames"], `${path}.resourceNames`, refuse);
  if (resourceNames.length > 0 && resources.length === 0) {
    throw refuse(`${path}.resourceNames: using resourceNames requires at least one resource`);
  }
  return { group, resources, resourceNames };
}

function checkUrl(url: string, path: string, refuse: Refuse): void {
  if (url === "*") return;
  if (!url.startsWith("/")) throw refuse(`${path}: non-resource URL rules must begin with a '/' character`);
  if (url.slice(0, -1).includes("*")) {
    throw refuse(`${path}: non-resource URL wildcards '*' must be the final character of the rule`);
  }
}

function fieldsOf(value: Json, path: string, refuse: Refuse, known: readonly string[]): JsonObject {
  const place = path === "" ? "" : `${path}: `;
  if (!isJsonObject(value)) throw refuse(`${place}it must be a map`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw refuse(`${place}unknown field ${JSON.stringify(unknown)}`);
  return value;
}

function itemsOf(value: Json | undefined, path: string, refuse: Refuse): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw refuse(`${path}: it must be a list`);
  return value as readonly Json[];
}

function textsOf(value: Json | undefined, path: string, refuse: Refuse): readonly string[] {
  return itemsOf(value, path, refuse).map((item, index) => {
    if (typeof item !== "string") throw refuse(`${path}[${index}]: it must be a text`);
    return item;
  });
}

function stagesOf(value: Json | undefined, path: string, refuse: Refuse): readonly AuditStage[] {
  return itemsOf(value, path, refuse).map((item, index) => memberOf(item, auditStages, `${path}[${index}]`, refuse));
}

function memberOf<T extends string>(value: Json | undefined, known: readonly T[], path: string, refuse: Refuse): T {
  const member = known.find((each) => each === value);
  if (member === undefined) throw refuse(`${path}: it must be one of ${known.join(", ")}`);
  return member;
}

function flagOf(value: Json | undefined, path: string, refuse: Refuse): boolean | undefined {
  if (value !== undefined && typeof value !== "boolean") throw refuse(`${path}: it must be true or false`);
  return value;
}
