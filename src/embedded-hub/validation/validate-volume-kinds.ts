import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, numberAt, objectAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import { checkLabel, checkSubdomain } from "../../core/formats/kube-names.ts";
import { forbidden, invalid, keyPath, notSupported, required, tooLong } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold } from "./checks.ts";
import { nanosOf } from "./validate-resources.ts";

// Volumes that are disks of a provider, of a storage network or of a driver. Source: Kubernetes, pkg/apis/core/validation.

type Validate = (source: JsonObject, path: string) => FieldError[];

export const diskValidators: Readonly<Record<string, Validate>> = {
  emptyDir: (source, path) =>
    nanosOf(textAt(source, "sizeLimit") ?? "0") < 0n
      ? [forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
      : [],
  gcePersistentDisk: (source, path) =>
    validatePartition(source, path.replace(/gceP(?=ersistentDisk$)/u, "p"), "pdName"),
  awsElasticBlockStore: (source, path) => validatePartition(source, path, "volumeID"),
  iscsi: (source, path) => validateIscsiDisk(source, path, "must be valid format starting with iqn, eui, or naa"),
  glusterfs: (source, path) => requireTexts(source, path, "endpoints", "path"),
  flocker: validateFlocker,
  rbd: (source, path) => [...requireList(source, path, "monitors"), ...requireTexts(source, path, "image")],
  cinder: (source, path) => [
    ...requireTexts(source, path, "volumeID"),
    ...requireTexts(objectAt(source, "secretRef") ?? { name: "none" }, `${path}.secretRef`, "name"),
  ],
  cephfs: (source, path) => requireList(source, path, "monitors"),
  quobyte: validateQuobyte,
  fc: validateFibreChannel,
  flexVolume: validateFlexVolume,
  azureFile: (source, path) => requireTexts(source, path, "secretName", "shareName"),
  vsphereVolume: (source, path) => requireTexts(source, path, "volumePath"),
  photonPersistentDisk: (source, path) => requireTexts(source, path, "pdID"),
  portworxVolume: (source, path) => requireTexts(source, path, "volumeID"),
  azureDisk: validateAzureDisk,
  storageos: validateStorageOs,
  scaleIO: (source, path) => requireTexts(source, path, "gateway", "system", "volumeName"),
  csi: validateCsi,
};

/** Errors of fields that are absent or empty. */
export function requireTexts(holder: JsonObject, path: string, ...names: readonly string[]): FieldError[] {
  return names.filter((name) => (textAt(holder, name) ?? "") === "").map((name) => required(`${path}.${name}`));
}

function requireList(holder: JsonObject, path: string, name: string): FieldError[] {
  return textsAt(holder, name).length === 0 ? [required(`${path}.${name}`)] : [];
}

function validateRange(holder: JsonObject, path: string, name: string, detail: string): FieldError[] {
  const value = numberAt(holder, name) ?? 0;
  return value >= 0 && value <= 255 ? [] : [invalid(`${path}.${name}`, value, detail)];
}

/** No partition, which is 0, is the whole disk. */
function validatePartition(source: JsonObject, path: string, name: string): FieldError[] {
  const detail = "must be between 1 and 255, inclusive";
  return [...requireTexts(source, path, name), ...validateRange(source, path, "partition", detail)];
}

const storageNames = [
  /^iqn\.\d{4}-\d{2}\.([a-zA-Z0-9-]+\.)+[a-zA-Z0-9-]+(:[^,;*&$|\s]+)$/u,
  /^eui\.[a-zA-Z0-9]{16}$/u,
  /^naa\.[a-zA-Z0-9]{32}$/u,
];

/** What is wrong with a disk of iSCSI. `prefixText` is for names that begin with none of the known prefixes. */
export function validateIscsiDisk(source: JsonObject, path: string, prefixText: string): FieldError[] {
  const name = textAt(source, "iqn") ?? "";
  const initiator = textAt(source, "initiatorName");
  const hasPassword = isTrueAt(source, "chapAuthDiscovery") || isTrueAt(source, "chapAuthSession");
  return [
    ...requireTexts(source, path, "targetPortal", "iqn"),
    ...(name === "" ? [] : validateStorageName(name, `${path}.iqn`, prefixText)),
    ...validateRange(source, path, "lun", "must be between 0 and 255, inclusive"),
    ...(hasPassword && objectAt(source, "secretRef") === undefined ? [required(`${path}.secretRef`)] : []),
    ...(initiator === undefined ? [] : validateStorageName(initiator, `${path}.initiatorname`, prefixText)),
  ];
}

function validateStorageName(name: string, field: string, prefixText: string): FieldError[] {
  if (!/^(?:iqn|eui|naa)/u.test(name)) return [invalid(field, name, prefixText)];
  return storageNames.some((pattern) => pattern.test(name)) ? [] : [invalid(field, name, "must be valid format")];
}

function validateFlocker(source: JsonObject, path: string): FieldError[] {
  const name = textAt(source, "datasetName") ?? "";
  const uid = textAt(source, "datasetUUID") ?? "";
  const both = "datasetName and datasetUUID can not be specified simultaneously";
  return [
    ...(name === "" && uid === "" ? [required(path, "one of datasetName and datasetUUID is required")] : []),
    ...(name !== "" && uid !== "" ? [invalid(path, "resource", both)] : []),
    ...(name.includes("/") ? [invalid(`${path}.datasetName`, name, "must not contain '/'")] : []),
  ];
}

function validateQuobyte(source: JsonObject, path: string): FieldError[] {
  const registry = textAt(source, "registry") ?? "";
  const detail = "must be a host:port pair or multiple pairs separated by commas";
  const field = `${path}.registry`;
  // Each names the whole text: printed once for all of them.
  const wrong = invalid(field, registry, detail);
  const ofRegistry = registry
    .split(",")
    .filter((pair) => !/^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/u.test(pair))
    .map(() => wrong);
  const tenantDetail = "must be a UUID and may not exceed a length of 64 characters";
  const hasLongTenant = (textAt(source, "tenant") ?? "").length >= 65;
  const ofTenant = hasLongTenant ? [required(`${path}.tenant`, tenantDetail)] : ofRegistry;
  return [...(registry === "" ? [required(field, detail)] : ofTenant), ...requireTexts(source, path, "volume")];
}

function validateFibreChannel(source: JsonObject, path: string): FieldError[] {
  const names = textsAt(source, "targetWWNs");
  const hasIds = textsAt(source, "wwids").length > 0;
  const field = `${path}.targetWWNs`;
  if (names.length === 0) {
    return hasIds ? [] : [required(field, "must specify either targetWWNs or wwids, but not both")];
  }
  const both = "targetWWNs and wwids can not be specified simultaneously";
  return [
    ...(hasIds ? [invalid(field, [...names], both)] : []),
    ...(numberAt(source, "lun") === undefined
      ? [required(`${path}.lun`, "lun is required if targetWWNs is specified")]
      : validateRange(source, path, "lun", "must be between 0 and 255, inclusive")),
  ];
}

function validateFlexVolume(source: JsonObject, path: string): FieldError[] {
  const isReserved = (key: string): boolean => {
    const domain = key.toLowerCase().split("/")[0] ?? "";
    return ["kubernetes.io", "k8s.io"].some((own) => domain === own || domain.endsWith(`.${own}`));
  };
  return [
    ...requireTexts(source, path, "driver"),
    ...Object.keys(textMapAt(source, "options"))
      .filter(isReserved)
      .map((key) => {
        const detail = "kubernetes.io and k8s.io namespaces are reserved";
        return invalid(keyPath(`${path}.options`, key), key, detail);
      }),
  ];
}

const managedDisk = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDisk = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

function validateAzureDisk(source: JsonObject, path: string): FieldError[] {
  const uri = textAt(source, "diskURI") ?? "";
  const caching = textAt(source, "cachingMode");
  const kind = textAt(source, "kind") ?? "Shared";
  const isManaged = kind === "Managed";
  const kinds = ["Dedicated", "Managed", "Shared"];
  const start = isManaged ? "/subscriptions/" : "https://";
  const cachings = ["None", "ReadOnly", "ReadWrite"];
  return [
    ...requireTexts(source, path, "diskName", "diskURI"),
    ...(caching === undefined || cachings.includes(caching)
      ? []
      : [notSupported(`${path}.cachingMode`, caching, cachings)]),
    ...(kinds.includes(kind) ? [] : [notSupported(`${path}.kind`, kind, kinds)]),
    ...(uri.startsWith(start) ? [] : [notSupported(`${path}.diskURI`, uri, [isManaged ? managedDisk : blobDisk])]),
  ];
}

/** What is wrong with a volume of StorageOS. */
export function validateStorageOs(source: JsonObject, path: string): FieldError[] {
  const [name = "", namespace = ""] = [textAt(source, "volumeName"), textAt(source, "volumeNamespace")];
  return [
    ...(name === "" ? [required(`${path}.volumeName`)] : hold(checkLabel, name, `${path}.volumeName`)),
    ...(namespace === "" ? [] : hold(checkLabel, namespace, `${path}.volumeNamespace`)),
    ...requireTexts(objectAt(source, "secretRef") ?? { name: "none" }, `${path}.secretRef`, "name"),
  ];
}

/** What is wrong with the name of a driver of the Container Storage Interface. */
export function validateDriverName(name: string, field: string): FieldError[] {
  return [
    ...(name === "" ? [required(field)] : []),
    ...(name.length > 63 ? [tooLong(field, 63)] : []),
    ...checkSubdomain(name.toLowerCase()).map((text) => invalid(field, name, text)),
  ];
}

function validateCsi(source: JsonObject, path: string): FieldError[] {
  const secret = textAt(objectAt(source, "nodePublishSecretRef") ?? { name: "none" }, "name") ?? "";
  return [
    ...validateDriverName(textAt(source, "driver") ?? "", `${path}.driver`),
    ...(secret === "" ? [required(`${path}.nodePublishSecretRef.name`)] : hold(checkSubdomain, secret, `${path}.name`)),
  ];
}
