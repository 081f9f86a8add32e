import { appendAll } from "../../core/append-all.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import { checkLabel, checkLabelValue, checkQualifiedName, checkSubdomain } from "../../core/formats/kube-names.ts";
import { duplicate, forbidden, indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateSelectorAt } from "../selectors/validate-label-selector.ts";
import { hold } from "./checks.ts";

// Where a Pod may run. Source of this file: Kubernetes, pkg/apis/core/validation.

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";
const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** What is wrong with the affinities of a Pod. */
export function validateAffinity(spec: JsonObject, path: string): FieldError[] {
  const affinity = objectAt(spec, "affinity");
  if (affinity === undefined) return [];
  return [
    ...validateNodeAffinity(affinity, `${path}.nodeAffinity`),
    ...validatePodAffinity(affinity, "podAffinity", path),
    ...validatePodAffinity(affinity, "podAntiAffinity", path),
  ];
}

function validateNodeAffinity(affinity: JsonObject, path: string): FieldError[] {
  const nodes = objectAt(affinity, "nodeAffinity");
  const selector = objectAt(nodes, requiredTerms);
  return [
    ...(selector === undefined ? [] : validateNodeSelector(selector, `${path}.${requiredTerms}`)),
    ...objectsAt(nodes, preferredTerms).flatMap((term, index) => {
      const item = indexPath(`${path}.${preferredTerms}`, index);
      const preference = objectAt(term, "preference") ?? {};
      return [...validateWeight(term, item), ...validateNodeTerm(preference, `${item}.preference`, true)];
    }),
  ];
}

function validateNodeSelector(selector: JsonObject, path: string): FieldError[] {
  const terms = objectsAt(selector, "nodeSelectorTerms");
  const field = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(field, "must have at least one node selector term")];
  return terms.flatMap((term, index) => validateNodeTerm(term, indexPath(field, index), false));
}

function validateNodeTerm(term: JsonObject, path: string, takesAnyValue: boolean): FieldError[] {
  return [
    ...objectsAt(term, "matchExpressions").flatMap((requirement, index) =>
      validateNodeRequirement(requirement, indexPath(`${path}.matchExpressions`, index), takesAnyValue),
    ),
    ...objectsAt(term, "matchFields").flatMap((requirement, index) =>
      validateFieldRequirement(requirement, indexPath(`${path}.matchFields`, index)),
    ),
  ];
}

function validateNodeRequirement(requirement: JsonObject, path: string, takesAnyValue: boolean): FieldError[] {
  const values = textsAt(requirement, "values");
  return [
    ...validateOperator(textAt(requirement, "operator") ?? "", values.length, path),
    ...hold(checkQualifiedName, textAt(requirement, "key") ?? "", `${path}.key`),
    ...(takesAnyValue
      ? []
      : values.flatMap((value, index) => hold(checkLabelValue, value, indexPath(`${path}.values`, index)))),
  ];
}

function validateOperator(operator: string, valueCount: number, path: string): FieldError[] {
  const field = `${path}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      return valueCount > 0 ? [] : [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist": {
      const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return valueCount > 0 ? [forbidden(field, text)] : [];
    }
    case "Gt":
    case "Lt":
      return valueCount === 1
        ? []
        : [required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

function validateFieldRequirement(requirement: JsonObject, path: string): FieldError[] {
  const operator = textAt(requirement, "operator") ?? "";
  const key = textAt(requirement, "key") ?? "";
  const values = textsAt(requirement, "values");
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
  } else if (values.length !== 1) {
    const text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${path}.values`, text));
  }
  if (key !== "metadata.name") return [...errors, invalid(`${path}.key`, key, "not a valid field selector key")];
  return [
    ...errors,
    ...values.flatMap((value, index) => hold(checkSubdomain, value, indexPath(`${path}.values`, index))),
  ];
}

