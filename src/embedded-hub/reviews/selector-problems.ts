import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { isApiFailure } from "../failures/api-failure.ts";
import { parseFieldTerms } from "../selectors/field-selector.ts";
import { parseLabelSelector } from "../selectors/label-selector.ts";

const labelOperators = ["In", "NotIn", "Exists", "DoesNotExist"];

/**
 * The invalid selectors of an access review, as text for `status.evaluationError`; empty when all are valid. They widen
 * the question and never the answer. Source: Kubernetes, pkg/registry/authorization/util.
 */
export function selectorProblems(review: KubeObject): string {
  const at = (name: string) => objectAt(review, "spec", "resourceAttributes", name);
  return [
    problemOf("fieldSelector", at("fieldSelector"), { parse: parseFieldTerms, isClear: isClearField }),
    problemOf("labelSelector", at("labelSelector"), {
      parse: parseLabelSelector,
      isClear: (requirement) => labelOperators.includes(textAt(requirement, "operator") ?? ""),
    }),
  ]
    .filter((problem) => problem !== "")
    .join("; ");
}

interface Reading {
  /** Throws 400. */
  readonly parse: (text: string) => unknown;
  readonly isClear: (requirement: JsonObject) => boolean;
}

function problemOf(name: string, selector: JsonObject | undefined, { parse, isClear }: Reading): string {
  const raw = textAt(selector, "rawSelector") ?? "";
  const requirements = objectsAt(selector, "requirements");
  const clear = requirements.filter(isClear);
  if (clear.length === requirements.length && (raw === "" || parses(raw, parse))) return "";
  return `spec.resourceAttributes.${name} ${clear.length > 0 ? "partially " : ""}ignored due to parse error`;
}

function isClearField(requirement: JsonObject): boolean {
  return ["In", "NotIn"].includes(textAt(requirement, "operator") ?? "") && textsAt(requirement, "values").length === 1;
}

function parses(text: string, parse: (text: string) => unknown): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (isApiFailure(error, "BadRequest")) return false;
    throw error;
  }
}
