import { objectAt, textAt, textsAt, valueAt } from "../../core/read-json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkPathSegment, checkSubdomain } from "../../core/formats/kube-names.ts";
import { duplicate, forbidden, indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import { firstPlaces } from "../schema/first-places.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateSelectorAt } from "../selectors/validate-label-selector.ts";
import { validateMatchResources } from "./validate-match-resources.ts";

/** What is wrong with a ValidatingAdmissionPolicyBinding. */
export function validateBinding(object: KubeObject): FieldError[] {
  const policyName = textAt(object, "spec", "policyName") ?? "";
  const paramRef = objectAt(object, "spec", "paramRef");
  const matchResources = objectAt(object, "spec", "matchResources");
  return [
    ...(policyName === ""
      ? [required("spec.policyName")]
      : checkSubdomain(policyName).map((text) => invalid("spec.policyName", policyName, text))),
    ...(paramRef === undefined ? [] : validateParamRef(paramRef)),
    ...(matchResources === undefined ? [] : validateMatchResources(matchResources, "spec.matchResources")),
    ...validateActions(textsAt(object, "spec", "validationActions")),
  ];
}

function validateParamRef(paramRef: JsonObject): FieldError[] {
  const path = "spec.paramRef";
  const name = textAt(paramRef, "name") ?? "";
  const hasSelector = valueAt(paramRef, "selector") !== undefined;
  const hasBoth = name !== "" && hasSelector;
  const bothText = "name and selector are mutually exclusive";
  const action = textAt(paramRef, "parameterNotFoundAction") ?? "";
  const errors: FieldError[] = [
    ...(name === "" ? [] : checkPathSegment(name).map((text) => invalid(`${path}.name`, name, text))),
    ...(hasBoth ? [forbidden(`${path}.name`, bothText)] : []),
    ...validateSelectorAt(paramRef, "selector", path),
    ...(hasBoth ? [forbidden(`${path}.selector`, bothText)] : []),
  ];
  if (name === "" && !hasSelector) errors.push(required(path, "one of name or selector must be specified"));
  if (action === "") errors.push(required(`${path}.parameterNotFoundAction`));
  else if (!["Deny", "Allow"].includes(action)) {
    errors.push(notSupported(`${path}.parameterNotFoundAction`, action, ["Deny", "Allow"]));
  }
  return errors;
}

function validateActions(actions: readonly string[]): FieldError[] {
  const path = "spec.validationActions";
  const known = ["Audit", "Deny", "Warn"];
  if (actions.length === 0) return [required(path, "at least one validation action is required")];
  const places = firstPlaces(actions);
  const errors = actions.flatMap((action, index) => [
    ...(known.includes(action) ? [] : [notSupported(indexPath(path, index), action, known)]),
    ...(places.get(action) !== index ? [duplicate(indexPath(path, index), action)] : []),
  ]);
  if (actions.includes("Deny") && actions.includes("Warn")) {
    const text =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.push(invalid(path, [...actions], text));
  }
  return errors;
}
