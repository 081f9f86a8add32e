import { isJsonEqual, isJsonObject } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { isTrueAt, objectAt, textAt, textMapAt, valueAt } from "../../core/read-json.ts";
import { deepestJsonLevel, describeJsonError } from "../../core/go-json-error.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkConfigKey } from "../../core/formats/kube-names.ts";
import { forbidden, invalid, keyPath, required, tooLong } from "../schema/field-error.ts";
import { describeJsonKind } from "../../core/formats/go-format.ts";
import type { FieldError } from "../schema/schema.ts";

const mostBytes = 1024 * 1024;
const immutableText = "field is immutable when `immutable` is set";

/** What is wrong with a ConfigMap or with its change. Source of this file: Kubernetes, pkg/apis/core/validation. */
export function validateConfigMap(map: KubeObject, old: KubeObject | undefined): FieldError[] {
  const data = objectAt(map, "data") ?? {};
  const binaryData = objectAt(map, "binaryData") ?? {};
  const ofData = Object.keys(data).flatMap((key) => [
    ...keyErrors("data", key),
    ...(Object.hasOwn(binaryData, key)
      ? [invalid(keyPath("data", key), key, "duplicate of key present in binaryData")]
      : []),
  ]);
  const ofBinary = Object.keys(binaryData).flatMap((key) => keyErrors("binaryData", key));
  const bytes = byteCount(textMapAt(map, "data"), "utf8") + byteCount(textMapAt(map, "binaryData"), "base64");
  return [
    ...validateImmutable(map, old, ["data", "binaryData"]),
    ...ofData,
    ...ofBinary,
    ...(bytes > mostBytes ? [tooLong("[]", mostBytes)] : []),
  ];
}

/** What is wrong with a Secret or with its change: its type is immutable, and affects what it must contain. */
export function validateSecret(secret: KubeObject, old: KubeObject | undefined): FieldError[] {
  const data = objectAt(secret, "data") ?? {};
  const type = textAt(secret, "type") ?? "";
  const oldType = old === undefined ? type : (textAt(old, "type") ?? "");
  return [
    ...(type === oldType ? [] : [invalid("type", type, "field is immutable")]),
    ...validateImmutable(secret, old, ["data"]),
    ...Object.keys(data).flatMap((key) => keyErrors("data", key)),
    ...(byteCount(textMapAt(secret, "data"), "base64") > mostBytes ? [tooLong("data", mostBytes)] : []),
    ...validateContent(secret, type, data),
  ];
}

function validateContent(secret: KubeObject, type: string, data: JsonObject): FieldError[] {
  const missing = (...keys: string[]) => keys.map((key) => required(keyPath("data", key)));
  switch (type) {
    case "kubernetes.io/service-account-token": {
      const name = "kubernetes.io/service-account.name";
      const hasName = (textAt(secret, "metadata", "annotations", name) ?? "") !== "";
      return hasName ? [] : [required(keyPath("metadata.annotations", name))];
    }
    case "kubernetes.io/dockercfg":
      return validateJsonKey(data, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return validateJsonKey(data, ".dockerconfigjson");
    case "kubernetes.io/basic-auth":
      return "username" in data || "password" in data ? [] : missing("username", "password");
    case "kubernetes.io/ssh-auth":
      return (textAt(data, "ssh-privatekey") ?? "") === "" ? missing("ssh-privatekey") : [];
    case "kubernetes.io/tls":
      return missing(...["tls.crt", "tls.key"].filter((key) => !(key in data)));
    default:
      return [];
  }
}

function validateJsonKey(data: JsonObject, key: string): FieldError[] {
  const text = textAt(data, key);
  if (text === undefined) return [required(keyPath("data", key))];
  const problem = jsonProblem(Buffer.from(text, "base64").toString());
  return problem === undefined ? [] : [invalid(keyPath("data", key), "<secret contents redacted>", problem)];
}

function jsonProblem(text: string): string | undefined {
  const value = parseJson(text, { maxDepth: deepestJsonLevel });
  if (value === undefined) return describeJsonError(text);
  if (isJsonObject(value) || value === null) return undefined;
  return `json: cannot unmarshal ${describeJsonKind(value as Json)} into Go value of type map[string]interface {}`;
}

function validateImmutable(object: KubeObject, old: KubeObject | undefined, fields: readonly string[]): FieldError[] {
  if (old === undefined || !isTrueAt(old, "immutable")) return [];
  const isChanged = (field: string): boolean => !isJsonEqual(contentOf(object, field), contentOf(old, field));
  return [
    ...(isTrueAt(object, "immutable") ? [] : [forbidden("immutable", immutableText)]),
    ...fields.filter(isChanged).map((field) => forbidden(field, immutableText)),
  ];
}

function contentOf(object: KubeObject, field: string): Json {
  const value = valueAt(object, field);
  return isJsonObject(value) ? value : {};
}

function keyErrors(field: string, key: string): FieldError[] {
  return checkConfigKey(key).map((text) => invalid(keyPath(field, key), key, text));
}

function byteCount(values: Readonly<Record<string, string>>, encoding: "utf8" | "base64"): number {
  return Object.values(values).reduce((sum, value) => sum + Buffer.byteLength(value, encoding), 0);
}
