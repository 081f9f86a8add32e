import { checkLabel, checkSubdomain } from "../../core/formats/kube-names.ts";
import type { JsonObject } from "../../core/json.ts";
import { ownValue } from "../../core/own-value.ts";
import { objectAt, textAt, textsAt } from "../../core/read-json.ts";
import { forbidden, invalid, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold } from "./checks.ts";
import { validateKnownModes } from "./validate-claim-template.ts";
import { validateHostPath, validateLocalFolder, validateNfs } from "./validate-volume.ts";
import {
  diskValidators,
  requireTexts,
  validateDriverName,
  validateIscsiDisk,
  validateStorageOs,
} from "./validate-volume-kinds.ts";

// The spec of a volume that is no volume of a Pod. Source of this file: Kubernetes, pkg/apis/core/validation.

type Validate = (source: JsonObject, path: string) => FieldError[];

/** In the order in which an API server checks them: of two, the first one counts. */
const sources = [
  ...["hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte"],
  ...["cephfs", "iscsi", "cinder", "fc", "flexVolume", "azureFile", "vsphereVolume", "photonPersistentDisk"],
  ...["portworxVolume", "azureDisk", "scaleIO", "local", "storageos", "csi"],
];

/** Those that name Secrets name their namespace too. */
const validators: Readonly<Record<string, Validate>> = {
  ...diskValidators,
  hostPath: validateHostPath,
  nfs: validateNfs,
  glusterfs: validateGlusterfs,
  iscsi: validateIscsi,
  cinder: (source, path) => [
    ...requireTexts(source, path, "volumeID"),
    ...requireTexts(objectAt(source, "secretRef") ?? noSecret, `${path}.secretRef`, "name", "namespace"),
  ],
  azureFile: (source, path) => [
    ...requireTexts(source, path, "secretName", "shareName"),
    ...(textAt(source, "secretNamespace") === "" ? [required(`${path}.secretNamespace`)] : []),
  ],
  local: validateLocalFolder,
  storageos: (source, path) => [
    ...validateStorageOs(source, path),
    ...requireTexts(objectAt(source, "secretRef") ?? noSecret, `${path}.secretRef`, "namespace"),
  ],
  csi: validateCsi,
};

const noSecret = { name: "none", namespace: "none" };

/** What is wrong with the spec of a volume that is a part of another object: only a CSI driver serves such a one. */
export function validateInlineVolume(spec: JsonObject, path: string): FieldError[] {
  const context = "in the context of inline volumes";
  const refuse = (name: string, isGiven: boolean, text = `may not be specified ${context}`): FieldError[] =>
    isGiven ? [forbidden(`${path}.${name}`, text)] : [];
  const policy = textAt(spec, "persistentVolumeReclaimPolicy") ?? "";
  const mode = textAt(spec, "volumeMode") ?? "Filesystem";
  const modes = textsAt(spec, "accessModes");
  return [
    ...refuse("claimRef", objectAt(spec, "claimRef") !== undefined),
    ...refuse("capacity", Object.keys(objectAt(spec, "capacity") ?? {}).length > 0),
    ...(objectAt(spec, "csi") === undefined ? [required(`${path}.csi`, `has to be specified ${context}`)] : []),
    ...(modes.length === 0 ? [required(`${path}.accessModes`)] : []),
    ...validateKnownModes(modes, `${path}.accessModes`),
    ...refuse("persistentVolumeReclaimPolicy", policy !== "" && policy !== "Retain", `may only be Retain ${context}`),
    ...refuse("nodeAffinity", objectAt(spec, "nodeAffinity") !== undefined),
    ...validateSources(spec, path),
    ...refuse("storageClassName", (textAt(spec, "storageClassName") ?? "") !== ""),
    ...refuse("volumeMode", mode !== "Filesystem", `may not specify volumeMode other than Filesystem ${context}`),
  ];
}

function validateSources(spec: JsonObject, path: string): FieldError[] {
  const given = sources.filter((name) => objectAt(spec, name) !== undefined);
  return [
    ...given.flatMap((name, index) =>
      index === 0 || name === "flexVolume"
        ? (ownValue(validators, name)?.(objectAt(spec, name) ?? {}, `${path}.${name}`) ?? [])
        : [forbidden(`${path}.${name === "cephfs" ? "cephFS" : name}`, "may not specify more than 1 volume type")],
    ),
    ...(given[0] === "local" ? [required(`${path}.nodeAffinity`, "Local volume requires node affinity")] : []),
    ...(given.length === 0 ? [required(path, "must specify a volume type")] : []),
  ];
}

function validateGlusterfs(source: JsonObject, path: string): FieldError[] {
  const namespace = textAt(source, "endpointsNamespace");
  const field = `${path}.endpointsNamespace`;
  return [
    ...requireTexts(source, path, "endpoints", "path"),
    ...(namespace === ""
      ? [invalid(field, "", "if the endpointnamespace is set, it must be a valid namespace name")]
      : hold(checkLabel, namespace ?? "a", field)),
  ];
}

const longestPortalBytes = 64;

/** As of a Pod, besides the words for the names, and the portal, which has no name of a volume before it. */
function validateIscsi(source: JsonObject, path: string): FieldError[] {
  const portal = textAt(source, "targetPortal") ?? "";
  const isLong = textAt(source, "initiatorName") !== undefined && Buffer.byteLength(`:${portal}`) > longestPortalBytes;
  const text =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  return [
    ...validateIscsiDisk(source, path, "must be valid format"),
    ...(isLong ? [invalid(`${path}.targetportal`, portal, text)] : []),
    ...requireTexts(objectAt(source, "secretRef") ?? noSecret, `${path}.secretRef`, "name"),
  ];
}

const secretReferences = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
];

function validateCsi(source: JsonObject, path: string): FieldError[] {
  return [
    ...validateDriverName(textAt(source, "driver") ?? "", `${path}.driver`),
    ...requireTexts(source, path, "volumeHandle"),
    ...secretReferences.flatMap((name) => {
      const reference = objectAt(source, name);
      return reference === undefined ? [] : validateSecretReference(reference, `${path}.${name}`);
    }),
  ];
}

function validateSecretReference(reference: JsonObject, path: string): FieldError[] {
  const { name = "", namespace = "" } = { name: textAt(reference, "name"), namespace: textAt(reference, "namespace") };
  return [
    ...(name === "" ? [required(`${path}.name`)] : hold(checkSubdomain, name, `${path}.name`)),
    ...(namespace === "" ? [required(`${path}.namespace`)] : hold(checkLabel, namespace, `${path}.namespace`)),
  ];
}
