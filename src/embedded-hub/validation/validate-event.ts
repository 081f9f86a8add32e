import { appendAll } from "../../core/append-all.ts";
import type { JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import { numberAt, objectAt, textAt, valueAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkQualifiedName } from "../../core/formats/kube-names.ts";
import { invalid, invalidStruct, required } from "../schema/field-error.ts";
import { asJson } from "../metadata/kube-json.ts";
import type { FieldError } from "../schema/schema.ts";

const mostNoteBytes = 1024;
const mostBytes = 128;

/** What is wrong with an Event of v1. Source of this file: Kubernetes, pkg/apis/core/validation/events.go. */
export function validateCoreEvent(event: KubeObject): FieldError[] {
  return validateForm(event, { object: "involvedObject", controller: "reportingComponent", note: "message" });
}

/** What is wrong with an Event of events.k8s.io/v1, which is held to more. Messages name the fields of v1, as real ones do. */
export function validateNewEvent(event: KubeObject, old: KubeObject | undefined): FieldError[] {
  const legacy = validateForm(event, { object: "regarding", controller: "reportingController", note: "note" });
  return [...legacy, ...(old === undefined ? validateCreate(event) : validateUpdate(event, old))];
}

interface Form {
  readonly object: string;
  readonly controller: string;
  readonly note: string;
}

function validateForm(event: KubeObject, form: Form): FieldError[] {
  const namespace = event.metadata.namespace ?? "";
  const about = textAt(event, form.object, "namespace") ?? "";
  const isNew = isSet(event, "eventTime");
  const homes = isNew ? ["default", "kube-system"] : ["", "default"];
  const fits = about === "" ? homes.includes(namespace) : isNew || about === namespace;
  const errors = fits ? [] : [invalid("involvedObject.namespace", about, "does not match event.namespace")];
  if (!isNew) return errors;
  const controller = textAt(event, form.controller) ?? "";
  if (controller === "") errors.push(required(form.controller));
  appendAll(
    errors,
    checkQualifiedName(controller).map((text) => invalid(form.controller, controller, text)),
  );
  for (const field of ["reportingInstance", "action", "reason"]) {
    const value = textAt(event, field) ?? "";
    if (value === "") errors.push(required(field));
    appendAll(errors, lengthErrors(field, value, mostBytes));
  }
  return [...errors, ...lengthErrors("message", textAt(event, form.note) ?? "", mostNoteBytes)];
}

function validateCreate(event: KubeObject): FieldError[] {
  const type = textAt(event, "type") ?? "";
  const unset = (isUnset: boolean, field: string) => (isUnset ? [] : [invalid(field, "", "needs to be unset")]);
  const isSourceEmpty = ["component", "host"].every((name) => (textAt(event, "deprecatedSource", name) ?? "") === "");
  return [
    ...validateSeries(event),
    ...(isSet(event, "eventTime") ? [] : [required("eventTime")]),
    ...(["Normal", "Warning"].includes(type) ? [] : [invalid("type", "", `has invalid value: ${type}`)]),
    ...unset(!isSet(event, "deprecatedFirstTimestamp"), "firstTimestamp"),
    ...unset(!isSet(event, "deprecatedLastTimestamp"), "lastTimestamp"),
    ...unset((numberAt(event, "deprecatedCount") ?? 0) === 0, "count"),
    ...unset(isSourceEmpty, "source"),
  ];
}

/** What a change keeps, by its name in v1. */
const fixedFields: readonly (readonly [string, string])[] = [
  ["regarding", "involvedObject"],
  ["reason", "reason"],
  ["note", "message"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
  ["reason", "reason"],
  ["type", "type"],
  ["eventTime", "eventTime"],
  ["action", "action"],
  ["related", "related"],
  ["reportingController", "reportingController"],
  ["reportingInstance", "reportingInstance"],
];

function validateUpdate(event: KubeObject, old: KubeObject): FieldError[] {
  const isSeriesChanged = !isJsonEqual(valueAt(event, "series") ?? null, valueAt(old, "series") ?? null);
  const changed = fixedFields.filter(([field]) => {
    return !isJsonEqual(valueAt(event, field) ?? null, valueAt(old, field) ?? null);
  });
  return [
    ...(isSeriesChanged ? validateSeries(event) : []),
    ...changed.map(([field, name]) =>
      field === "regarding"
        ? invalidStruct(name, shownReference(event, field), "field is immutable")
        : invalid(name, asJson(event)[field] ?? (textFields.includes(field) ? "" : null), "field is immutable"),
    ),
  ];
}

const textFields = ["reason", "note", "type", "action", "reportingController", "reportingInstance"];
const referenceFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** As kube-apiserver's own type has it: a reference has all its fields, under the names that they have in Go. */
function shownReference(event: KubeObject, field: string): JsonObject {
  const goName = (name: string): string =>
    name === "uid" ? "UID" : name === "apiVersion" ? "APIVersion" : capital(name);
  return Object.fromEntries(referenceFields.map((name) => [goName(name), textAt(event, field, name) ?? ""]));
}

function capital(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function validateSeries(event: KubeObject): FieldError[] {
  if (objectAt(event, "series") === undefined) return [];
  return [
    ...((numberAt(event, "series", "count") ?? 0) < 2 ? [invalid("series.count", "", "should be at least 2")] : []),
    ...((textAt(event, "series", "lastObservedTime") ?? "") === "" ? [required("series.lastObservedTime")] : []),
  ];
}

function lengthErrors(field: string, value: string, most: number): FieldError[] {
  return Buffer.byteLength(value) > most ? [invalid(field, "", `can have at most ${most} characters`)] : [];
}

function isSet(event: KubeObject, field: string): boolean {
  return (textAt(event, field) ?? "") !== "";
}
