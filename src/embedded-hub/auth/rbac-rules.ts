import { objectsAt, textsAt } from "../../core/read-json.ts";
import type { RequestAttributes } from "./auth.ts";
import { quoteList } from "../../core/formats/go-text.ts";
import { trimEndOf } from "../../core/trim-characters.ts";

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

/** More single rights than this are not compared one by one: a rule of 4 lists has as many as their product. */
const mostRights = 2_000;

/**
 * The rights in `wanted` that `held` does not give, broken down to one verb, resource and name each; whole rules of
 * `wanted` where that would be too many, which then must each be covered by one rule of `held`.
 * Source: k8s.io/component-helpers, auth/rbac/validation Covers.
 */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const holders = held.map(holderOf);
  const rights = wanted.filter((rule) => !holders.some((holder) => coversWhole(holder, rule)));
  const count = rights.reduce((sum, rule) => sum + rightCount(rule), 0);
  if (count * held.length > mostRights * 100 || count > mostRights) return rights;
  return rights.flatMap(breakDown).filter((right) => !holders.some((holder) => coversWhole(holder, right)));
}

function rightCount({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const ofResources = apiGroups.length * resources.length * verbs.length * Math.max(1, resourceNames.length);
  return ofResources + nonResourceURLs.length * verbs.length;
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
  return pattern.endsWith("*") && path.startsWith(trimEndOf(pattern, "*"));
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

interface Holder {
  readonly rule: PolicyRule;
  readonly verbs: ReadonlySet<string>;
  readonly apiGroups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly urls: ReadonlySet<string>;
  /** What is in front of the `*` of URLs, and how long: a URL is not compared with each of them. */
  readonly urlPrefixes: ReadonlySet<string>;
  readonly prefixLengths: ReadonlySet<number>;
}

function holderOf(rule: PolicyRule): Holder {
  const urlPrefixes = rule.nonResourceURLs.filter((url) => url.endsWith("*")).map((url) => trimEndOf(url, "*"));
  return {
    rule,
    verbs: new Set(rule.verbs),
    apiGroups: new Set(rule.apiGroups),
    resources: new Set(rule.resources),
    names: new Set(rule.resourceNames),
    urls: new Set(rule.nonResourceURLs),
    urlPrefixes: new Set(urlPrefixes),
    prefixLengths: new Set(urlPrefixes.map(({ length }) => length)),
  };
}

/** True when one rule gives all that `wanted` asks for. */
function coversWhole(holder: Holder, wanted: PolicyRule): boolean {
  const { verbs, apiGroups, resources, names, urls, urlPrefixes, prefixLengths } = holder;
  const coversAll = (owned: ReadonlySet<string>, list: readonly string[]) =>
    owned.has("*") || list.every((item) => owned.has(item));
  const coversResource = (resource: string) =>
    resources.has(resource) ||
    (resource.includes("/") && resources.has(`*/${resource.slice(resource.indexOf("/") + 1)}`));
  const coversUrl = (url: string) =>
    urls.has(url) || [...prefixLengths].some((length) => urlPrefixes.has(url.slice(0, length)));
  const coversNames =
    names.size === 0 || (wanted.resourceNames.length > 0 && wanted.resourceNames.every((name) => names.has(name)));
  return (
    coversAll(verbs, wanted.verbs) &&
    coversAll(apiGroups, wanted.apiGroups) &&
    (resources.has("*") || wanted.resources.every(coversResource)) &&
    coversNames &&
    wanted.nonResourceURLs.every(coversUrl)
  );
}
