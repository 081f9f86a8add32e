import { appendAll } from "../../core/append-all.ts";
import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkLabel1035, checkQualifiedName, checkSubdomain } from "../../core/formats/kube-names.ts";
import { duplicate, indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import { firstPlaces } from "../schema/first-places.ts";
import type { FieldError } from "../schema/schema.ts";
import { eachOf } from "../validation/checks-network.ts";
import { validateConditions } from "../validation/validate-conditions.ts";
import { readPolicy } from "./admission-policy.ts";
import type { AdmissionPolicy } from "./admission-policy.ts";
import { compilePolicy } from "./compile-policy.ts";
import type { Compiled, CompiledPolicy } from "./compile-policy.ts";
import { refusalOf, validateMatchConditions } from "./validate-match-conditions.ts";
import { validateMatchResources } from "./validate-match-resources.ts";

const mostAnnotations = 20;
const annotationLimitBytes = 5 * 1024;
const reservedWords: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** What is wrong with a ValidatingAdmissionPolicy. Source: Kubernetes, pkg/apis/admissionregistration/validation. */
export function validatePolicy(
  object: KubeObject,
  _old?: KubeObject,
  { subresource }: { readonly subresource?: string } = {},
): FieldError[] {
  if (subresource === "status") return validateStatus(object);
  const policy = readPolicy(object);
  const compiled = compilePolicy(policy);
  const failurePolicy = textAt(object, "spec", "failurePolicy");
  const constraints = objectAt(object, "spec", "matchConstraints");
  const errors: FieldError[] = [];
  if (failurePolicy !== undefined && !["Fail", "Ignore"].includes(failurePolicy)) {
    errors.push(notSupported("spec.failurePolicy", failurePolicy, ["Fail", "Ignore"]));
  }
  appendAll(errors, validateParamKind(policy));
  if (constraints === undefined) errors.push(required("spec.matchConstraints"));
  else {
    appendAll(errors, validateMatchResources(constraints, "spec.matchConstraints"));
    if (objectsAt(constraints, "resourceRules").length === 0) {
      errors.push(required("spec.matchConstraints.resourceRules"));
    }
  }
  appendAll(errors, [
    ...validateMatchConditions(policy.matchConditions, compiled.matchConditions, "spec.matchConditions"),
    ...validateVariables(policy, compiled),
  ]);
  if (policy.validations.length === 0 && policy.auditAnnotations.length === 0) {
    const text = "validations or auditAnnotations must contain at least one item";
    errors.push(required("spec.validations", text), required("spec.auditAnnotations", text));
  }
  appendAll(errors, [...validateValidations(policy, compiled), ...validateAnnotations(policy, compiled)]);
  return errors;
}

function validateParamKind({ paramKind }: AdmissionPolicy): FieldError[] {
  if (paramKind === undefined) return [];
  const { apiVersion, kind } = paramKind;
  const kindTexts = checkLabel1035(kind.toLowerCase()).join(",");
  return [
    ...validateApiVersion(apiVersion, "spec.paramKind.apiVersion"),
    ...(kind === ""
      ? [required("spec.paramKind.kind")]
      : kindTexts === ""
        ? []
        : [invalid("spec.paramKind.kind", kind, `may have mixed case, but should otherwise match: ${kindTexts}`)]),
  ];
}

function validateApiVersion(apiVersion: string, path: string): FieldError[] {
  if (apiVersion === "") return [required(path)];
  const parts = apiVersion.split("/");
  if (parts.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group, version] = parts.length === 2 ? [parts[0] ?? "", parts[1] ?? ""] : ["", apiVersion];
  const groupTexts = group === "" ? "" : checkSubdomain(group).join(",");
  const versionTexts = version === "" ? "version must be specified" : checkLabel1035(version).join(",");
  return [
    ...(groupTexts === "" ? [] : [invalid(path, group, groupTexts)]),
    ...(versionTexts === "" ? [] : [invalid(path, version === "" ? apiVersion : version, versionTexts)]),
  ];
}

function validateVariables(policy: AdmissionPolicy, compiled: CompiledPolicy): FieldError[] {
  return policy.variables.flatMap(({ name, expression }, index) => {
    const path = indexPath("spec.variables", index);
    const nameErrors =
      name.trim() === ""
        ? [required(`${path}.name`, "name is not specified")]
        : /^[_a-zA-Z][_a-zA-Z0-9]*$/u.test(name) && !reservedWords.has(name)
          ? []
          : [invalid(`${path}.name`, name, "must be a valid CEL identifier")];
    if (expression.trim() === "") return [...nameErrors, required(`${path}.expression`, "expression is not specified")];
    return [...nameErrors, ...refusalOf(compiled.variables[index]?.program, `${path}.expression`, expression)];
  });
}

function validateValidations(policy: AdmissionPolicy, compiled: CompiledPolicy): FieldError[] {
  const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
  return policy.validations.flatMap(({ expression, message, messageExpression, reason }, index) => {
    const path = indexPath("spec.validations", index);
    const programs = compiled.validations[index];
    const errors: FieldError[] =
      expression.trim() === ""
        ? [required(`${path}.expression`, "expression is not specified")]
        : refusalOf(programs?.program, `${path}.expression`, expression);
    if (messageExpression !== "" && messageExpression.trim() === "") {
      errors.push(invalid(`${path}.messageExpression`, messageExpression, "must be non-empty if specified"));
    } else if (messageExpression !== "") {
      appendAll(errors, refusalOf(programs?.message, `${path}.messageExpression`, messageExpression));
    }
    if (message !== "" && message.trim() === "") {
      errors.push(invalid(`${path}.message`, message, "must be non-empty if specified"));
    } else if (/[\n\r]/u.test(message.trim())) {
      errors.push(invalid(`${path}.message`, message, "must not contain line breaks"));
    }
    if (!reasons.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, reasons));
    return errors;
  });
}

