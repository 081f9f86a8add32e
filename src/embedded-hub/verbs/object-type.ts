import { canonicalJson, stringifyJson } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { textAt } from "../../core/read-json.ts";
import { apiVersionOf } from "../../model/kubernetes.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ApiFailure } from "../failures/api-failure.ts";
import { badRequest, internalError, invalid } from "../failures/failures.ts";
import { asJson } from "../metadata/kube-json.ts";
import { typeMetaFault } from "../metadata/type-meta.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import { invalid as invalidField } from "../schema/field-error.ts";
import { goText } from "../../core/formats/go-format.ts";
import { messageTypeOfKind } from "../types/type-registry.ts";

/** The source of the JSON decides the form of its errors. */
export type Source =
  | { readonly kind: "body" }
  | { readonly kind: "patched" }
  /** The errors of a strategic merge patch show the patch. */
  | { readonly kind: "strategic"; readonly patch: Json };

/**
 * The object as one of the kind; throws 400, 422 or 500 when it declares another. A patch may have removed its kind:
 * kube-apiserver knows a built-in kind by the address.
 */
export function asKindOf(definition: ResourceDefinition, object: KubeObject, source: Source): KubeObject {
  const fault = source.kind === "patched" ? typeMetaFault(asJson(object)) : undefined;
  if (fault !== undefined)
    throw undecodable(definition, object, `couldn't get version/kind; json parse error: ${fault}`, source);
  if (definition.isCustom) return checkCustomType(definition, object, source);
  const { apiVersion = "", kind = "" }: Partial<KubeObject> = object;
  const expected = { apiVersion: apiVersionOf(definition), kind: definition.kind };
  // A strategic merge is made of fields; the kind in it is not one of them.
  if (source.kind === "strategic") return { ...object, ...expected };
  if (apiVersion === expected.apiVersion && (kind === expected.kind || kind === "")) return { ...object, ...expected };
  if (source.kind === "patched" && apiVersion === "") throw nameless(object);
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const isKnown = messageTypeOfKind(group, version, kind) !== undefined;
  const reason = isKnown
    ? `converting (${version}.${kind}) to (${internalGroup(definition)}.${definition.kind}): unknown conversion`
    : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`;
  if (source.kind === "patched") throw undecodable(definition, object, reason, source);
  throw badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${definition.kind}: ${reason}`,
  );
}

function checkCustomType(definition: ResourceDefinition, object: KubeObject, source: Source): KubeObject {
  const { apiVersion = "", kind = "" }: Partial<KubeObject> = object;
  const expected = apiVersionOf(definition);
  if (source.kind !== "body") {
    if (kind === "") {
      const reason = `Object 'Kind' is missing in '${canonicalJson(asJson(object))}'`;
      throw undecodable(definition, object, reason, source);
    }
    if (apiVersion === "") throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
    if (apiVersion === expected) return object;
    const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
    const fault = invalidField("apiVersion", apiVersion, `must be ${expected}`);
    throw invalid({ group, kind, name: nameOf(object) }, [fault]);
  }
  if (apiVersion === expected) return object;
  throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${expected})`);
}

/** Without an apiVersion kube-apiserver finds none of the fields that it reads, the name first. */
function nameless(object: KubeObject): ApiFailure {
  return badRequest(
    `the name of the object (${nameOf(object)} based on URL) was undeterminable: name must be provided`,
  );
}

/** A patch may have taken the metadata away. */
function nameOf(object: KubeObject): string {
  return textAt(object, "metadata", "name") ?? "";
}

function internalGroup({ group }: ResourceDefinition): string {
  return group === "" ? "core" : (group.split(".")[0] ?? group);
}

/** 400 for a body, 422 for what a patch made. */
export function undecodable(
  definition: ResourceDefinition,
  object: KubeObject,
  reason: string,
  source: Source,
): ApiFailure {
  const { kind, version } = definition;
  if (source.kind === "body") {
    return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${reason}`);
  }
  const shown = source.kind === "strategic" ? goText(source.patch) : shownResult(definition, asJson(object));
  return invalid({ group: "", kind: "", name: "" }, [invalidField("patch", shown, reason)]);
}

/** kube-apiserver shows the result of a patch with its first level sorted, and all of a custom object. */
function shownResult({ isCustom }: ResourceDefinition, object: JsonObject): string {
  if (isCustom) return canonicalJson(object);
  return stringifyJson(Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))));
}
