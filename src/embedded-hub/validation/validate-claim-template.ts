import type { JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import { objectAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import type { NameCheck } from "../../core/formats/kube-names.ts";
import { checkLabel, checkSubdomain } from "../../core/formats/kube-names.ts";
import { validateAnnotations, validateLabels } from "../metadata/validate-metadata.ts";
import { forbidden, invalid, invalidStruct, keyPath, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateSelectorAt } from "../selectors/validate-label-selector.ts";
import { hold } from "./checks.ts";
import { nanosOf } from "./validate-resources.ts";

// Claims that are made for a Pod, and end with it. Source of this file: Kubernetes, pkg/apis/core/validation.

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const volumeModes = ["Block", "Filesystem"];

/** What is wrong with a volume for which a claim is made. */
export function validateEphemeralVolume(source: JsonObject, path: string): FieldError[] {
  const template = objectAt(source, "volumeClaimTemplate");
  const field = `${path}.volumeClaimTemplate`;
  if (template === undefined) return [required(field)];
  return [
    ...validateTemplateMetadata(objectAt(template, "metadata") ?? {}, `${field}.metadata`),
    ...validateClaimSpec(objectAt(template, "spec") ?? {}, `${field}.spec`),
  ];
}

/** A claim is named after its Pod: its template has labels and annotations alone. */
function validateTemplateMetadata(metadata: JsonObject, path: string): FieldError[] {
  const { labels: _labels, annotations: _annotations, ...others } = metadata;
  return [
    ...validateAnnotations(textMapAt(metadata, "annotations"), `${path}.annotations`),
    ...validateLabels(textMapAt(metadata, "labels"), `${path}.labels`),
    ...Object.entries(others)
      .filter(([, value]) => !["", 0, null, undefined].includes(value as string))
      .map(([name]) => forbidden(`${path}.${name}`, "cannot be set")),
  ];
}

function validateClaimSpec(spec: JsonObject, path: string): FieldError[] {
  const mode = textAt(spec, "volumeMode");
  return [
    ...validateModes(textsAt(spec, "accessModes"), `${path}.accessModes`),
    ...validateSelectorAt(spec, "selector", path),
    ...validateStorage(spec, keyPath(`${path}.resources`, "storage")),
    ...holdUnlessEmpty(checkSubdomain, spec, path, "storageClassName"),
    ...(mode === undefined || volumeModes.includes(mode)
      ? []
      : [notSupported(`${path}.volumeMode`, mode, volumeModes)]),
    ...validateSources(spec, path),
    ...holdUnlessEmpty(checkSubdomain, spec, path, "volumeAttributesClassName"),
  ];
}

function validateModes(modes: readonly string[], path: string): FieldError[] {
  return modes.length === 0 ? [required(path, "at least 1 access mode is required")] : validateKnownModes(modes, path);
}

/** What is wrong with the ways in which a volume is mounted. */
export function validateKnownModes(modes: readonly string[], path: string): FieldError[] {
  const known = modes.filter((mode) => accessModes.includes(mode));
  const isMixed = known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod");
  return [
    ...modes.filter((mode) => !accessModes.includes(mode)).map((mode) => notSupported(path, mode, accessModes)),
    ...(isMixed ? [forbidden(path, "may not use ReadWriteOncePod with other access modes")] : []),
  ];
}

function validateStorage(spec: JsonObject, field: string): FieldError[] {
  const text = textAt(spec, "resources", "requests", "storage");
  if (text === undefined) return [required(field)];
  return nanosOf(text) > 0n ? [] : [invalid(field, text, "must be greater than zero")];
}

/** What the new volume begins with: two fields that mean the same, of which the second may name another namespace. */
function validateSources(spec: JsonObject, path: string): FieldError[] {
  const source = objectAt(spec, "dataSource");
  const reference = objectAt(spec, "dataSourceRef");
  const errors = [
    ...(source === undefined ? [] : validateDataSource(source, `${path}.dataSource`)),
    ...(reference === undefined ? [] : validateDataSource(reference, `${path}.dataSourceRef`)),
  ];
  if (source === undefined || reference === undefined) return errors;
  const { namespace = "", ...named } = reference;
  const isAlone = namespace !== "";
  if (!isAlone && isJsonEqual(named, source)) return errors;
  const text = isAlone ? "may not be specified when dataSourceRef.namespace is specified" : "must match dataSourceRef";
  return [...errors, invalidStruct(path, {}, text)];
}

function validateDataSource(source: JsonObject, path: string): FieldError[] {
  const kind = textAt(source, "kind") ?? "";
  const isForeign = (textAt(source, "apiGroup") ?? "") === "" && kind !== "PersistentVolumeClaim";
  const foreign = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...((textAt(source, "name") ?? "") === "" ? [required(`${path}.name`)] : []),
    ...(kind === "" ? [required(`${path}.kind`)] : []),
    ...(isForeign ? [invalid(path, kind, foreign)] : []),
    ...holdUnlessEmpty(checkSubdomain, source, path, "apiGroup"),
    ...holdUnlessEmpty(checkLabel, source, path, "namespace"),
  ];
}

function holdUnlessEmpty(check: NameCheck, holder: JsonObject, path: string, name: string): FieldError[] {
  const value = textAt(holder, name) ?? "";
  return value === "" ? [] : hold(check, value, `${path}.${name}`);
}
