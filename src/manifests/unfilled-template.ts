import type { Json, JsonObject } from "../core/json.ts";
import type { SchemaFinding } from "./schema-finding.ts";
import { describePath, showText } from "./schema-finding.ts";
import type { DocumentPath } from "./yaml-document.ts";

/** Forms of shells, Helm and documentation. `$(NAME)` is not among them: a container's environment knows it. */
const forms: readonly ((text: string) => boolean)[] = [
  (text) => hasPair(text, "{{", "}}"),
  (text) => hasPair(text, "${", "}"),
  (text) => /\$[A-Z]/u.test(text),
  (text) => /^<[^<>]+>$/su.test(text),
];

/** What every form has: most texts have none of these. */
const marks = /[{$<]/u;

/** Fields whose text may have any form. */
const freeFields: ReadonlySet<string> = new Set(["annotations", "templateValues", "value", "env", "agentEnvVars"]);

/** Of one document: each has its whole path, and the keys of a path may be as long as the file. */
const maxTemplates = 100;

/** Reports the first texts of a document that have the form of a template that was not filled in. */
export function findTemplates(value: JsonObject): SchemaFinding[] {
  const found: SchemaFinding[] = [];
  collectTemplates(value["metadata"], ["metadata"], found);
  collectTemplates(value["spec"], ["spec"], found);
  return found;
}

/** The findings, with one about the template instead of others about the same value. */
export function withTemplates(
  findings: readonly SchemaFinding[],
  templates: readonly SchemaFinding[],
): SchemaFinding[] {
  const named = new Set(templates.map(placeOf));
  return [...findings.filter((finding) => !named.has(placeOf(finding))), ...templates];
}

function placeOf({ path }: SchemaFinding): string {
  return JSON.stringify(path.map(String));
}

/** `path` leads to `value`; it is the same list for the whole document, and copied into what is found. */
function collectTemplates(value: Json | undefined, path: (string | number)[], found: SchemaFinding[]): void {
  if (found.length >= maxTemplates) return;
  if (typeof value === "string") {
    if (marks.test(value) && forms.some((hasForm) => hasForm(value))) found.push(unfilled([...path], value));
    return;
  }
  if (typeof value !== "object" || value === null) return;
  // A label may be called like a field.
  const isOfLabels = String(path.at(-1)).toLowerCase().endsWith("labels");
  const isList = Array.isArray(value);
  for (const [key, part] of Object.entries(value)) {
    if (!isList && freeFields.has(key) && !isOfLabels) continue;
    path.push(isList ? Number(key) : key);
    collectTemplates(part, path, found);
    path.pop();
  }
}

function hasPair(text: string, open: string, close: string): boolean {
  const start = text.indexOf(open);
  return start >= 0 && text.includes(close, start + open.length);
}

function unfilled(path: DocumentPath, value: string): SchemaFinding {
  return {
    code: "E_SCHEMA",
    path,
    part: "value",
    message: `${describePath(path)}: ${showText(value)} is a template that is not filled in`,
    fix: "Write the value itself: files are read as they are.",
  };
}
