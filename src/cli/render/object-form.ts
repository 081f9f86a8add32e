import { AppError } from "../../core/errors.ts";
import type { JsonPathReader } from "../../core/json-path.ts";
import { compileJsonPath } from "../../core/json-path.ts";
import { escapeJson } from "../../core/printable-json.ts";
import { stringifyJson } from "../../core/json.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { parseJson } from "../../core/parse-json.ts";
import { printable } from "../../core/printable.ts";
import { printableYaml } from "../../core/yaml/printable-yaml.ts";

/** The value of `-o`. */
export type ObjectForm =
  | { readonly kind: "table"; readonly isWide: boolean }
  | { readonly kind: "json" | "yaml" | "name" }
  | { readonly kind: "jsonpath"; readonly print: (value: unknown) => string };

const forms = ["wide", "json", "yaml", "name", "jsonpath=TEMPLATE"];

/** @throws E_USAGE for a form that there is none of, and for JSONPath of another kind than docs/commands.md describes */
export function readObjectForm(text: string | undefined): ObjectForm {
  switch (text) {
    case undefined:
    case "table":
      return { kind: "table", isWide: false };
    case "wide":
      return { kind: "table", isWide: true };
    case "json":
    case "yaml":
    case "name":
      return { kind: text };
    default: {
      const template = /^jsonpath=(.*)$/su.exec(text)?.[1];
      if (template !== undefined) return { kind: "jsonpath", print: compileTemplate(template) };
      const names = forms.map((form) => form.split("=")[0] ?? form);
      const near = nearestName(text, names);
      const hint = near === undefined ? "" : ` (did you mean ${forms[names.indexOf(near)] ?? near}?)`;
      throw new AppError("E_USAGE", `--output is ${printable(text)}; it can be ${forms.join(", ")}${hint}`);
    }
  }
}

/** Text with paths and texts in braces: `{.metadata.name}{"\n"}`. What has no value prints nothing. */
function compileTemplate(template: string): (value: unknown) => string {
  const parts = splitTemplate(template).map(({ text, isPath }) => {
    if (!isPath) return () => text;
    const inner = text.trim();
    const literal = inner.startsWith('"') ? parseJson(inner) : undefined;
    if (typeof literal === "string") return () => literal;
    const read = readerOf(inner);
    if (read === undefined) throw refused(template, `{${inner}} is not supported`);
    return (value: unknown) => read(value).map(textOf).join(" ");
  });
  return (value) => parts.map((part) => part(value)).join("");
}

/** A template in its parts, in one pass: text, and what is in braces. Braces in quotes are text. */
function splitTemplate(template: string): readonly { readonly text: string; readonly isPath: boolean }[] {
  const parts: { readonly text: string; readonly isPath: boolean }[] = [];
  let quote: string | undefined;
  let isPath = false;
  let from = 0;
  for (let at = 0; at < template.length; at++) {
    const letter = template[at];
    if (quote !== undefined) {
      if (letter === "\\") at += 1;
      else if (letter === quote) quote = undefined;
    } else if (isPath && (letter === '"' || letter === "'")) {
      quote = letter;
    } else if (letter === "{" || letter === "}") {
      if (isPath === (letter === "{")) throw refused(template, "a brace has no partner");
      parts.push({ text: template.slice(from, at), isPath });
      isPath = letter === "{";
      from = at + 1;
    }
  }
  if (isPath) throw refused(template, "a brace has no partner");
  return [...parts, { text: template.slice(from), isPath }];
}

/** Only what begins with a field, an index or a descent: `range` is no name of a field. */
function readerOf(inner: string): JsonPathReader | undefined {
  const path = inner.startsWith("$") ? inner.slice(1) : inner;
  return /^[.[]/u.test(path) ? compileJsonPath(path) : undefined;
}

function refused(template: string, why: string): AppError {
  const known = 'fields, [0], [-1:], [*], [?(@.type=="Ready")], .. and texts in quotes are supported';
  return new AppError("E_USAGE", `--output jsonpath=${printable(template)}: ${why}; ${known}`);
}

function textOf(value: unknown): string {
  return printable(typeof value === "string" ? value : stringifyJson(value));
}

/** One object, or a List, as text in this form. */
export function renderValue(value: unknown, form: "json" | "yaml"): string {
  if (form === "yaml") return printableYaml(value);
  // A whole number beyond 2^53 is no number that other readers keep.
  const plain = (_key: string, item: unknown): unknown => (typeof item === "bigint" ? item.toString() : item);
  return `${escapeJson(JSON.stringify(value, plain, 2))}\n`;
}
