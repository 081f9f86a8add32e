import { stringify } from "yaml";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import { isUnionMessage } from "../../../src/embedded-hub/types/schema-of.ts";
import type { FieldType, MessageField } from "../../../src/embedded-hub/types/type-registry.ts";
import { messageType, messageTypeOfKind } from "../../../src/embedded-hub/types/type-registry.ts";
import type { BaseObject } from "./base-objects.ts";
import { baseObjects } from "./base-objects.ts";

/** The ways in which an object is written. */
export const ways = ["create", "createYaml", "update", "apply", "strategic", "merge", "jsonPatch"] as const;
export type Way = (typeof ways)[number];

/** One field of a kind: `steps` lead to it; a number is an index of a list. */
export interface FieldCase {
  readonly base: BaseObject;
  readonly steps: readonly (string | number)[];
  readonly type: FieldType;
  /** Fields of the same shape are decoded by the same code: `int32`, `*[]message`. */
  readonly shape: string;
  /** The names of merge keys of the lists on the way. */
  readonly keys: readonly { readonly at: number; readonly name: string; readonly isNumber: boolean }[];
}

/** JSON texts that are written into every field. */
export const literals: readonly string[] = [
  '"plain-text"',
  '""',
  '"3"',
  "3",
  "3.5",
  "1.0",
  "1e3",
  "-1",
  "2147483648",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "1e400",
  "true",
  "null",
  "{}",
  "[]",
  '{"a":1}',
  "[1]",
  '["a"]',
  "[null]",
  '{"a":null}',
  '"2026-01-02T03:04:05Z"',
  '"2026-01-02T03:04:05.000000Z"',
  '"2026-02-30T03:04:05Z"',
  '"1.5Gi"',
  '"1..5"',
];

export interface ScalarRequest {
  readonly method: "POST" | "PUT" | "PATCH";
  /** With `NS`. */
  readonly path: string;
  readonly contentType: string;
  /** With `NS`, and with `@@VERSION@@` for the version of the object that is changed. */
  readonly body: string;
}

/** Every field of every stored kind, each message once: the first kind that reaches it represents all. */
export function fieldCases(): readonly FieldCase[] {
  const seen = new Set<string>();
  return baseObjects.flatMap((base) => {
    const message = messageTypeOfKind(base.group, base.version, base.kind);
    if (message === undefined) throw new Error(`no type for ${base.kind}`);
    const cases: FieldCase[] = [];
    walkMessage({ base, seen, cases }, message.name, { steps: [], keys: [] });
    return cases;
  });
}

interface Walk {
  readonly base: BaseObject;
  readonly seen: Set<string>;
  readonly cases: FieldCase[];
}

type Place = Pick<FieldCase, "steps" | "keys">;

function walkMessage(walk: Walk, name: string, place: Place): void {
  if (walk.seen.has(name) || isUnionMessage(name)) return;
  walk.seen.add(name);
  for (const field of messageType(name).fields) {
    if (field.isInline && field.type.kind === "message") walkMessage(walk, field.type.message, place);
    else walkField(walk, field, { ...place, steps: [...place.steps, field.name] });
  }
}

function walkField(walk: Walk, field: MessageField, place: Place): void {
  const { base } = walk;
  const { type } = field;
  walk.cases.push({ base, ...place, type, shape: `${field.isPointer ? "*" : ""}${shapeOf(type)}` });
  if (type.kind === "message") walkMessage(walk, type.message, place);
  if (type.kind !== "list" && type.kind !== "map") return;
  const step = type.kind === "list" ? 0 : "a";
  const steps = [...place.steps, step];
  const names = field.mapKeys ?? (field.patchMergeKey === undefined ? [] : [field.patchMergeKey]);
  const keys = [...place.keys, ...names.map((name) => ({ at: steps.length, name, isNumber: isNumberKey(type, name) }))];
  walk.cases.push({ base, steps, keys, type: type.element, shape: `in ${type.kind} ${shapeOf(type.element)}` });
  if (type.element.kind === "message") walkMessage(walk, type.element.message, { steps, keys });
}

function isNumberKey({ element }: FieldType & { kind: "list" | "map" }, name: string): boolean {
  if (element.kind !== "message") return false;
  const key = messageType(element.message).fields.find((field) => field.name === name);
  return key?.type.kind === "scalar" && (key.type.scalar === "int32" || key.type.scalar === "int64");
}

function shapeOf(type: FieldType): string {
  switch (type.kind) {
    case "scalar":
      return type.scalar;
    case "message":
      return isUnionMessage(type.message) ? type.message : "message";
    case "list":
      return `[]${shapeOf(type.element)}`;
    case "map":
      return `map ${shapeOf(type.element)}`;
  }
}

