import { objectAt, objectsAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import type { JsonObject } from "../../core/json.ts";
import { checkLabelValue, checkQualifiedName } from "../../core/formats/kube-names.ts";
import { validateLabels } from "../metadata/validate-metadata.ts";
import { forbidden, indexPath, invalid, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";

/** What is wrong with the LabelSelector in field `name` of `holder`; nothing when there is none. */
export function validateSelectorAt(holder: JsonObject, name: string, path: string): FieldError[] {
  const selector = objectAt(holder, name);
  return selector === undefined ? [] : validateLabelSelector(selector, `${path}.${name}`);
}

/** What is wrong with a LabelSelector. Source: Kubernetes, apimachinery pkg/apis/meta/v1/validation. */
export function validateLabelSelector(selector: JsonObject, path: string): FieldError[] {
  return [
    ...validateLabels(textMapAt(selector, "matchLabels"), `${path}.matchLabels`),
    ...objectsAt(selector, "matchExpressions").flatMap((requirement, index) =>
      validateRequirement(requirement, indexPath(`${path}.matchExpressions`, index)),
    ),
  ];
}

/** What is wrong with one item of `matchExpressions`. Unknown operators are wrong unless `allowsUnknownOperator`. */
export function validateRequirement(
  requirement: JsonObject,
  path: string,
  { allowsUnknownOperator = false }: { readonly allowsUnknownOperator?: boolean } = {},
): FieldError[] {
  const key = textAt(requirement, "key") ?? "";
  const values = textsAt(requirement, "values");
  return [
    ...validateOperator(requirement, path).filter(
      ({ field }) => !(allowsUnknownOperator && field === `${path}.operator`),
    ),
    ...checkQualifiedName(key).map((text) => invalid(`${path}.key`, key, text)),
    ...values.flatMap((value, index) =>
      checkLabelValue(value).map((text) => invalid(indexPath(`${path}.values`, index), value, text)),
    ),
  ];
}

function validateOperator(requirement: JsonObject, path: string): FieldError[] {
  const operator = textAt(requirement, "operator") ?? "";
  const hasValues = textsAt(requirement, "values").length > 0;
  switch (operator) {
    case "In":
    case "NotIn":
      return hasValues ? [] : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist": {
      const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return hasValues ? [forbidden(`${path}.values`, text)] : [];
    }
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}
