import { appendAll } from "../../core/append-all.ts";
import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { indexPath, invalid, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { asJson } from "../metadata/kube-json.ts";
import { validateRequirement } from "../selectors/validate-label-selector.ts";

/** What is wrong with a SubjectAccessReview. Source of this file: Kubernetes, pkg/apis/authorization/validation. */
export function validateSubjectReview(review: KubeObject): FieldError[] {
  return [...questionErrors(review), ...subjectErrors(review), ...selectorErrors(review), ...nameErrors(review)];
}

/** What is wrong with a SelfSubjectAccessReview. */
export function validateSelfReview(review: KubeObject): FieldError[] {
  return [...questionErrors(review), ...selectorErrors(review), ...nameErrors(review)];
}

/** What is wrong with a LocalSubjectAccessReview of a namespace. */
export function validateLocalReview(review: KubeObject, namespace: string): FieldError[] {
  const errors = [...questionErrors(review), ...subjectErrors(review), ...selectorErrors(review)];
  appendAll(errors, nameErrors(review, "must be empty except for namespace"));
  const path = objectAt(review, "spec", "nonResourceAttributes");
  const resource = objectAt(review, "spec", "resourceAttributes");
  const named = textAt(resource, "namespace") ?? "";
  if (resource !== undefined && named !== namespace) {
    errors.push(invalid("spec.resourceAttributes.namespace", named, "must match metadata.namespace"));
  }
  if (path !== undefined) {
    errors.push(invalid("spec.nonResourceAttributes", shownPath(path), "disallowed on this kind of request"));
  }
  return errors;
}

function questionErrors(review: KubeObject): FieldError[] {
  const resource = objectAt(review, "spec", "resourceAttributes");
  const path = objectAt(review, "spec", "nonResourceAttributes");
  if (resource !== undefined && path !== undefined) {
    const text = "cannot be specified in combination with resourceAttributes";
    return [invalid("spec.nonResourceAttributes", shownPath(path), text)];
  }
  if (resource !== undefined || path !== undefined) return [];
  const text = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalid("spec.resourceAttributes", null, text)];
}

function subjectErrors(review: KubeObject): FieldError[] {
  const hasUser = (textAt(review, "spec", "user") ?? "") !== "";
  if (hasUser || textsAt(review, "spec", "groups").length > 0) return [];
  return [invalid("spec.user", "", "at least one of user or group must be specified")];
}

function selectorErrors(review: KubeObject): FieldError[] {
  const at = (name: string) => objectAt(review, "spec", "resourceAttributes", name);
  const path = "spec.resourceAttributes";
  return [
    ...validateSelector(at("fieldSelector"), `${path}.fieldSelector`, validateFieldRequirement),
    ...validateSelector(at("labelSelector"), `${path}.labelSelector`, (requirement, item) =>
      validateRequirement(requirement, item, { allowsUnknownOperator: true }),
    ),
  ];
}

function validateSelector(
  selector: JsonObject | undefined,
  path: string,
  validateOne: (requirement: JsonObject, path: string) => FieldError[],
): FieldError[] {
  if (selector === undefined) return [];
  const raw = textAt(selector, "rawSelector") ?? "";
  const requirements = objectsAt(selector, "requirements");
  const errors: FieldError[] = [];
  if (raw !== "" && requirements.length > 0) {
    errors.push(invalid(`${path}.rawSelector`, raw, "may not specified at the same time as requirements"));
  }
  if (raw === "" && requirements.length === 0) {
    const text = `when ${path} is specified, requirements or rawSelector is required`;
    errors.push(required(`${path}.requirements`, text));
  }
  const ofItems = requirements.flatMap((one, index) => validateOne(one, indexPath(`${path}.requirements`, index)));
  return [...errors, ...ofItems];
}

/** Field names are free: only the rest is as in a label selector. */
function validateFieldRequirement(requirement: JsonObject, path: string): FieldError[] {
  const hasKey = (textAt(requirement, "key") ?? "") !== "";
  const ofOperator = validateRequirement({ ...requirement, key: "any" }, path, { allowsUnknownOperator: true });
  return [
    ...(hasKey ? [] : [required(`${path}.key`, "must be specified")]),
    ...ofOperator.filter(({ field }) => field === `${path}.values`),
  ];
}

/** A review is nothing that has a name. */
function nameErrors(review: KubeObject, text = "must be empty"): FieldError[] {
  const { managedFields: _managed, namespace: _namespace, ...rest } = objectAt(asJson(review), "metadata") ?? {};
  const isEmpty = Object.values(rest).every((value) => value === undefined || value === "");
  return isEmpty ? [] : [invalid("metadata", rest, text)];
}

function shownPath(path: JsonObject): JsonObject {
  return { Path: textAt(path, "path") ?? "", Verb: textAt(path, "verb") ?? "" };
}
