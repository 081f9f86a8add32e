import { canonicalJson, isJsonEqual } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import { checkQualifiedName, checkSubdomain } from "../../core/formats/kube-names.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import {
  duplicate,
  forbidden,
  indexPath,
  invalid,
  invalidStruct,
  notSupported,
  required,
  tooLong,
} from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateLabelSelector } from "../selectors/validate-label-selector.ts";
import { hold, immutable, nonNegative } from "./checks.ts";
import { warnOfOldKeys, warnOfOldLabel } from "./pod-warnings.ts";
import { nanosOf } from "./validate-resources.ts";
import { validateDriverName } from "./validate-volume-kinds.ts";
import { validateInlineVolume } from "./validate-volume-spec.ts";

// Source of this file: Kubernetes, pkg/apis/storage/validation.

const longestNodeId = 256;

/** What is wrong with a CSINode or with its change. */
export function validateCsiNode(node: KubeObject, old: KubeObject | undefined): FieldError[] {
  const drivers = objectsAt(node, "spec", "drivers");
  const names = new Set<string>();
  return [
    ...drivers.flatMap((driver, index) => {
      const path = indexPath("spec.drivers", index);
      const name = textAt(driver, "name") ?? "";
      const errors = validateNodeDriver(driver, path);
      if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
      names.add(name);
      return errors;
    }),
    ...changedDrivers(drivers, objectsAt(old, "spec", "drivers")),
  ];
}

function validateNodeDriver(driver: JsonObject, path: string): FieldError[] {
  const id = textAt(driver, "nodeID") ?? "";
  const keys = new Set<string>();
  const field = `${path}.nodeID`;
  return [
    ...validateDriverName(textAt(driver, "name") ?? "", `${path}.name`),
    ...(id === "" ? [required(field)] : []),
    ...(id.length > longestNodeId ? [invalid(field, id, `must be ${longestNodeId} characters or less`)] : []),
    ...nonNegative(objectAt(driver, "allocatable"), `${path}.allocatable`, "count"),
    ...textsAt(driver, "topologyKeys").flatMap((key) => {
      const isKnown = keys.has(key);
      keys.add(key);
      return [
        ...(key === "" ? [required(path)] : []),
        ...(isKnown ? [duplicate(path, key)] : []),
        ...hold(checkQualifiedName, key, path),
      ];
    }),
  ];
}

/** A driver that stays on the node stays as it is. */
function changedDrivers(drivers: readonly JsonObject[], olds: readonly JsonObject[]): FieldError[] {
  const before = new Map(olds.map((driver) => [textAt(driver, "name"), driver]));
  return drivers.flatMap((driver) => {
    const old = before.get(textAt(driver, "name"));
    if (old === undefined || isJsonEqual(printedDriver(old), printedDriver(driver))) return [];
    return [invalidStruct("spec.drivers", printedDriver(driver), "field is immutable")];
  });
}

/** An API server prints its own form of the object, in the order of that. */
function printedDriver(driver: JsonObject): JsonObject {
  const { name = "", nodeID = "", topologyKeys = null, allocatable } = driver;
  const Allocatable = allocatable === undefined ? null : { Count: numberAt(allocatable, "count") ?? null };
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys, Allocatable };
}

const mostParameters = 512;
const mostMapBytes = 256 * 1024;
const reclaimPolicies = ["Delete", "Retain"];
const bindingModes = ["Immediate", "WaitForFirstConsumer"];

/** What is wrong with a StorageClass or with its change. */
export function validateStorageClass(one: KubeObject, old: KubeObject | undefined): FieldError[] {
  const provisioner = textAt(one, "provisioner") ?? "";
  const policy = textAt(one, "reclaimPolicy") ?? "";
  const mode = textAt(one, "volumeBindingMode") ?? "";
  return [
    ...(provisioner === ""
      ? [required("provisioner")]
      : hold(checkQualifiedName, provisioner.toLowerCase(), "provisioner")),
    ...validateParameters(textMapAt(one, "parameters")),
    ...(policy === "" || reclaimPolicies.includes(policy)
      ? []
      : [notSupported("reclaimPolicy", policy, reclaimPolicies)]),
    ...(bindingModes.includes(mode) ? [] : [notSupported("volumeBindingMode", mode, bindingModes)]),
    ...validateTopologies(objectsAt(one, "allowedTopologies")),
    ...(old === undefined ? [] : keptOfClass(one, old)),
  ];
}

