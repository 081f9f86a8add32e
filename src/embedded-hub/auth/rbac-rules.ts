import { objectsAt, textsAt } from "../../core/read-json.ts";
import type { RequestAttributes } from "./auth.ts";
import { quoteList } from "./go-text.ts";

/** Source: Kubernetes API, rbac.authorization.k8s.io/v1 PolicyRule. Absent lists are empty here. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The rules of a Role or ClusterRole, whatever else the object holds. */
export function rulesOf(role: unknown): readonly PolicyRule[] {
  return objectsAt(role, "rules").map((rule) => ({
    verbs: textsAt(rule, "verbs"),
    apiGroups: textsAt(rule, "apiGroups"),
    resources: textsAt(rule, "resources"),
    resourceNames: textsAt(rule, "resourceNames"),
    nonResourceURLs: textsAt(rule, "nonResourceURLs"),
  }));
}

/** True when the rule allows the request. Source: Kubernetes, plugin/pkg/auth/authorizer/rbac RuleAllows. */
export function ruleAllows(rule: PolicyRule, attributes: RequestAttributes): boolean {
  if (!holds(rule.verbs, attributes.verb)) return false;
  if (attributes.kind === "path") return rule.nonResourceURLs.some((url) => urlCovers(url, attributes.path));
  const { group, resource, subresource = "", name = "" } = attributes;
  return (
    holds(rule.apiGroups, group) &&
    resourceMatches(rule.resources, resource, subresource) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
}

/**
 * The rights in `wanted` that `held` does not give, broken down to one verb, resource and name each.
 * Source: k8s.io/component-helpers, auth/rbac/validation Covers.
 */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((right) => !held.some((rule) => covers(rule, right)));
}

/** Joins rights that differ only in their verb, as messages list them. */
export function compactRights(rights: readonly PolicyRule[]): PolicyRule[] {
  const byKey = new Map<string, PolicyRule>();
  for (const right of rights) {
    const { verbs, ...rest } = right;
    const key = right.nonResourceURLs.length > 0 ? JSON.stringify(right) : JSON.stringify(rest);
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? right : { ...known, verbs: [...known.verbs, ...verbs] });
  }
  return [...byKey.values()];
}

/** A rule as messages of kube-apiserver show it. */
export function describeRule(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const shown = parts.filter(([, values]) => values.length > 0).map(([name, values]) => `${name}:${quoteList(values)}`);
  return `{${shown.join(", ")}}`;
}

function holds(list: readonly string[], wanted: string): boolean {
  return list.includes("*") || list.includes(wanted);
}

function resourceMatches(resources: readonly string[], resource: string, subresource: string): boolean {
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  return resources.some(
    (entry) => entry === "*" || entry === combined || (subresource !== "" && entry === `*/${subresource}`),
  );
}

function urlCovers(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/u, ""));
}

function breakDown(rule: PolicyRule): PolicyRule[] {
  const none = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  const names = rule.resourceNames.length > 0 ? rule.resourceNames.map((name) => [name]) : [[]];
  const resourceRights = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((resourceNames) => ({
          ...none,
          apiGroups: [group],
          resources: [resource],
          verbs: [verb],
          resourceNames,
        })),
      ),
    ),
  );
  const urlRights = rule.nonResourceURLs.flatMap((url) =>
    rule.verbs.map((verb) => ({ ...none, nonResourceURLs: [url], verbs: [verb] })),
  );
  return [...resourceRights, ...urlRights];
}

/** `right` has at most one of everything. */
function covers(rule: PolicyRule, right: PolicyRule): boolean {
  const coversAll = (owned: readonly string[], wanted: readonly string[]) =>
    owned.includes("*") || wanted.every((item) => owned.includes(item));
  const coversResource = (resource: string) =>
    rule.resources.includes("*") ||
    rule.resources.includes(resource) ||
    (resource.includes("/") && rule.resources.includes(`*/${resource.slice(resource.indexOf("/") + 1)}`));
  const coversNames =
    rule.resourceNames.length === 0 ||
    (right.resourceNames.length > 0 && right.resourceNames.every((name) => rule.resourceNames.includes(name)));
  return (
    coversAll(rule.verbs, right.verbs) &&
    coversAll(rule.apiGroups, right.apiGroups) &&
    right.resources.every(coversResource) &&
    right.nonResourceURLs.every((url) => rule.nonResourceURLs.some((pattern) => urlCovers(pattern, url))) &&
    coversNames
  );
}
