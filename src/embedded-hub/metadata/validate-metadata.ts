// metadata: names, labels, annotations, owners and the system fields that every object has.
import { appendAll } from "../../core/append-all.ts";
import { isJsonEqual } from "../../core/json.ts";
import type { Json } from "../../core/json.ts";
import type { KubeObject, OwnerReference } from "../../model/kubernetes.ts";
import type { FieldError } from "../schema/schema.ts";
import { forbidden, invalid, invalidStruct, required, tooLong } from "../schema/field-error.ts";
import type { NameCheck } from "../../core/formats/kube-names.ts";
import { checkLabel, checkLabelValue, checkQualifiedName } from "../../core/formats/kube-names.ts";

const annotationsLimitBytes = 256 * 1024;
/** How many references too many with `controller: true` are named. */
const controllerErrorLimit = 3;
const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";
const standardFinalizers = ["kubernetes", orphanFinalizer, foregroundFinalizer];

/**
 * What is wrong with an object's metadata, whether it is new or not. Source: Kubernetes, apimachinery api/validation
 * ValidateObjectMeta.
 */
export function validateMetadata(object: KubeObject, isNamespaced: boolean, checkName: NameCheck): FieldError[] {
  const { metadata } = object;
  const errors: FieldError[] = [];
  const { generateName = "", name = "", namespace = "" } = metadata;
  if (generateName !== "") {
    // A generated name always ends well: a dash at the end is passed over, with the character before it.
    const probe = /[^]-$/u.test(generateName) ? `${generateName.slice(0, -2)}a` : generateName;
    appendAll(
      errors,
      checkName(probe).map((text) => invalid("metadata.generateName", generateName, text)),
    );
  }
  if (name === "") errors.push(required("metadata.name", "name or generateName is required"));
  else
    appendAll(
      errors,
      checkName(name).map((text) => invalid("metadata.name", name, text)),
    );
  if (isNamespaced) {
    if (namespace === "") errors.push(required("metadata.namespace"));
    else
      appendAll(
        errors,
        checkLabel(namespace).map((text) => invalid("metadata.namespace", namespace, text)),
      );
  } else if (namespace !== "") {
    errors.push(forbidden("metadata.namespace", "not allowed on this type"));
  }
  const { generation = 0 } = metadata;
  if (generation < 0) errors.push(invalid("metadata.generation", generation, "must be greater than or equal to 0"));
  appendAll(errors, validateLabels(metadata.labels, "metadata.labels"));
  appendAll(errors, validateAnnotations(metadata.annotations, "metadata.annotations"));
  appendAll(errors, validateOwners(metadata.ownerReferences ?? []));
  appendAll(errors, validateFinalizers(metadata.finalizers ?? []));
  return errors;
}

/** What an update may not do to metadata. Source: ValidateObjectMetaUpdate. */
export function validateMetadataUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const { metadata } = object;
  if (old.metadata.deletionTimestamp !== undefined) {
    const before = new Set(old.metadata.finalizers);
    const added = (metadata.finalizers ?? []).filter((one) => !before.has(one)).sort();
    if (added.length > 0) {
      const list = `[]string{${added.map((one) => JSON.stringify(one)).join(", ")}}`;
      const text = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
      errors.push(forbidden("metadata.finalizers", text));
    }
  }
  if ((metadata.resourceVersion ?? "") === "") {
    errors.push(invalid("metadata.resourceVersion", "", "must be specified for an update"));
  }
  for (const field of [
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
  ] as const) {
    if (!isJsonEqual(metadata[field], old.metadata[field])) {
      errors.push(invalid(`metadata.${field}`, metadata[field] ?? null, "field is immutable"));
    }
  }
  appendAll(errors, validateLabels(metadata.labels, "metadata.labels"));
  appendAll(errors, validateAnnotations(metadata.annotations, "metadata.annotations"));
  appendAll(errors, validateOwners(metadata.ownerReferences ?? []));
  return errors;
}

export function validateLabels(labels: Readonly<Record<string, string>> = {}, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map((text) => invalid(field, key, text)),
    ...checkLabelValue(value).map((text) => invalid(field, value, text)),
  ]);
}

export function validateAnnotations(annotations: Readonly<Record<string, string>> = {}, field: string): FieldError[] {
  const errors: FieldError[] = [];
  let totalBytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    appendAll(
      errors,
      checkQualifiedName(key.toLowerCase()).map((text) => invalid(field, key, text)),
    );
    totalBytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (totalBytes > annotationsLimitBytes) errors.push(tooLong(field, annotationsLimitBytes));
  return errors;
}

function validateOwners(owners: readonly OwnerReference[]): FieldError[] {
  const field = "metadata.ownerReferences";
  const errors: FieldError[] = [];
  let controller: string | undefined;
  let furtherControllers = 0;
  // kube-apiserver names the field of the list, not of the item.
  for (const owner of owners) {
    const [group, version] = splitApiVersion(owner.apiVersion);
    if (version === "") {
      errors.push(invalid(`${field}.apiVersion`, owner.apiVersion ?? "", "version must not be empty"));
    }
    for (const key of ["kind", "name", "uid"] as const) {
      if ((owner[key] ?? "") === "") errors.push(invalid(`${field}.${key}`, "", "must not be empty"));
    }
    if (group === "" && version === "v1" && owner.kind === "Event") {
      errors.push(invalidStruct(field, inOrder(owner), "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller === undefined) {
      controller = name;
      continue;
    }
    // Each error repeats the whole list.
    furtherControllers += 1;
    if (furtherControllers > controllerErrorLimit) continue;
    const text = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
    errors.push(invalidStruct(field, owners.map(inOrder), text));
  }
  return errors;
}

/** With its fields in the order of the API. */
function inOrder({ apiVersion = "", kind = "", name, uid = "", controller, blockOwnerDeletion }: OwnerReference): Json {
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller === undefined ? {} : { controller }),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  };
}

function validateFinalizers(finalizers: readonly string[]): FieldError[] {
  const field = "metadata.finalizers";
  const errors = finalizers.flatMap((one) => checkQualifiedName(one).map((text) => invalid(field, one, text)));
  if (finalizers.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer)) {
    const text = `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`;
    errors.push(invalid(field, finalizers, text));
  }
  return errors;
}

/** Built-in kinds take only finalizers that are qualified, or Kubernetes' own. */
export function validateKubeFinalizers({ metadata }: KubeObject): FieldError[] {
  return (metadata.finalizers ?? []).flatMap((finalizer, index) => {
    if (finalizer.includes("/") || standardFinalizers.includes(finalizer)) return [];
    const text = "name is neither a standard finalizer name nor is it fully qualified";
    return [invalid(`metadata.finalizers[${index}]`, finalizer, text)];
  });
}

/** Texts for finalizers of a custom object that have no domain. Those that it had before are not named. */
export function warnOfFinalizers(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const known = new Set([...standardFinalizers, ...(old?.metadata.finalizers ?? [])]);
  const plain = (object.metadata.finalizers ?? []).filter((one) => !one.includes("/") && !known.has(one));
  const advice = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers";
  return plain.map((one) => `metadata.finalizers: ${JSON.stringify(one)}: ${advice}`);
}

/** Both are empty where there are more parts. */
function splitApiVersion(apiVersion = ""): readonly [string, string] {
  const [first = "", second, ...more] = apiVersion.split("/");
  if (more.length > 0) return ["", ""];
  return second === undefined ? ["", first] : [first, second];
}
