import type { Json } from "../../core/json.ts";
import { childPath, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from "./field-error.ts";
import type { FieldError } from "./schema.ts";

/** One finding of validation before it is worded for the client. */
export interface Finding {
  /** The sentence about it. Two findings with the same sentence count as one. */
  readonly text: string;
  /** Absent: about no field (anyOf, oneOf, allOf, not). */
  readonly path?: string;
  readonly rule: "type" | "required" | "enum" | "maxLength" | "maxItems" | "maxProperties" | "other";
  readonly value?: Json;
  readonly enum?: readonly Json[];
  readonly limit?: number;
}

export interface Result {
  readonly findings: Finding[];
  /** The sentences of `findings`. */
  readonly texts: Set<string>;
  /** How many checks passed: of several failed alternatives the one with most is reported. */
  matches: number;
}

export function newResult(...findings: Finding[]): Result {
  return { findings, texts: new Set(findings.map(({ text }) => text)), matches: 0 };
}

export function isClean(result: Result): boolean {
  return result.findings.length === 0;
}

export function addFindings(result: Result, ...findings: Finding[]): void {
  addAll(result, findings);
}

function addAll(result: Result, findings: readonly Finding[]): void {
  for (const finding of findings) {
    if (result.texts.has(finding.text)) continue;
    result.texts.add(finding.text);
    result.findings.push(finding);
  }
}

export function merge(result: Result, ...others: Result[]): void {
  for (const other of others) {
    addAll(result, other.findings);
    result.matches += other.matches;
  }
}

/** A finding as the client reads it. `root` is the path of the value that was validated. */
export function toFieldError(finding: Finding, root: string): FieldError {
  const { text, value = "", limit = -1 } = finding;
  // An API server has no path for findings about several alternatives, and prints it so.
  const nowhere = root === "" ? "<nil>" : root;
  if (finding.path === undefined) return invalid(nowhere, "", text);
  const name = finding.path.replace(/^\./u, "");
  const path = name === "" ? nowhere : childPath(root, name);
  switch (finding.rule) {
    case "required":
      return required(path);
    case "enum":
      return notSupported(path, finding.value ?? null, finding.enum ?? []);
    case "maxLength":
      return tooLong(path, limit);
    case "maxItems":
    case "maxProperties":
      return tooMany(path, typeof value === "number" ? value : -1, limit);
    case "type":
      return typeInvalid(path, value, text);
    case "other":
      return invalid(path, value ?? "", text);
  }
}
