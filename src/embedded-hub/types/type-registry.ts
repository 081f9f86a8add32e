// types: the built-in kinds: their fields (tables/), schemas, decoding, defaults and validation. All pure.
import { ownValue } from "../../core/own-value.ts";
import { AppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { admissionV1 } from "./tables/admission-v1.ts";
import { apiextensionsV1 } from "./tables/apiextensions-v1.ts";
import { apiregistrationV1 } from "./tables/apiregistration-v1.ts";
import { appsV1 } from "./tables/apps-v1.ts";
import { authenticationV1 } from "./tables/authentication-v1.ts";
import { authorizationV1 } from "./tables/authorization-v1.ts";
import { autoscalingV1 } from "./tables/autoscaling-v1.ts";
import { autoscalingV2 } from "./tables/autoscaling-v2.ts";
import { batchV1 } from "./tables/batch-v1.ts";
import { certificatesV1 } from "./tables/certificates-v1.ts";
import { coordinationV1 } from "./tables/coordination-v1.ts";
import { coreV1 } from "./tables/core-v1.ts";
import { discoveryV1 } from "./tables/discovery-v1.ts";
import { eventsV1 } from "./tables/events-v1.ts";
import { metaV1 } from "./tables/meta-v1.ts";
import { networkingV1 } from "./tables/networking-v1.ts";
import { nodeV1 } from "./tables/node-v1.ts";
import { policyV1 } from "./tables/policy-v1.ts";
import { rbacV1 } from "./tables/rbac-v1.ts";
import { schedulingV1 } from "./tables/scheduling-v1.ts";
import { storageV1 } from "./tables/storage-v1.ts";
import type { TypeTable } from "./tables/type-table.ts";

const scalarNames = [
  "string",
  "bool",
  "int32",
  "int64",
  "double",
  "bytes",
  "Time",
  "MicroTime",
  "Quantity",
  "IntOrString",
  "RawExtension",
  "FieldsV1",
  "JSON",
] as const;
export type ScalarName = (typeof scalarNames)[number];

export type FieldType =
  | { readonly kind: "scalar"; readonly scalar: ScalarName }
  | { readonly kind: "message"; readonly message: string }
  | { readonly kind: "list"; readonly element: FieldType }
  | { readonly kind: "map"; readonly element: FieldType };

export interface MessageField {
  /** The key in JSON; of an inlined message its protobuf name. */
  readonly name: string;
  readonly number: number;
  readonly type: FieldType;
  /** Absent is not the same as zero. */
  readonly isPointer: boolean;
  readonly isAlwaysWritten: boolean;
  readonly isOmittedWhenZero: boolean;
  readonly isRequired: boolean;
  /** A message in protobuf whose fields are directly in the JSON object. */
  readonly isInline: boolean;
  /** A list of texts that is a message of its own in protobuf. */
  readonly isWrapped: boolean;
  readonly listType?: "map" | "set" | "atomic";
  readonly mapKeys?: readonly string[];
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly default?: Json;
  /** The values of a text, or of each text of a list or map, that the kind knows. Validation does not read it. */
  readonly enum?: readonly string[];
}

export interface MessageType {
  /** `core.PodSpec`: the name of its table and its own. */
  readonly name: string;
  readonly openApiName: string;
  readonly isAtomic: boolean;
  /** In the order in which JSON is written. */
  readonly fields: readonly MessageField[];
}

const tables: Readonly<Record<string, TypeTable>> = {
  meta: metaV1,
  core: coreV1,
  apps: appsV1,
  batch: batchV1,
  autoscaling: autoscalingV1,
  autoscaling2: autoscalingV2,
  coordination: coordinationV1,
  events: eventsV1,
  discovery: discoveryV1,
  rbac: rbacV1,
  networking: networkingV1,
  policy: policyV1,
  scheduling: schedulingV1,
  node: nodeV1,
  storage: storageV1,
  certificates: certificatesV1,
  authentication: authenticationV1,
  authorization: authorizationV1,
  admission: admissionV1,
  apiextensions: apiextensionsV1,
  apiregistration: apiregistrationV1,
};

/** Parsed rows of the tables, made when first asked for; the tables never change. */
const parsed = new Map<string, MessageType>();

/** The message of a name (`core.PodSpec`); throws E_BUG for a name that is in no table. */
export function messageType(name: string): MessageType {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const [alias = "", local = ""] = name.split(".");
  const table = ownValue(tables, alias);
  const row = table?.types[local];
  if (table === undefined || row === undefined) throw new AppError("E_BUG", `no built-in type ${name}`);
  const message: MessageType = {
    name,
    openApiName: `${table.openApiPrefix}.${local}`,
    isAtomic: row["@"] === "atomic",
    fields: Object.entries(row)
      .filter(([key]) => key !== "@")
      .map(([key, text]) => parseField(alias, key, text)),
  };
  parsed.set(name, message);
  return message;
}

/**
 * The message of a built-in kind, lists included, or undefined. Kinds of meta/v1 (Status, DeleteOptions, WatchEvent,
 * ...) are found in group "" version "v1", DeleteOptions and WatchEvent in every group.
 */
export function messageTypeOfKind(group: string, version: string, kind: string): MessageType | undefined {
  for (const [alias, table] of Object.entries(tables)) {
    if (table.group === group && table.version === version && isKind(table, kind)) {
      return messageType(`${alias}.${kind}`);
    }
  }
  const isOfEveryGroup = kind === "DeleteOptions" || kind === "WatchEvent";
  if ((isOfEveryGroup || (group === "" && version === "v1")) && Object.hasOwn(metaV1.types, kind)) {
    return messageType(`meta.${kind}`);
  }
  return undefined;
}

/** All names of messages that are in tables, for OpenAPI. */
export function messageTypeNames(): string[] {
  return Object.entries(tables).flatMap(([alias, table]) => Object.keys(table.types).map((name) => `${alias}.${name}`));
}

function isKind(table: TypeTable, kind: string): boolean {
  return Object.hasOwn(table.types, kind);
}

function parseField(alias: string, key: string, text: string): MessageField {
  const [number = "0", ...rest] = text.split(" ");
  const { type, isPointer, flags } = parseType(alias, rest);
  const valueOf = (name: string): string | undefined =>
    flags.find((flag) => flag.startsWith(`${name}=`))?.slice(name.length + 1);
  const mapKeys = valueOf("map")?.split(",");
  const listType = mapKeys ? "map" : flags.includes("set") ? "set" : flags.includes("atomic") ? "atomic" : undefined;
  const defaultText = valueOf("default");
  const defaultValue: Json | undefined = defaultText === undefined ? undefined : parseJson(defaultText);
  const values = valueOf("enum")?.split(",").map(decodeURIComponent);
  return {
    name: key.startsWith("...") ? key.slice(3) : key,
    number: Number(number),
    type,
    isPointer,
    isAlwaysWritten: flags.includes("always"),
    isOmittedWhenZero: flags.includes("omitzero"),
    isRequired: flags.includes("required"),
    isInline: key.startsWith("..."),
    isWrapped: flags.includes("wrapped"),
    ...(listType ? { listType } : {}),
    ...(mapKeys ? { mapKeys } : {}),
    ...optional("patchStrategy", valueOf("patch")),
    ...optional("patchMergeKey", valueOf("key")),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
    ...(values === undefined ? {} : { enum: values }),
  };
}

function parseJson(text: string): Json {
  return JSON.parse(text) as Json;
}

function optional<Key extends string>(key: Key, value: string | undefined): Partial<Record<Key, string>> {
  const result: Partial<Record<Key, string>> = {};
  if (value !== undefined) result[key] = value;
  return result;
}

function parseType(alias: string, words: string[]): { type: FieldType; isPointer: boolean; flags: string[] } {
  const [first = "", ...rest] = words;
  if (first === "map") {
    const [element = "", ...flags] = rest;
    return { type: { kind: "map", element: namedType(alias, element) }, isPointer: false, flags };
  }
  const isPointer = first.startsWith("*");
  const name = isPointer ? first.slice(1) : first;
  if (name.startsWith("[]")) {
    return { type: { kind: "list", element: namedType(alias, name.slice(2)) }, isPointer, flags: rest };
  }
  return { type: namedType(alias, name), isPointer, flags: rest };
}

function namedType(alias: string, name: string): FieldType {
  const scalar = scalarNames.find((candidate) => candidate === name);
  if (scalar !== undefined) return { kind: "scalar", scalar };
  // A list in protobuf needs a message of its own inside a map; in JSON it is a plain list.
  if (name === "ExtraValue") return { kind: "list", element: { kind: "scalar", scalar: "string" } };
  return { kind: "message", message: name.includes(".") ? name : `${alias}.${name}` };
}