/** `/Pod`, `autoscaling/HorizontalPodAutoscaler/v2`: of v1, the version is left out. */
export function kindKey({ group, version, kind }: BaseObject): string {
  return `${group}/${kind}${version === "v1" ? "" : `/${version}`}`;
}

/** `/Pod .spec.containers[0].image "plain-text" create`. */
export function caseName({ base, steps }: FieldCase, literal: string, way: Way): string {
  const path = steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  return `${kindKey(base)} ${path} ${literal} ${way}`;
}

const value = "@@VALUE@@";

/** The object that exists before. */
export function existingObject(base: BaseObject): JsonObject {
  return objectNamed(base, "exists");
}

export function collectionPath({ group, version, plural, isClusterScoped = false }: BaseObject): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return isClusterScoped ? `${root}/${plural}` : `${root}/namespaces/NS/${plural}`;
}

export function nameOf(base: BaseObject, name: string): string {
  if (base.kind === "CustomResourceDefinition") return `${name}.scalars.NS.example.org`;
  if (base.kind === "APIService") return `v1.${name}.scalars.NS.example.org`;
  // Both kinds of events are one.
  if (base.group === "events.k8s.io") return `${name}-new`;
  // Versions of a kind have the same objects.
  if (base.version !== "v1") return `${name}-${base.version}`;
  return base.isClusterScoped === true ? `NS-${name}` : name;
}

function objectNamed(base: BaseObject, name: string): JsonObject {
  const { group, version, kind, content } = base;
  const metadata = { name: nameOf(base, name), ...(base.isClusterScoped === true ? {} : { namespace: "NS" }) };
  const text = JSON.stringify({
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    metadata,
    ...content,
  });
  return JSON.parse(text.replaceAll("GROUP", "scalars.NS.example.org").replaceAll("PLURAL", name)) as JsonObject;
}

/** The request that writes a literal into a field. Nothing is stored. */
export function requestOf(field: FieldCase, literal: string, way: Way): ScalarRequest {
  const { base } = field;
  const isCreate = way === "create" || way === "createYaml";
  const object = withValue(objectNamed(base, isCreate ? "made" : "exists"), field);
  const collection = collectionPath(base);
  const path = isCreate ? collection : `${collection}/${nameOf(base, "exists")}`;
  const query = `?dryRun=All&fieldManager=scalars${way === "apply" ? "&force=true" : ""}`;
  const fill = (text: string): string => text.replaceAll(JSON.stringify(value), () => literal);
  const request = (method: ScalarRequest["method"], contentType: string, body: string): ScalarRequest => ({
    method,
    path: `${path}${query}`,
    contentType: `application/${contentType}`,
    body: fill(body),
  });
  const [top = ""] = field.steps;
  const part = object[String(top)] ?? null;
  switch (way) {
    case "create":
      return request("POST", "json", JSON.stringify(object));
    case "createYaml":
      return request("POST", "yaml", stringify(object, { lineWidth: 0 }));
    case "update":
      return request("PUT", "json", JSON.stringify(withVersion(object)));
    case "apply":
      return request("PATCH", "apply-patch+yaml", stringify(object, { lineWidth: 0 }));
    case "strategic":
      return request("PATCH", "strategic-merge-patch+json", JSON.stringify({ [top]: part }));
    case "merge":
      return request("PATCH", "merge-patch+json", JSON.stringify({ [top]: part }));
    case "jsonPatch":
      return request("PATCH", "json-patch+json", JSON.stringify([{ op: "add", path: `/${top}`, value: part }]));
  }
}

function withVersion(object: JsonObject): JsonObject {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  return { ...object, metadata: { resourceVersion: "@@VERSION@@", ...metadata } };
}

function withValue(object: JsonObject, field: FieldCase): JsonObject {
  const result = place(object, field, 0);
  if (!isJsonObject(result)) throw new Error("an object stays an object");
  return result;
}

function place(current: Json | undefined, field: FieldCase, depth: number): Json {
  const step = field.steps[depth];
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list = Array.isArray(current) ? (current as readonly Json[]) : [];
    return [place(list[0], field, depth + 1), ...list.slice(1)];
  }
  const keys = field.keys
    .filter(({ at }) => at === depth && depth < field.steps.length)
    .map(({ name, isNumber }) => [name, isNumber ? 1 : "a"] as const);
  const map = isJsonObject(current) ? current : Object.fromEntries(keys);
  return { ...map, [step]: place(map[step], field, depth + 1) };
}
