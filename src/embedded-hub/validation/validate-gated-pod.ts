import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import { objectAt, objectsAt, textAt, textMapAt } from "../../core/read-json.ts";
import { forbidden, indexPath, invalid, invalidStruct } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation ValidatePodUpdate.

const required = "requiredDuringSchedulingIgnoredDuringExecution";

export function isGated(spec: JsonObject): boolean {
  return objectsAt(spec, "schedulingGates").length > 0;
}

/** What is wrong with the change of a Pod's gates: they can only be removed. While there are some, its nodes may become fewer. */
export function validateGatedChange(spec: JsonObject, old: JsonObject): FieldError[] {
  const known = new Set(objectsAt(old, "schedulingGates").map((gate) => textAt(gate, "name") ?? ""));
  const ofGates = objectsAt(spec, "schedulingGates").flatMap((gate, index) => {
    const name = textAt(gate, "name") ?? "";
    const field = `${indexPath("spec.schedulingGates", index)}.name`;
    if (known.has(name)) return [];
    return [forbidden(field, `only deletion is allowed, but found new scheduling gate '${name}'`)];
  });
  return isGated(old) ? [...ofGates, ...validateSelector(spec, old), ...validateAffinity(spec, old)] : ofGates;
}

/** The affinity without what a gated Pod may change of it: the nodes are those of before. */
export function keptAffinity(spec: JsonObject, old: JsonObject): JsonObject | undefined {
  const { nodeAffinity: _changed, ...others } = objectAt(spec, "affinity") ?? {};
  const nodeAffinity = objectAt(old, "affinity", "nodeAffinity");
  const affinity = nodeAffinity === undefined ? others : { ...others, nodeAffinity };
  return Object.keys(affinity).length === 0 ? undefined : affinity;
}

function validateSelector(spec: JsonObject, old: JsonObject): FieldError[] {
  const selector = textMapAt(spec, "nodeSelector");
  const before = Object.entries(textMapAt(old, "nodeSelector"));
  if (before.every(([key, value]) => Object.hasOwn(selector, key) && selector[key] === value)) return [];
  const text = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return [invalid("spec.nodeSelector", selector, text)];
}

function validateAffinity(spec: JsonObject, old: JsonObject): FieldError[] {
  const terms = termsOf(spec);
  const before = termsOf(old);
  const path = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`;
  if (before.length === 0) return [];
  if (before.length !== terms.length) {
    const text = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [invalidStruct(path, terms.map(printTerm), text)];
  }
  return terms.flatMap((term, index) => {
    if (hasOnlyAdditions(term, before[index] ?? {})) return [];
    const text = "only additions are allowed (no mutations or deletions)";
    return [invalidStruct(indexPath(path, index), printTerm(term), text)];
  });
}

function termsOf(spec: JsonObject): readonly JsonObject[] {
  return objectsAt(spec, "affinity", "nodeAffinity", required, "nodeSelectorTerms");
}

/** An empty term matches no node, and stays so. */
function hasOnlyAdditions(term: JsonObject, old: JsonObject): boolean {
  const lists = ["matchExpressions", "matchFields"].map((name) => {
    return { now: objectsAt(term, name), before: objectsAt(old, name) };
  });
  if (lists.every(({ before }) => before.length === 0)) return lists.every(({ now }) => now.length === 0);
  return lists.every(({ now, before }) => isJsonEqual(now.slice(0, before.length), [...before]));
}

function printTerm(term: JsonObject): JsonObject {
  return { MatchExpressions: printList(term, "matchExpressions"), MatchFields: printList(term, "matchFields") };
}

function printList(term: JsonObject, name: string): Json {
  const list = objectsAt(term, name);
  if (list.length === 0) return null;
  return list.map(({ key = "", operator = "", values = null }) => ({ Key: key, Operator: operator, Values: values }));
}
