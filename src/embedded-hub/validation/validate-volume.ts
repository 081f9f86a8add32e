import { appendAll } from "../../core/append-all.ts";
import type { JsonObject } from "../../core/json.ts";
import { ownValue } from "../../core/own-value.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import { checkLabel } from "../../core/formats/kube-names.ts";
import { duplicate, forbidden, indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold } from "./checks.ts";
import { validateEphemeralVolume } from "./validate-claim-template.ts";
import type { PodVolumes } from "./validate-devices.ts";
import { validateFieldRef, validateResourceRef, volumeFields } from "./validate-environment.ts";
import { diskValidators, requireTexts } from "./validate-volume-kinds.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

const modeText = "must be a number between 0 and 0777 (octal), both inclusive";
const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

export interface VolumeFindings {
  readonly errors: readonly FieldError[];
  readonly good: PodVolumes;
}

/** What is wrong with the volumes of a Pod. */
export function validateVolumes(spec: JsonObject, path: string): VolumeFindings {
  const good = new Map<string, boolean>();
  const errors = objectsAt(spec, "volumes").flatMap((volume, index) => {
    const item = indexPath(`${path}.volumes`, index);
    const name = textAt(volume, "name") ?? "";
    const own = [
      ...validateSource(volume, item),
      ...(name === "" ? [required(`${item}.name`)] : hold(checkLabel, name, `${item}.name`)),
      ...(good.has(name) ? [duplicate(`${item}.name`, name)] : []),
    ];
    const isOfClaim = ["persistentVolumeClaim", "ephemeral"].some((source) => objectAt(volume, source) !== undefined);
    if (own.length === 0) good.set(name, isOfClaim);
    return own;
  });
  return { errors, good };
}

/** Exactly one kind of source, which must be good. */
function validateSource(volume: JsonObject, path: string): FieldError[] {
  const [first, ...others] = sources.filter((key) => objectAt(volume, key) !== undefined);
  if (first === undefined) return [required(path, "must specify a volume type")];
  const source = objectAt(volume, first) ?? {};
  const validate = ownValue(validators, first);
  return [
    ...(validate?.(source, `${path}.${first}`) ?? []),
    ...others.map((name) =>
      forbidden(`${path}.${misspelt.get(name) ?? name}`, "may not specify more than 1 volume type"),
    ),
    ...validatePortal(volume, `${path}.name`),
  ];
}

const longestPortalBytes = 64;

/** With a name for the initiator, the name of an interface is made of that of the volume and the portal. */
function validatePortal(volume: JsonObject, field: string): FieldError[] {
  const iscsi = objectAt(volume, "iscsi");
  const name = textAt(volume, "name") ?? "";
  const portal = `${name}:${textAt(iscsi, "targetPortal") ?? ""}`;
  if (textAt(iscsi, "initiatorName") === undefined || Buffer.byteLength(portal) <= longestPortalBytes) return [];
  const text =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  return [invalid(field, name, text)];
}

/** As an API server writes them where they are the second source of a volume. */
const misspelt: ReadonlyMap<string, string> = new Map([
  ["cephfs", "cephFS"],
  ["downwardAPI", "downwarAPI"],
]);

type Validate = (source: JsonObject, path: string) => FieldError[];

/** In the order in which an API server checks them: of two, the first one counts. */
const sources = [
  ...["emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi"],
  ...["glusterfs", "flocker", "persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI", "fc"],
  ...["flexVolume", "configMap", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk"],
  ...["storageos", "projected", "scaleIO", "csi", "ephemeral", "image"],
];

const validators: Readonly<Record<string, Validate>> = {
  ...diskValidators,
  gitRepo: (source, path) => [
    ...requireTexts(source, path, "repository"),
    ...validateRelativePath(textAt(source, "directory") ?? "", `${path}.directory`),
  ],
  hostPath: validateHostPath,
  secret: (source, path) => [
    ...requireTexts(source, path, "secretName"),
    ...validateMode(source, path, "defaultMode"),
    ...validateItems(source, path),
  ],
  configMap: (source, path) => [
    ...requireTexts(source, path, "name"),
    ...validateMode(source, path, "defaultMode"),
    ...validateItems(source, path),
  ],
  persistentVolumeClaim: (source, path) => requireTexts(source, path, "claimName"),
  nfs: validateNfs,
  downwardAPI: (source, path) => [
    ...validateMode(source, path, "defaultMode"),
    ...objectsAt(source, "items").flatMap((file) => validateFile(file, path)),
  ],
  projected: validateProjected,
  ephemeral: validateEphemeralVolume,
};

function validateMode(holder: JsonObject, path: string, name: "defaultMode" | "mode"): FieldError[] {
  const mode = numberAt(holder, name);
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalid(`${path}.${name}`, mode, modeText)];
}

function validateItems(source: JsonObject, path: string): FieldError[] {
  return objectsAt(source, "items").flatMap((item, index) => {
    const field = indexPath(`${path}.items`, index);
    return [
      ...requireTexts(item, field, "key", "path"),
      ...validateLocalPath(textAt(item, "path") ?? "", `${field}.path`),
      ...validateMode(item, field, "mode"),
    ];
  });
}

