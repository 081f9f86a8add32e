import type { Json, JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, valueAt } from "../../core/read-json.ts";
import { checkLabel } from "../../core/formats/kube-names.ts";
import { duplicate, forbidden, indexPath, invalid, notFound, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { checkPortName, checkPortNumber, hold } from "./checks.ts";
import { validateEnvironment, validateEnvironmentSources } from "./validate-environment.ts";
import { devicePlacesOf, forbidDevice, validateDevices } from "./validate-devices.ts";
import type { PodVolumes } from "./validate-devices.ts";
import { validateLifecycle, validateProbes } from "./validate-probe.ts";
import { validateUsedClaims } from "./validate-resource-claims.ts";
import { validateResources } from "./validate-resources.ts";
import { validateSecurityContext } from "./validate-security-context.ts";
import { validateRelativePath } from "./validate-volume.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

const protocols = ["SCTP", "TCP", "UDP"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];
const messagePolicies = ["File", "FallbackToLogsOnError"];
const propagations = ["Bidirectional", "HostToContainer", "None"];

/** What containers of a Pod have in common. */
export interface PodParts {
  readonly volumes: PodVolumes;
  /** The names of its resource claims. */
  readonly claimNames: ReadonlySet<string>;
  readonly restartPolicy: string;
  /** Its users are those of the host. */
  readonly hasHostUsers: boolean;
  /** How long the Pod may take to end. */
  readonly graceSeconds: number | undefined;
}

/** What is wrong with the containers of a Pod. */
export function validateContainers(spec: JsonObject, path: string, parts: PodParts): FieldError[] {
  const containers = objectsAt(spec, "containers");
  const field = `${path}.containers`;
  if (containers.length === 0) return [required(field)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const item = indexPath(field, index);
    const name = textAt(container, "name") ?? "";
    const isRepeated = names.has(name);
    names.add(name);
    return [
      ...validateContainer(container, item, parts),
      ...(isRepeated ? [duplicate(`${item}.name`, name)] : []),
      ...validateLifecycle(container, item, parts.graceSeconds),
      ...validateProbes(container, item),
    ];
  });
  return [...errors, ...validateHostPorts(containers, field)];
}

/** What is wrong with containers that run before the others. */
export function validateInitContainers(spec: JsonObject, path: string, parts: PodParts): FieldError[] {
  const field = `${path}.initContainers`;
  const names = new Set(objectsAt(spec, "containers").map((container) => textAt(container, "name") ?? ""));
  return objectsAt(spec, "initContainers").flatMap((container, index) => {
    const item = indexPath(field, index);
    const name = textAt(container, "name") ?? "";
    const isRepeated = names.has(name);
    if (name !== "") names.add(name);
    const restartPolicy = textAt(container, "restartPolicy");
    return [
      ...validateContainer(container, item, parts),
      ...(isRepeated ? [duplicate(`${item}.name`, name)] : []),
      ...validateHostPorts([container], field),
      ...(restartPolicy === "Always"
        ? [...validateLifecycle(container, item, parts.graceSeconds), ...validateProbes(container, item)]
        : forbidRunning(container, item)),
    ];
  });
}

function forbidRunning(container: JsonObject, path: string): FieldError[] {
  const detail = "may not be set for init containers without restartPolicy=Always";
  return ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]
    .filter((name) => objectAt(container, name) !== undefined)
    .map((name) => forbidden(`${path}.${name}`, detail));
}

/** What is wrong with a container of any list of a Pod. */
export function validateContainer(container: JsonObject, path: string, parts: PodParts): FieldError[] {
  const name = textAt(container, "name") ?? "";
  const resources = objectAt(container, "resources");
  const hasImage = (textAt(container, "image") ?? "") !== "";
  return [
    ...(name === "" ? [required(`${path}.name`)] : hold(checkLabel, name, `${path}.name`)),
    ...(hasImage ? [] : [required(`${path}.image`)]),
    ...validateChoice(container, path, { name: "terminationMessagePolicy", choices: messagePolicies }),
    ...validatePorts(container, `${path}.ports`),
    ...validateEnvironment(container, `${path}.env`),
    ...validateEnvironmentSources(container, `${path}.envFrom`),
    ...validateMounts(container, `${path}.volumeMounts`, parts),
    ...validateDevices(container, `${path}.volumeDevices`, parts.volumes),
    ...validateChoice(container, path, { name: "imagePullPolicy", choices: pullPolicies }),
    ...validateResources(resources, `${path}.resources`),
    ...validateUsedClaims(resources, `${path}.resources.claims`, parts.claimNames),
    ...validateResizePolicy(container, `${path}.resizePolicy`, parts.restartPolicy),
    ...validateSecurityContext(objectAt(container, "securityContext"), `${path}.securityContext`, parts),
  ];
}

/** An API server names the list, not the item, for what is wrong with these. */
function validateResizePolicy(container: JsonObject, path: string, restartPolicy: string): FieldError[] {
  const names = new Set<string>();
  return objectsAt(container, "resizePolicy").flatMap((one, index) => {
    const name = textAt(one, "resourceName") ?? "";
    const policy = textAt(one, "restartPolicy") ?? "";
    const isRepeated = names.has(name);
    names.add(name);
    return [
      ...(isRepeated ? [duplicate(indexPath(path, index), name)] : []),
      ...validateListed(name, path, ["cpu", "memory"]),
      ...validateListed(policy, path, ["NotRequired", "RestartContainer"]),
      ...(restartPolicy === "Never" && policy !== "NotRequired"
        ? [invalid(path, policy, "must be 'NotRequired' when `restartPolicy` is 'Never'")]
        : []),
    ];
  });
}

