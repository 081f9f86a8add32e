import { objectAt, objectsAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ReadObject } from "../auth/auth.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { matchesSelector } from "../selectors/object-selector.ts";

export interface MatchParts {
  readonly read: ReadObject;
  /** The other versions that the kind is served in. */
  readonly otherVersionsOf: (definition: ResourceDefinition) => readonly ResourceDefinition[];
}

/**
 * The version of the kind in which a policy (or a binding) wants to see the request, or undefined when it is not about
 * the request. Source: k8s.io/apiserver, admission/plugin/policy/matching.
 */
export function matchRequest(
  resources: JsonObject,
  request: AdmissionRequest,
  parts: MatchParts,
): ResourceDefinition | undefined {
  if (!matchesNamespace(resources, request, parts.read) || !matchesObject(resources, request)) return undefined;
  const isEquivalent = textAt(resources, "matchPolicy") !== "Exact";
  const excluded = objectsAt(resources, "excludeResourceRules");
  if (matchRules(excluded, { isEquivalent, request, parts }) !== undefined) return undefined;
  const rules = objectsAt(resources, "resourceRules");
  return rules.length === 0 ? request.definition : matchRules(rules, { isEquivalent, request, parts });
}

/** The namespace of a request; for a Namespace itself its name, as kube-apiserver has it. */
export function namespaceOf({ definition, name, namespace, object }: AdmissionRequest): string {
  if (definition.group === "" && definition.plural === "namespaces")
    return name === "" ? (object?.metadata.name ?? "") : name;
  return namespace ?? "";
}

function matchesNamespace(resources: JsonObject, request: AdmissionRequest, read: ReadObject): boolean {
  const selector = objectAt(resources, "namespaceSelector") ?? {};
  const name = namespaceOf(request);
  if (name === "" || Object.keys(selector).length === 0) return true;
  const { definition, operation, subresource, object } = request;
  const isOwnLabels = definition.plural === "namespaces" && subresource === undefined && operation !== "DELETE";
  const namespace = isOwnLabels ? object : read({ group: "", plural: "namespaces", name });
  return matchesSelector(selector, textMapAt(namespace?.metadata, "labels"));
}

function matchesObject(resources: JsonObject, { object, oldObject }: AdmissionRequest): boolean {
  const selector = objectAt(resources, "objectSelector") ?? {};
  if (Object.keys(selector).length === 0) return true;
  return [object, oldObject].some((one) => one !== undefined && matchesSelector(selector, one.metadata.labels));
}

interface RuleScope {
  readonly isEquivalent: boolean;
  readonly request: AdmissionRequest;
  readonly parts: MatchParts;
}

function matchRules(rules: readonly JsonObject[], scope: RuleScope): ResourceDefinition | undefined {
  const { isEquivalent, request, parts } = scope;
  const candidates = [request.definition, ...(isEquivalent ? parts.otherVersionsOf(request.definition) : [])];
  return candidates.find((definition) => rules.some((rule) => matchesRule(rule, request, definition)));
}

function matchesRule(rule: JsonObject, request: AdmissionRequest, definition: ResourceDefinition): boolean {
  const names = textsAt(rule, "resourceNames");
  return (
    matchesScope(textAt(rule, "scope") ?? "*", request) &&
    holds(textsAt(rule, "operations"), request.operation) &&
    holds(textsAt(rule, "apiGroups"), definition.group) &&
    holds(textsAt(rule, "apiVersions"), definition.version) &&
    matchesResource(textsAt(rule, "resources"), definition.plural, request.subresource ?? "") &&
    (names.length === 0 || names.includes(request.name))
  );
}

function matchesScope(scope: string, { definition, namespace }: AdmissionRequest): boolean {
  const isInNamespace = definition.isNamespaced && namespace !== undefined;
  if (scope === "Namespaced") return isInNamespace;
  return scope === "Cluster" ? !isInNamespace : true;
}

function matchesResource(resources: readonly string[], plural: string, subresource: string): boolean {
  return resources.some((entry) => {
    const slash = entry.indexOf("/");
    const [resource, sub] = slash < 0 ? [entry, ""] : [entry.slice(0, slash), entry.slice(slash + 1)];
    return (resource === "*" || resource === plural) && (sub === "*" || sub === subresource);
  });
}

function holds(list: readonly string[], wanted: string): boolean {
  return list.includes("*") || list.includes(wanted);
}
