import { stringifyJson } from "../../core/json.ts";
import type { FieldDescription } from "../../manifests/describe-field.ts";

export interface FieldPlace {
  readonly kind: string;
  readonly apiVersion: string;
  /** Names of fields, joined with dots; empty for the kind itself. */
  readonly path: string;
}

/**
 * `width`: characters in a line; only a longer word exceeds it. `isRecursive`: all fields below it, names and types
 * alone.
 */
export interface FieldForm {
  readonly width: number;
  readonly isRecursive: boolean;
}

/** A field as `kubectl explain` shows one. */
export function renderField(field: FieldDescription, place: FieldPlace, form: FieldForm): string {
  const { width, isRecursive } = form;
  const lines = [
    `KIND:     ${place.kind}`,
    `VERSION:  ${place.apiVersion}`,
    ...(place.path === "" ? [] : [`FIELD:    ${place.path} <${field.type}>${field.isRequired ? " -required-" : ""}`]),
    "",
    "DESCRIPTION:",
    ...wrap(field.description, "  ", width),
    ...facts(field, "  ", width),
    ...(field.fields.length === 0 ? [] : ["", "FIELDS:"]),
    ...field.fields.flatMap((child) => (isRecursive ? tree(child, "  ") : describeChild(child, width))),
  ];
  return `${lines.join("\n")}\n`;
}

function describeChild(field: FieldDescription, width: number): string[] {
  return [head(field, "  "), ...wrap(field.description, "    ", width), ...facts(field, "    ", width), ""];
}

function tree(field: FieldDescription, indent: string): string[] {
  return [head(field, indent), ...field.fields.flatMap((child) => tree(child, `${indent}  `))];
}

function head({ name, type, isRequired }: FieldDescription, indent: string): string {
  return `${indent}${name} <${type}>${isRequired ? " -required-" : ""}`;
}

function facts(field: FieldDescription, indent: string, width: number): string[] {
  const { default: fallback, allowed } = field;
  return [
    ...(fallback === undefined ? [] : wrap(`Default: ${stringifyJson(fallback)}`, indent, width)),
    ...allowed.flatMap((text) =>
      wrap(text.startsWith("refused: ") ? `Refused: ${text.slice(9)}` : `Allowed: ${text}`, indent, width),
    ),
  ];
}

function wrap(text: string, indent: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, indent + line];
}