function validateWeight(term: JsonObject, path: string): FieldError[] {
  const weight = numberAt(term, "weight") ?? 0;
  return weight > 0 && weight <= 100 ? [] : [invalid(`${path}.weight`, weight, "must be in the range 1-100")];
}

function validatePodAffinity(
  affinity: JsonObject,
  name: "podAffinity" | "podAntiAffinity",
  path: string,
): FieldError[] {
  const field = `${path}.${name}`;
  return [
    ...objectsAt(affinity, name, requiredTerms).flatMap((term, index) =>
      validatePodTerm(term, indexPath(`${field}.${requiredTerms}`, index)),
    ),
    ...objectsAt(affinity, name, preferredTerms).flatMap((weighted, index) => {
      const item = indexPath(`${field}.${preferredTerms}`, index);
      const term = objectAt(weighted, "podAffinityTerm") ?? {};
      return [...validateWeight(weighted, item), ...validatePodTerm(term, `${item}.podAffinityTerm`)];
    }),
  ];
}

function validatePodTerm(term: JsonObject, path: string): FieldError[] {
  const topologyKey = textAt(term, "topologyKey") ?? "";
  return [
    ...validateSelectorAt(term, "labelSelector", path),
    ...validateSelectorAt(term, "namespaceSelector", path),
    ...textsAt(term, "namespaces").flatMap((name) => hold(checkLabel, name, `${path}.namespace`)),
    ...validateLabelKeys(term, path),
    ...(topologyKey === "" ? [required(`${path}.topologyKey`, "can not be empty")] : []),
    ...hold(checkQualifiedName, topologyKey, `${path}.topologyKey`),
  ];
}

/** Keys of labels of the Pod that become part of the selector. */
function validateLabelKeys(term: JsonObject, path: string): FieldError[] {
  const selector = objectAt(term, "labelSelector");
  const matching = textsAt(term, "matchLabelKeys");
  const lastIndexes = new Map(matching.map((key, index) => [key, index]));
  const others = new Set(textsAt(term, "mismatchLabelKeys"));
  const known = new Set(Object.keys(objectAt(selector, "matchLabels") ?? {}));
  const repeated = objectsAt(selector, "matchExpressions").flatMap((expression) => {
    const key = textAt(expression, "key") ?? "";
    const isRepeated = known.has(key);
    known.add(key);
    return isRepeated ? [key] : [];
  });
  return [
    ...["matchLabelKeys", "mismatchLabelKeys"].flatMap((name) => {
      const keys = textsAt(term, name);
      if (keys.length > 0 && selector === undefined) {
        return [forbidden(`${path}.${name}`, "must not be specified when labelSelector is not set")];
      }
      return keys.flatMap((key, index) => hold(checkQualifiedName, key, indexPath(`${path}.${name}`, index)));
    }),
    ...repeated.flatMap((key) => {
      const index = lastIndexes.get(key);
      const text = "exists in both matchLabelKeys and labelSelector";
      return index === undefined ? [] : [invalid(indexPath(path, index), key, text)];
    }),
    ...matching.flatMap((key, index) => {
      const text = "exists in both matchLabelKeys and mismatchLabelKeys";
      return others.has(key) ? [invalid(indexPath(`${path}.matchLabelKeys`, index), key, text)] : [];
    }),
  ];
}

/** What is wrong with the taints that a Pod bears. */
export function validateTolerations(spec: JsonObject, path: string): FieldError[] {
  return objectsAt(spec, "tolerations").flatMap((toleration, index) =>
    validateToleration(toleration, indexPath(path, index)),
  );
}