export function validateHostPath(source: JsonObject, path: string): FieldError[] {
  const hostPath = textAt(source, "path") ?? "";
  const type = textAt(source, "type");
  if (hostPath === "") return [required(`${path}.path`)];
  return [
    ...validateNoBacksteps(hostPath, `${path}.path`),
    ...(type === undefined || hostPathTypes.includes(type) ? [] : [notSupported(`${path}.type`, type, hostPathTypes)]),
  ];
}

/** What is wrong with a folder of a Node that is a volume. */
export function validateLocalFolder(source: JsonObject, path: string): FieldError[] {
  const folder = textAt(source, "path") ?? "";
  return folder === "" ? [required(`${path}.path`)] : validateNoBacksteps(folder, `${path}.path`);
}

export function validateNfs(source: JsonObject, path: string): FieldError[] {
  const exported = textAt(source, "path") ?? "";
  return [
    ...requireTexts(source, path, "server", "path"),
    ...(exported.startsWith("/") ? [] : [invalid(`${path}.path`, exported, "must be an absolute path")]),
  ];
}

function validateFile(file: JsonObject, path: string): FieldError[] {
  const fieldRef = objectAt(file, "fieldRef");
  const resourceRef = objectAt(file, "resourceFieldRef");
  const errors = [
    ...requireTexts(file, path, "path"),
    ...validateLocalPath(textAt(file, "path") ?? "", `${path}.path`),
    ...(fieldRef === undefined ? [] : validateFieldRef(fieldRef, volumeFields, `${path}.fieldRef`)),
  ];
  if (fieldRef !== undefined && resourceRef !== undefined) {
    errors.push(invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
  } else if (resourceRef !== undefined) {
    appendAll(errors, validateResourceRef(resourceRef, true, `${path}.resourceFieldRef`));
  } else if (fieldRef === undefined) {
    errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  }
  return [...errors, ...validateMode(file, path, "mode")];
}

function validateProjected(source: JsonObject, path: string): FieldError[] {
  const taken = new Set<string>();
  const conflicts = (files: readonly JsonObject[], given: string): FieldError[] => {
    const repeated = files.filter((file) => {
      const used = textAt(file, "path") ?? "";
      const isTaken = used !== "" && taken.has(used);
      taken.add(used);
      return isTaken;
    });
    if (repeated.length === 0) return [];
    // The part is named for each of its files: printed once for all of them.
    const conflict = invalid(path, given, "conflicting duplicate paths");
    return repeated.map(() => conflict);
  };
  const errors = objectsAt(source, "sources").flatMap((part, index) => {
    const item = indexPath(`${path}.sources`, index);
    const kinds = ["secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate"];
    const present = kinds.filter((kind) => objectAt(part, kind) !== undefined);
    return [
      ...present.flatMap((kind) => validatePart(kind, objectAt(part, kind) ?? {}, { path, item, conflicts })),
      ...(present.length > 1 ? [forbidden(item, "may not specify more than 1 volume type per source")] : []),
    ];
  });
  return [...validateMode(source, path, "defaultMode"), ...errors];
}

interface PartPlace {
  /** Of the volume: faults of paths are reported there. */
  readonly path: string;
  readonly item: string;
  /** Of the files of one part, whose paths may be taken. */
  readonly conflicts: (files: readonly JsonObject[], given: string) => FieldError[];
}

function validatePart(kind: string, part: JsonObject, { path, item, conflicts }: PartPlace): FieldError[] {
  const field = `${item}.${kind}`;
  switch (kind) {
    case "secret":
    case "configMap":
      return [
        ...requireTexts(part, field, "name"),
        ...validateItems(part, field),
        ...conflicts(objectsAt(part, "items"), textAt(part, "name") ?? ""),
      ];
    case "downwardAPI":
      return objectsAt(part, "items").flatMap((file) => [
        ...validateFile(file, field),
        ...conflicts([file], textAt(file, "path") ?? ""),
      ]);
    case "serviceAccountToken":
      return validateToken(part, { path, field });
    default:
      return [];
  }
}

function validateToken(
  part: JsonObject,
  { path, field }: { readonly path: string; readonly field: string },
): FieldError[] {
  const seconds = numberAt(part, "expirationSeconds") ?? 0;
  const errors: FieldError[] = [];
  if (seconds < 600) {
    errors.push(invalid(`${field}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes"));
  }
  if (seconds > 2 ** 32) {
    errors.push(invalid(`${field}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds"));
  }
  const used = textAt(part, "path") ?? "";
  return [...errors, ...(used === "" ? [required(`${path}.path`)] : validateLocalPath(used, `${path}.path`))];
}

/** A path below some folder. */
export function validateRelativePath(path: string, field: string): FieldError[] {
  return [
    ...(path.startsWith("/") ? [invalid(field, path, "must be a relative path")] : []),
    ...validateNoBacksteps(path, field),
  ];
}

function validateNoBacksteps(path: string, field: string): FieldError[] {
  return path.split("/").includes("..") ? [invalid(field, path, "must not contain '..'")] : [];
}

function validateLocalPath(path: string, field: string): FieldError[] {
  const isReserved = path.startsWith("..") && !path.startsWith("../");
  return [
    ...validateRelativePath(path, field),
    ...(isReserved ? [invalid(field, path, "must not start with '..'")] : []),
  ];
}