function validateParameters(parameters: Readonly<Record<string, string>>): FieldError[] {
  if (Object.keys(parameters).length > mostParameters) return [tooLong("parameters", mostParameters)];
  return [
    ...("" in parameters ? [invalid("parameters", "", "field can not be empty.")] : []),
    ...(bytesOf(parameters) > mostMapBytes ? [tooLong("parameters", mostMapBytes)] : []),
  ];
}

function bytesOf(map: Readonly<Record<string, string>>): number {
  return Object.entries(map).reduce((sum, entry) => sum + Buffer.byteLength(entry.join("")), 0);
}

function keptOfClass(one: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...["parameters", "provisioner", "reclaimPolicy"].flatMap((name) =>
      isJsonEqual(one[name], old[name]) ? [] : [forbidden(name, `updates to ${name} are forbidden.`)],
    ),
    ...immutable(textAt(one, "volumeBindingMode"), textAt(old, "volumeBindingMode"), "volumeBindingMode"),
  ];
}

/** A term that is equal to another one is named once, however many others there are. */
function validateTopologies(terms: readonly JsonObject[]): FieldError[] {
  // An API server begins with empty terms, as many as there are.
  const seen = new Set(["{}"]);
  return terms.flatMap((term, index) => {
    const field = `${indexPath("allowedTopologies", index)}.matchLabelExpressions`;
    const values = new Map<string, readonly string[]>();
    const errors = objectsAt(term, "matchLabelExpressions").flatMap((expression, place) => {
      const path = indexPath(field, place);
      const key = textAt(expression, "key") ?? "";
      const isKnown = values.has(key);
      values.set(key, [...new Set(textsAt(expression, "values"))].sort());
      return [...validateTopology(expression, path), ...(isKnown ? [duplicate(`${path}.key`, key)] : [])];
    });
    const text = canonicalJson(Object.fromEntries(values));
    if (seen.has(text)) return [...errors, duplicate(field, "")];
    seen.add(text);
    return errors;
  });
}

function validateTopology(expression: JsonObject, path: string): FieldError[] {
  const values = textsAt(expression, "values");
  const seen = new Set<string>();
  return [
    ...(values.length === 0 ? [required(`${path}.values`)] : []),
    ...values.flatMap((value, index) => {
      if (seen.has(value)) return [duplicate(indexPath(`${path}.values`, index), value)];
      seen.add(value);
      return [];
    }),
    ...hold(checkQualifiedName, textAt(expression, "key") ?? "", `${path}.key`),
  ];
}

/** Source: Kubernetes, pkg/api/storage, as for the other one. */
export function warnOfStorageClass(one: KubeObject): readonly string[] {
  return objectsAt(one, "allowedTopologies").flatMap((term, index) =>
    objectsAt(term, "matchLabelExpressions").flatMap((expression, place) =>
      warnOfOldLabel(
        textAt(expression, "key") ?? "",
        `allowedTopologies[${index}].matchLabelExpressions[${place}].key`,
      ),
    ),
  );
}

const lifecycleModes = ["Persistent", "Ephemeral"];
const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];

/** What is wrong with a CSIDriver or with its change. */
export function validateCsiDriver(driver: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = objectAt(driver, "spec") ?? {};
  const oldSpec = objectAt(old, "spec");
  const policy = textAt(spec, "fsGroupPolicy") ?? "";
  return [
    ...(groupPolicies.includes(policy) ? [] : [notSupported("spec.fsGroupPolicy", policy, groupPolicies)]),
    ...validateTokens(objectsAt(spec, "tokenRequests")),
    ...textsAt(spec, "volumeLifecycleModes")
      .filter((mode) => !lifecycleModes.includes(mode))
      .map((mode) => notSupported("spec.volumeLifecycleModes", mode, lifecycleModes)),
    ...(oldSpec === undefined
      ? []
      : [
          // As an API server writes it.
          ...immutable(spec["attachRequired"], oldSpec["attachRequired"], "spec.attachedRequired"),
          ...immutable(spec["volumeLifecycleModes"], oldSpec["volumeLifecycleModes"], "spec.volumeLifecycleModes"),
        ]),
  ];
}

function validateTokens(requests: readonly JsonObject[]): FieldError[] {
  const audiences = new Set<string>();
  return requests.flatMap((request, index) => {
    const path = indexPath("spec.tokenRequests", index);
    const audience = textAt(request, "audience") ?? "";
    if (audiences.has(audience)) return [duplicate(`${path}.audience`, audience)];
    audiences.add(audience);
    const seconds = request["expirationSeconds"];
    const count = numberAt(request, "expirationSeconds");
    if (seconds === undefined || count === undefined) return [];
    const field = `${path}.expirationSeconds`;
    if (count < 600) return [invalid(field, seconds, "may not specify a duration less than 10 minutes")];
    return count > 2 ** 32 ? [invalid(field, seconds, "may not specify a duration larger than 2^32 seconds")] : [];
  });
}