/** A field that must have one of some values. */
export function validateChoice(
  holder: JsonObject,
  path: string,
  { name, choices }: { readonly name: string; readonly choices: readonly string[] },
): FieldError[] {
  return validateListed(textAt(holder, name) ?? "", `${path}.${name}`, choices);
}

function validateListed(value: string, field: string, choices: readonly string[]): FieldError[] {
  if (value === "") return [required(field)];
  return choices.includes(value) ? [] : [notSupported(field, value, choices)];
}

function validatePorts(container: JsonObject, path: string): FieldError[] {
  const names = new Set<string>();
  return objectsAt(container, "ports").flatMap((port, index) => {
    const item = indexPath(path, index);
    const name = textAt(port, "name") ?? "";
    const errors = name === "" ? [] : hold(checkPortName, name, `${item}.name`);
    if (errors.length === 0 && names.has(name)) errors.push(duplicate(`${item}.name`, name));
    if (errors.length === 0 && name !== "") names.add(name);
    return [
      ...errors,
      ...validatePortNumber(port, item, "containerPort"),
      ...validatePortNumber(port, item, "hostPort"),
      ...validateChoice(port, item, { name: "protocol", choices: protocols }),
    ];
  });
}

function validatePortNumber(port: JsonObject, path: string, name: "containerPort" | "hostPort"): FieldError[] {
  const value = numberAt(port, name) ?? 0;
  if (value === 0) return name === "containerPort" ? [required(`${path}.${name}`)] : [];
  return checkPortNumber(value).map((text) => invalid(`${path}.${name}`, value, text));
}

function validateHostPorts(containers: readonly JsonObject[], path: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    objectsAt(container, "ports").flatMap((port, portIndex) => {
      const number = numberAt(port, "hostPort") ?? 0;
      if (number === 0) return [];
      const key = `${textAt(port, "protocol") ?? ""}/${textAt(port, "hostIP") ?? ""}/${number}`;
      if (taken.has(key))
        return [duplicate(`${indexPath(`${indexPath(path, index)}.ports`, portIndex)}.hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}

function validateMounts(container: JsonObject, path: string, { volumes }: PodParts): FieldError[] {
  const mountPaths = new Set<string>();
  const devices = devicePlacesOf(container);
  return objectsAt(container, "volumeMounts").flatMap((mount, index) => {
    const item = indexPath(path, index);
    const name = textAt(mount, "name") ?? "";
    const mountPath = textAt(mount, "mountPath") ?? "";
    const isRepeated = mountPaths.has(mountPath);
    mountPaths.add(mountPath);
    return [
      ...(name === "" ? [required(`${item}.name`)] : []),
      ...(volumes.has(name) ? [] : [notFound(`${item}.name`, name)]),
      ...(mountPath === "" ? [required(`${item}.mountPath`)] : []),
      ...(isRepeated ? [invalid(`${item}.mountPath`, mountPath, "must be unique")] : []),
      ...forbidDevice(mount, item, devices),
      ...validateSubPaths(mount, path, item),
      ...validatePropagation(container, mount, path),
      ...validateReadOnly(mount, `${path}.recursiveReadOnly`),
    ];
  });
}

/** An API server names the list, not the item, for what is wrong with these paths. */
function validateSubPaths(mount: JsonObject, path: string, item: string): FieldError[] {
  const subPath = textAt(mount, "subPath") ?? "";
  const expression = textAt(mount, "subPathExpr") ?? "";
  const errors = subPath === "" ? [] : validateRelativePath(subPath, `${path}.subPath`);
  if (expression === "") return errors;
  if (subPath !== "") {
    errors.push(invalid(`${item}.subPathExpr`, expression, "subPathExpr and subPath are mutually exclusive"));
  }
  return [...errors, ...validateRelativePath(expression, `${path}.subPathExpr`)];
}

function validatePropagation(container: JsonObject, mount: JsonObject, path: string): FieldError[] {
  const propagation: unknown = valueAt(mount, "mountPropagation");
  if (typeof propagation !== "string") return [];
  const field = `${path}.mountPropagation`;
  const isPrivileged = valueAt(container, "securityContext", "privileged") === true;
  const value: Json = propagation;
  return [
    ...(propagations.includes(propagation) ? [] : [notSupported(field, value, propagations)]),
    ...(propagation === "Bidirectional" && !isPrivileged
      ? [forbidden(field, "Bidirectional mount propagation is available only to privileged containers")]
      : []),
  ];
}

/** Whether all that lies within a mount is read-only, too. */
function validateReadOnly(mount: JsonObject, field: string): FieldError[] {
  const value = textAt(mount, "recursiveReadOnly");
  if (value === undefined || value === "Disabled") return [];
  if (!["Enabled", "IfPossible"].includes(value)) {
    return [notSupported(field, value, ["Disabled", "Enabled", "IfPossible"])];
  }
  const propagation = textAt(mount, "mountPropagation") ?? "None";
  return [
    ...(valueAt(mount, "readOnly") === true ? [] : [forbidden(field, "may only be specified when readOnly is true")]),
    ...(propagation === "None"
      ? []
      : [forbidden(field, "may only be specified when mountPropagation is None or not specified")]),
  ];
}
