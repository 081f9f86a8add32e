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
const otherFields = ["spec.restartPolicy", "spec.schedulerName", "status.phase"];
const knownFields = new Set([...variableFields, ...volumeFields, ...otherFields]);
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
  const names = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"];
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
  const version = textAt(reference, "apiVersion") ?? "";
  const fieldPath = textAt(reference, "fieldPath") ?? "";
  if (version === "") return [required(`${path}.apiVersion`)];
  if (fieldPath === "") return [required(`${path}.fieldPath`)];
  const refuse = (detail: string): FieldError[] => [
    invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${detail}`),
  ];
  if (version !== "v1") return refuse(`unsupported pod version: ${version}`);
  const bracket = fieldPath.indexOf("['");
  if (bracket > 0 && fieldPath.length >= bracket + 4 && fieldPath.endsWith("']")) {
    const [field, key] = [fieldPath.slice(0, bracket), fieldPath.slice(bracket + 2, -2)];
    if (field === "metadata.annotations") return hold(checkQualifiedName, key.toLowerCase(), path);
    if (field === "metadata.labels") return hold(checkQualifiedName, key, path);
    return refuse(`field label does not support subscript: ${fieldPath}`);
  }
  // Clients of the first version wrote the name of the node so.
  const name = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
  if (!knownFields.has(name)) return refuse(`field label not supported: ${fieldPath}`);
  return allowed.includes(name) ? [] : [notSupported(`${path}.fieldPath`, name, allowed)];
}

/** What is wrong with a reference to a resource of a container; in volumes it must name the container. */
export function validateResourceRef(reference: JsonObject, isInVolume: boolean, path: string): FieldError[] {
  return [...validateResource(reference, isInVolume, path), ...validateDivisor(reference, `${path}.divisor`)];
}

function validateResource(reference: JsonObject, isInVolume: boolean, path: string): FieldError[] {
  const resource = textAt(reference, "resource") ?? "";
  if (isInVolume && (textAt(reference, "containerName") ?? "") === "") return [required(`${path}.containerName`)];
  if (resource === "") return [required(`${path}.resource`)];
  const isKnown = resources.includes(resource) || /^(?:limits|requests)\.hugepages-/u.test(resource);
  return isKnown ? [] : [notSupported(`${path}.resource`, resource, resources)];
}

const bytes = ["1", ..."kMGTPE".split("").map((unit) => `1${unit}`), ..."KMGTPE".split("").map((unit) => `1${unit}i`)];
const divisors = [
  { start: "cpu", values: ["1m", "1"], text: "1m and 1 are supported with the cpu resource" },
  { start: "memory", values: bytes, text: `${bytes.join(", ")} are supported with the memory resource` },
  {
    start: "ephemeral-storage",
    values: bytes,
    text: `${bytes.join(", ")} are supported with the local ephemeral storage resource`,
  },
  { start: "hugepages-", values: bytes, text: `${bytes.join(", ")} are supported with the hugepages resource` },
];

/** What the amount is divided by: 0 is as if it were absent. An amount in its canonical form. */
function validateDivisor(reference: JsonObject, field: string): FieldError[] {
  const divisor = textAt(reference, "divisor") ?? "0";
  const resource = textAt(reference, "resource") ?? "";
  const name = /^(?:limits|requests)\.(?<name>.*)$/su.exec(resource)?.groups?.["name"] ?? "";
  const rule = divisors.find(({ start }) => name === start || (start.endsWith("-") && name.startsWith(start)));
  if (divisor === "0" || rule === undefined || rule.values.includes(divisor)) return [];
  return [invalid(field, resource, `only divisor's values ${rule.text}`)];
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