function validateAnnotations(policy: AdmissionPolicy, compiled: CompiledPolicy): FieldError[] {
  const keys = policy.auditAnnotations.map(({ key }) => key);
  const places = firstPlaces(keys);
  const path = "spec.auditAnnotations";
  const text = `must not have more than ${mostAnnotations} auditAnnotations`;
  const tooManyErrors =
    keys.length > mostAnnotations ? [invalid(path, policy.auditAnnotations.map(inServerForm), text)] : [];
  const errors = policy.auditAnnotations.flatMap(({ key, valueExpression }, index) => {
    const item = indexPath(path, index);
    const full = `${policy.name}/${key}`;
    return [
      ...checkQualifiedName(full).map((problem) => invalid(`${item}.key`, full, problem)),
      ...validateValueExpression(valueExpression, compiled.auditAnnotations[index], `${item}.valueExpression`),
      ...(places.get(key) !== index ? [duplicate(`${item}.key`, key)] : []),
    ];
  });
  return [...tooManyErrors, ...errors];
}

function validateValueExpression(expression: string, compiled: Compiled | undefined, path: string): FieldError[] {
  const trimmed = expression.trim();
  if (trimmed === "") return [required(path, "valueExpression is not specified")];
  if (Buffer.byteLength(trimmed) > annotationLimitBytes) {
    return [required(path, `must not exceed ${annotationLimitBytes} bytes in length`)];
  }
  return refusalOf(compiled, path, expression);
}

/** As kube-apiserver's own program names its fields. */
function inServerForm(annotation: { readonly key: string; readonly valueExpression: string }): JsonObject {
  return { Key: annotation.key, ValueExpression: annotation.valueExpression };
}

/** That a `fieldRef` can be read as a JSONPath is not checked: only a controller writes it. */
function validateStatus(policy: KubeObject): FieldError[] {
  const warnings = objectsAt(policy, "status", "typeChecking", "expressionWarnings");
  return [
    ...eachOf(warnings, "status.typeChecking.expressionWarnings", (warning, path) =>
      ["warning", "fieldRef"].flatMap((name) =>
        (textAt(warning, name) ?? "").trim() === "" ? [required(`${path}.${name}`)] : [],
      ),
    ),
    ...validateConditions(objectsAt(policy, "status", "conditions"), "status.conditions"),
  ];
}
