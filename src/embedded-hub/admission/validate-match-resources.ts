import { objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { JsonObject } from "../../core/json.ts";
import { checkPathSegment } from "../../core/formats/kube-names.ts";
import { duplicate, indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import { firstPlaces } from "../schema/first-places.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateSelectorAt } from "../selectors/validate-label-selector.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

/** What is wrong with `matchConstraints` or `matchResources`. */
export function validateMatchResources(resources: JsonObject, path: string): FieldError[] {
  const matchPolicy = textAt(resources, "matchPolicy");
  return [
    ...(matchPolicy === undefined || ["Equivalent", "Exact"].includes(matchPolicy)
      ? []
      : [notSupported(`${path}.matchPolicy`, matchPolicy, ["Equivalent", "Exact"])]),
    ...validateSelectorAt(resources, "namespaceSelector", path),
    ...validateSelectorAt(resources, "objectSelector", path),
    ...validateRules(objectsAt(resources, "resourceRules"), `${path}.resourceRules`),
    ...validateRules(objectsAt(resources, "excludeResourceRules"), `${path}.excludeResourceRules`),
  ];
}

/** What is wrong with rules that name operations and resources; those of webhooks have no resource names. */
export function validateRules(rules: readonly JsonObject[], path: string): FieldError[] {
  return rules.flatMap((rule, index) => validateRule(rule, indexPath(path, index)));
}

function validateRule(rule: JsonObject, path: string): FieldError[] {
  const scope = textAt(rule, "scope");
  const scopes = ["*", "Cluster", "Namespaced"];
  return [
    ...validateNames(textsAt(rule, "resourceNames"), `${path}.resourceNames`),
    ...validateOperations(textsAt(rule, "operations"), `${path}.operations`),
    ...validateList(textsAt(rule, "apiGroups"), `${path}.apiGroups`, "API groups"),
    ...validateVersions(textsAt(rule, "apiVersions"), `${path}.apiVersions`),
    ...validateResources(textsAt(rule, "resources"), `${path}.resources`),
    ...(scope === undefined || scopes.includes(scope) ? [] : [notSupported(`${path}.scope`, scope, scopes)]),
  ];
}

function validateNames(names: readonly string[], path: string): FieldError[] {
  const places = firstPlaces(names);
  return names.flatMap((name, index) => [
    ...checkPathSegment(name).map((text) => invalid(indexPath(path, index), name, text)),
    ...(places.get(name) !== index ? [duplicate(indexPath(path, index), name)] : []),
  ]);
}

function validateOperations(values: readonly string[], path: string): FieldError[] {
  const unknown = values.flatMap((value, index) =>
    operations.includes(value) ? [] : [notSupported(indexPath(path, index), value, operations)],
  );
  return [...validateList(values, path, "operations"), ...unknown];
}

function validateVersions(values: readonly string[], path: string): FieldError[] {
  const empty = values.flatMap((value, index) => (value === "" ? [required(indexPath(path, index))] : []));
  return [...validateList(values, path, "API versions"), ...empty];
}

function validateList(values: readonly string[], path: string, what: string): FieldError[] {
  if (values.length === 0) return [required(path)];
  if (values.length < 2 || !values.includes("*")) return [];
  return [invalid(path, [...values], `if '*' is present, must not specify other ${what}`)];
}

function validateResources(values: readonly string[], path: string): FieldError[] {
  if (values.length === 0) return [required(path)];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, value] of values.entries()) {
    if (value === "") errors.push(required(indexPath(path, index)));
    const slash = value.indexOf("/");
    if (slash < 0) continue;
    const [resource, subresource] = [value.slice(0, slash), value.slice(slash + 1)];
    const covering = [
      ...(wholeResources.has(resource) ? [`${resource}/*`] : []),
      ...(wholeSubresources.has(subresource) ? [`*/${subresource}`] : []),
    ];
    for (const other of covering) {
      errors.push(invalid(indexPath(path, index), value, `if '${other}' is present, must not specify ${value}`));
    }
    if (subresource === "*") wholeResources.add(resource);
    if (resource === "*") wholeSubresources.add(subresource);
  }
  if (values.length > 1 && values.includes("*/*")) {
    errors.push(invalid(path, [...values], "if '*/*' is present, must not specify other resources"));
  }
  // Only the last resource without a subresource counts, as in kube-apiserver.
  if (values.includes("*") && values.findLast((value) => value !== "" && !value.includes("/")) !== "*") {
    const text = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(path, [...values], text));
  }
  return errors;
}
