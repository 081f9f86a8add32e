import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseJson } from "../../core/parse-json.ts";
import type { BuiltDescription } from "./client-descriptions.ts";
import { readClientDescriptions } from "./client-descriptions.ts";
import type { MessageDescription } from "./message-description.ts";

/** The description of a message by its name in OpenAPI (`io.k8s.api.core.v1.PodSpec`). */
export type DescribeMessage = (openApiName: string) => MessageDescription;

const nothing: MessageDescription = { text: "", fields: new Map() };

/** Of every kind that is stored; the library has no descriptions beside references. */
const commonFields = {
  metadata:
    "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  spec: "What is wanted of the object.",
  status: "What was last observed of the object.",
} as const;

/**
 * Descriptions from the file that the build writes beside the program, or, where the program runs from its sources, from
 * the types of @kubernetes/client-node. Both are read when the first description is asked for. Where neither is
 * there, documents are complete except for the descriptions.
 */
export function readDescriptions(): DescribeMessage {
  let read: ((fileName: string) => MessageDescription | undefined) | undefined;
  const known = new Map<string, MessageDescription>();
  return (openApiName) => {
    read ??= readBuiltDescriptions() ?? readClientDescriptions();
    const cached = known.get(openApiName);
    if (cached !== undefined) return cached;
    const description = firstOf(fileNamesOf(openApiName), read) ?? nothing;
    known.set(openApiName, description);
    return description;
  };
}

/** The description of a field, or of what nearly every kind has under that name. */
export function describeField({ fields }: MessageDescription, name: string): string | undefined {
  return fields.get(name) ?? (Object.hasOwn(commonFields, name) ? commonFields[name as "spec"] : undefined);
}

/** The client library names the file of a message with its group, or without it. */
function fileNamesOf(openApiName: string): readonly string[] {
  const [kind = "", version = "", group = ""] = openApiName.split(".").reverse();
  const versioned = `${capital(version)}${kind}`;
  return [`${capital(group)}${versioned}`, versioned];
}

function firstOf<T>(names: readonly string[], read: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = read(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readBuiltDescriptions(): ((fileName: string) => MessageDescription | undefined) | undefined {
  const text = readOptional(fileURLToPath(new URL("descriptions.json", import.meta.url)));
  if (text === undefined) return undefined;
  const built = new Map(Object.entries(parseJson(text) as Readonly<Record<string, BuiltDescription>>));
  return (fileName) => {
    const description = built.get(fileName);
    return description && { text: description.text, fields: new Map(Object.entries(description.fields)) };
  };
}

function readOptional(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The program runs from its sources.
    return undefined;
  }
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