function validateToleration(toleration: JsonObject, path: string): FieldError[] {
  const key = textAt(toleration, "key") ?? "";
  const operator = textAt(toleration, "operator") ?? "";
  const effect = textAt(toleration, "effect") ?? "";
  const errors = key === "" ? [] : hold(checkQualifiedName, key, `${path}.key`);
  if (key === "" && operator !== "Exists") {
    const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${path}.operator`, operator, text));
  }
  if (numberAt(toleration, "tolerationSeconds") !== undefined && effect !== "NoExecute") {
    errors.push(invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  appendAll(errors, validateTolerated(operator, textAt(toleration, "value") ?? "", `${path}.operator`));
  if (effect !== "" && !effects.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, effects));
  return errors;
}

function validateTolerated(operator: string, value: string, field: string): FieldError[] {
  switch (operator) {
    case "":
    case "Equal": {
      const faults = checkLabelValue(value);
      return faults.length === 0 ? [] : [invalid(field, value, faults.join(";"))];
    }
    case "Exists":
      return value === "" ? [] : [invalid(field, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return [notSupported(field, operator, ["Equal", "Exists"])];
  }
}

/** What is wrong with how Pods are to be spread. */
export function validateSpread(spec: JsonObject, path: string): FieldError[] {
  const constraints = objectsAt(spec, "topologySpreadConstraints");
  const keyOf = (constraint: JsonObject | undefined): string =>
    `{${textAt(constraint, "topologyKey") ?? ""}, ${textAt(constraint, "whenUnsatisfiable") ?? ""}}`;
  const last = new Map(constraints.map((constraint, index) => [keyOf(constraint), index]));
  return constraints.flatMap((constraint, index) => {
    const item = indexPath(path, index);
    const isRepeated = last.get(keyOf(constraint)) !== index;
    return [
      ...validateConstraint(constraint, item),
      ...(isRepeated ? [duplicate(`${item}.{topologyKey, whenUnsatisfiable}`, keyOf(constraint))] : []),
      ...validateMinimum(constraint, item),
      ...validateInclusion(constraint, item),
      ...validateMatchedKeys(constraint, `${item}.matchLabelKeys`),
      ...validateSelectorAt(constraint, "labelSelector", item),
    ];
  });
}

function validateConstraint(constraint: JsonObject, path: string): FieldError[] {
  const skew = numberAt(constraint, "maxSkew") ?? 0;
  const action = textAt(constraint, "whenUnsatisfiable") ?? "";
  const actions = ["DoNotSchedule", "ScheduleAnyway"];
  return [
    ...(skew > 0 ? [] : [invalid(`${path}.maxSkew`, skew, "must be greater than zero")]),
    ...((textAt(constraint, "topologyKey") ?? "") === "" ? [required(`${path}.topologyKey`, "can not be empty")] : []),
    ...(actions.includes(action) ? [] : [notSupported(`${path}.whenUnsatisfiable`, action, actions)]),
  ];
}

function validateMinimum(constraint: JsonObject, path: string): FieldError[] {
  const minimum = numberAt(constraint, "minDomains");
  const action = textAt(constraint, "whenUnsatisfiable") ?? "";
  if (minimum === undefined) return [];
  const field = `${path}.minDomains`;
  const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [
    ...(minimum > 0 ? [] : [invalid(field, minimum, "must be greater than zero")]),
    ...(action === "DoNotSchedule" ? [] : [invalid(field, minimum, text)]),
  ];
}

/** Which nodes count. */
function validateInclusion(constraint: JsonObject, path: string): FieldError[] {
  const policies = ["Honor", "Ignore"];
  return ["nodeAffinityPolicy", "nodeTaintsPolicy"].flatMap((name) => {
    const policy = textAt(constraint, name);
    return policy === undefined || policies.includes(policy) ? [] : [notSupported(`${path}.${name}`, policy, policies)];
  });
}

/** Keys of labels of the Pod that become part of the selector. */
function validateMatchedKeys(constraint: JsonObject, path: string): FieldError[] {
  const keys = textsAt(constraint, "matchLabelKeys");
  const selector = objectAt(constraint, "labelSelector");
  if (keys.length === 0) return [];
  if (selector === undefined) return [forbidden(path, "must not be specified when labelSelector is not set")];
  return keys.flatMap((key, index) => hold(checkQualifiedName, key, indexPath(path, index)));
}