/** What is wrong with a CSIStorageCapacity or with its change. */
export function validateStorageCapacity(capacity: KubeObject, old: KubeObject | undefined): FieldError[] {
  const topology = objectAt(capacity, "nodeTopology");
  const name = textAt(capacity, "storageClassName") ?? "";
  const amount = textAt(capacity, "capacity") ?? "0";
  const isChanged = old !== undefined && !isJsonEqual(topology, objectAt(old, "nodeTopology"));
  return [
    ...(topology === undefined ? [] : validateLabelSelector(topology, "nodeTopology")),
    ...hold(checkSubdomain, name, "storageClassName"),
    ...(nanosOf(amount) < 0n ? [invalid("capacity", amount, "must be greater than or equal to 0")] : []),
    ...(isChanged ? [invalidStruct("nodeTopology", topology ?? null, "field is immutable")] : []),
    ...(old === undefined ? [] : immutable(name, textAt(old, "storageClassName"), "storageClassName")),
  ];
}

export function warnOfStorageCapacity(capacity: KubeObject): readonly string[] {
  const topology = objectAt(capacity, "nodeTopology");
  return [
    ...warnOfOldKeys(topology, "nodeTopology"),
    ...Object.keys(textMapAt(topology, "matchLabels")).flatMap((key) =>
      warnOfOldLabel(key, `nodeTopology.matchLabels.${key}`),
    ),
  ];
}

/** What is wrong with a VolumeAttachment, with its change or with that of its status. */
export function validateVolumeAttachment(attachment: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = objectAt(attachment, "spec") ?? {};
  const errors = [...validateAttachment(spec), ...validateAttachedStatus(objectAt(attachment, "status") ?? {})];
  if (old === undefined) {
    const volume = textAt(spec, "source", "persistentVolumeName");
    return [
      ...errors,
      ...validateDriverName(textAt(spec, "attacher") ?? "", "spec.attacher"),
      ...(volume === undefined ? [] : hold(checkSubdomain, volume, "spec.source.persistentVolumeName")),
    ];
  }
  const isChanged = !isJsonEqual(spec, old["spec"]);
  // An API server names each fault of a change twice.
  return [
    ...errors,
    ...errors,
    ...(isChanged ? [invalidStruct("spec", printedAttachment(spec), "field is immutable")] : []),
  ];
}

function validateAttachment(spec: JsonObject): FieldError[] {
  return [
    ...((textAt(spec, "attacher") ?? "") === "" ? [required("spec.attacher")] : []),
    ...validateAttached(objectAt(spec, "source") ?? {}, "spec.source"),
    ...hold(checkSubdomain, textAt(spec, "nodeName") ?? "", "spec.nodeName"),
  ];
}

const longestMessageBytes = 1024;

function validateAttachedStatus(status: JsonObject): FieldError[] {
  const metadata = bytesOf(textMapAt(status, "attachmentMetadata"));
  return [
    ...(metadata > mostMapBytes ? [tooLong("status.attachmentMetadata", mostMapBytes)] : []),
    ...["attachError", "detachError"].flatMap((name) =>
      // An API server names the bound of the metadata here, too.
      Buffer.byteLength(textAt(status, name, "message") ?? "") > longestMessageBytes
        ? [tooLong(`status.${name}.message`, mostMapBytes)]
        : [],
    ),
  ];
}

function validateAttached(source: JsonObject, path: string): FieldError[] {
  const name = textAt(source, "persistentVolumeName");
  const inline = objectAt(source, "inlineVolumeSpec");
  const text = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (name === undefined) {
    return inline === undefined ? [required(path, text)] : validateInlineVolume(inline, `${path}.inlineVolumeSpec`);
  }
  if (inline !== undefined) return [forbidden(path, text)];
  return name === "" ? [required(`${path}.persistentVolumeName`, "must specify non empty persistentVolumeName")] : [];
}

/** An API server prints its own form of the object, in the order of that. */
function printedAttachment({ attacher = "", source, nodeName = "" }: JsonObject): JsonObject {
  const { persistentVolumeName = null, inlineVolumeSpec = null } = (source ?? {}) as JsonObject;
  const Source = { PersistentVolumeName: persistentVolumeName, InlineVolumeSpec: inlineVolumeSpec };
  return { Attacher: attacher, Source, NodeName: nodeName };
}
