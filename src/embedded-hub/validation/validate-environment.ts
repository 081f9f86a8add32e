import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { NameCheck } from "../../core/formats/kube-names.ts";
import { checkConfigKey, checkQualifiedName, checkSubdomain } from "../../core/formats/kube-names.ts";
import { indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold } from "./checks.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

const variableFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
export const volumeFields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
const knownFields = [...new Set([...variableFields, ...volumeFields, "spec.restartPolicy"])];
const resources = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

/** Printable ASCII without `=`. */
const checkVariableName: NameCheck = (name) =>
  /^[ -<>-~]*$/u.test(name)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];

/** What is wrong with the variables of a container. */
export function validateEnvironment(container: JsonObject, path: string): FieldError[] {
  return objectsAt(container, "env").flatMap((variable, index) => {
    const item = indexPath(path, index);
    const name = textAt(variable, "name") ?? "";
    return [
      ...(name === "" ? [required(`${item}.name`)] : hold(checkVariableName, name, `${item}.name`)),
      ...validateSource(variable, `${item}.valueFrom`),
    ];
  });
}

function validateSource(variable: JsonObject, path: string): FieldError[] {
  const source = objectAt(variable, "valueFrom");
  if (source === undefined) return [];
  const fieldRef = objectAt(source, "fieldRef");
  const resourceRef = objectAt(source, "resourceFieldRef");
  const errors = [
    ...(fieldRef === undefined ? [] : validateFieldRef(fieldRef, variableFields, `${path}.fieldRef`)),
    ...(resourceRef === undefined ? [] : validateResourceRef(resourceRef, false, `${path}.resourceFieldRef`)),
    ...validateKeyRef(source, path, "configMapKeyRef"),
    ...validateKeyRef(source, path, "secretKeyRef"),
  ];
  const names = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
  const count = names.filter((name) => objectAt(source, name) !== undefined).length;
  if (count === 0) {
    const text = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
    errors.push(invalid(path, "", text));
  } else if ((textAt(variable, "value") ?? "") !== "") {
    errors.push(invalid(path, "", "may not be specified when `value` is not empty"));
  } else if (count > 1) {
    errors.push(invalid(path, "", "may not have more than one field specified at a time"));
  }
  return errors;
}

function validateKeyRef(source: JsonObject, path: string, name: "configMapKeyRef" | "secretKeyRef"): FieldError[] {
  const reference = objectAt(source, name);
  if (reference === undefined) return [];
  const key = textAt(reference, "key") ?? "";
  return [
    ...hold(checkSubdomain, textAt(reference, "name") ?? "", `${path}.${name}.name`),
    ...(key === "" ? [required(`${path}.${name}.key`)] : hold(checkConfigKey, key, `${path}.${name}.key`)),
  ];
}

/** What is wrong with a reference to a field of the Pod; `allowed` are the fields that the place takes. */
export function validateFieldRef(reference: JsonObject, allowed: readonly string[], path: string): FieldError[] {
  const fieldPath = textAt(reference, "fieldPath") ?? "";
  if ((textAt(reference, "apiVersion") ?? "") === "") return [required(`${path}.apiVersion`)];
  if (fieldPath === "") return [required(`${path}.fieldPath`)];
  const bracket = fieldPath.indexOf("['");
  if (bracket >= 0 && bracket + 4 <= fieldPath.length && fieldPath.endsWith("']")) {
    const [field, key] = [fieldPath.slice(0, bracket), fieldPath.slice(bracket + 2, -2)];
    if (field === "metadata.annotations") return hold(checkQualifiedName, key.toLowerCase(), path);
    if (field === "metadata.labels") return hold(checkQualifiedName, key, path);
    return [invalid(path, field, "does not support subscript")];
  }
  if (!knownFields.includes(fieldPath)) {
    const text = `error converting fieldPath: field label not supported: ${fieldPath}`;
    return [invalid(`${path}.fieldPath`, fieldPath, text)];
  }
  return allowed.includes(fieldPath) ? [] : [notSupported(`${path}.fieldPath`, fieldPath, allowed)];
}

/** What is wrong with a reference to a resource of a container; in volumes it must name the container. */
export function validateResourceRef(reference: JsonObject, isInVolume: boolean, path: string): FieldError[] {
  const resource = textAt(reference, "resource") ?? "";
  if (isInVolume && (textAt(reference, "containerName") ?? "") === "") return [required(`${path}.containerName`)];
  if (resource === "") return [required(`${path}.resource`)];
  const isKnown = resources.includes(resource) || /^(?:limits|requests)\.hugepages-/u.test(resource);
  return isKnown ? [] : [notSupported(`${path}.resource`, resource, resources)];
}

/** What is wrong with whole maps that become variables. */
export function validateEnvironmentSources(container: JsonObject, path: string): FieldError[] {
  return objectsAt(container, "envFrom").flatMap((source, index) => {
    const item = indexPath(path, index);
    const prefix = textAt(source, "prefix") ?? "";
    const names = ["configMapRef", "secretRef"].filter((name) => objectAt(source, name) !== undefined);
    return [
      ...(prefix === "" ? [] : hold(checkVariableName, prefix, `${item}.prefix`)),
      ...names.flatMap((name) => validateName(objectAt(source, name), `${item}.${name}.name`)),
      ...(names.length === 0 ? [invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")] : []),
      ...(names.length > 1 ? [invalid(path, "", "may not have more than one field specified at a time")] : []),
    ];
  });
}

function validateName(reference: JsonObject | undefined, field: string): FieldError[] {
  const name = textAt(reference, "name") ?? "";
  return name === "" ? [required(field)] : hold(checkSubdomain, name, field);
}
