import { appendAll } from "../../core/append-all.ts";
import { isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkPathSegment, checkSubdomain } from "../../core/formats/kube-names.ts";
import { indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateLabelSelector } from "../selectors/validate-label-selector.ts";

const group = "rbac.authorization.k8s.io";

/** What is wrong with a Role. Source of this file: Kubernetes, pkg/apis/rbac/validation. */
export function validateRole(role: KubeObject): FieldError[] {
  return objectsAt(role, "rules").flatMap((rule, index) => validateRule(rule, true, indexPath("rules", index)));
}

/** What is wrong with a ClusterRole. */
export function validateClusterRole(role: KubeObject): FieldError[] {
  const rules = objectsAt(role, "rules").flatMap((rule, index) => validateRule(rule, false, indexPath("rules", index)));
  const aggregation = objectAt(role, "aggregationRule");
  if (aggregation === undefined) return rules;
  const path = "aggregationRule.clusterRoleSelectors";
  const selectors = objectsAt(aggregation, "clusterRoleSelectors");
  if (selectors.length === 0) {
    return [...rules, required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  }
  const ofSelectors = selectors.flatMap((selector, index) => {
    const item = indexPath(path, index);
    const errors = validateLabelSelector(selector, item);
    return errors.length === 0 ? [] : [...errors, invalid(item, null, "invalid label selector.")];
  });
  return [...rules, ...ofSelectors];
}

/** What is wrong with a RoleBinding, or with its change: it stays with its role. */
export function validateRoleBinding(binding: KubeObject, old: KubeObject | undefined): FieldError[] {
  return [
    ...validateRoleRef(binding, ["Role", "ClusterRole"]),
    ...validateSubjects(binding, true),
    ...validateSameRole(binding, old),
  ];
}

/** The same for a ClusterRoleBinding. */
export function validateClusterRoleBinding(binding: KubeObject, old: KubeObject | undefined): FieldError[] {
  return [
    ...validateRoleRef(binding, ["ClusterRole"]),
    ...validateSubjects(binding, false),
    ...validateSameRole(binding, old),
  ];
}

function validateRule(rule: JsonObject, isNamespaced: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (textsAt(rule, "verbs").length === 0) {
    errors.push(required(`${path}.verbs`, "verbs must contain at least one value"));
  }
  const urls = textsAt(rule, "nonResourceURLs");
  if (urls.length > 0) {
    const field = `${path}.nonResourceURLs`;
    const isMixed = ["apiGroups", "resources", "resourceNames"].some((name) => textsAt(rule, name).length > 0);
    if (isNamespaced) errors.push(invalid(field, [...urls], "namespaced rules cannot apply to non-resource URLs"));
    if (isMixed) {
      errors.push(invalid(field, [...urls], "rules cannot apply to both regular resources and non-resource URLs"));
    }
    return errors;
  }
  if (textsAt(rule, "apiGroups").length === 0) {
    errors.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if (textsAt(rule, "resources").length === 0) {
    errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  }
  return errors;
}

function validateRoleRef(binding: KubeObject, kinds: readonly string[]): FieldError[] {
  const { APIGroup, Kind, Name } = roleRefOf(binding);
  return [
    ...(APIGroup === group ? [] : [notSupported("roleRef.apiGroup", APIGroup, [group])]),
    ...(kinds.includes(Kind) ? [] : [notSupported("roleRef.kind", Kind, kinds)]),
    ...(Name === ""
      ? [required("roleRef.name")]
      : checkPathSegment(Name).map((text) => invalid("roleRef.name", Name, text))),
  ];
}

function validateSameRole(binding: KubeObject, old: KubeObject | undefined): FieldError[] {
  if (old === undefined || isJsonEqual(roleRefOf(binding), roleRefOf(old))) return [];
  return [invalid("roleRef", roleRefOf(binding), "cannot change roleRef")];
}

function roleRefOf(binding: KubeObject): { APIGroup: string; Kind: string; Name: string } {
  const at = (field: string) => textAt(binding, "roleRef", field) ?? "";
  return { APIGroup: at("apiGroup"), Kind: at("kind"), Name: at("name") };
}

function validateSubjects(binding: KubeObject, isNamespaced: boolean): FieldError[] {
  return objectsAt(binding, "subjects").flatMap((subject, index) =>
    validateSubject(subject, isNamespaced, indexPath("subjects", index)),
  );
}

function validateSubject(subject: JsonObject, isNamespaced: boolean, path: string): FieldError[] {
  const kind = textAt(subject, "kind") ?? "";
  const name = textAt(subject, "name") ?? "";
  const apiGroup = textAt(subject, "apiGroup") ?? "";
  const errors: FieldError[] = name === "" ? [required(`${path}.name`)] : [];
  switch (kind) {
    case "ServiceAccount": {
      if (name !== "")
        appendAll(
          errors,
          checkSubdomain(name).map((text) => invalid(`${path}.name`, name, text)),
        );
      if (apiGroup !== "") errors.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
      const hasNamespace = (textAt(subject, "namespace") ?? "") !== "";
      if (!isNamespaced && !hasNamespace) errors.push(required(`${path}.namespace`));
      return errors;
    }
    case "User":
    case "Group":
      if (apiGroup !== group) errors.push(notSupported(`${path}.apiGroup`, apiGroup, [group]));
      return errors;
    default:
      return [...errors, notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
}
