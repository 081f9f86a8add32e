import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** What a message and its fields are for, in words. */
export interface MessageDescription {
  readonly text: string;
  /** By JSON name. */
  readonly fields: ReadonlyMap<string, string>;
}

/** The description of a message by its name in OpenAPI (`io.k8s.api.core.v1.PodSpec`). */
export type DescribeMessage = (openApiName: string) => MessageDescription;

const nothing: MessageDescription = { text: "", fields: new Map() };

/** Of every kind that is stored; the library leaves out the words beside references. */
const commonFields = {
  metadata:
    "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  spec: "What is wanted of the object.",
  status: "What was last observed of the object.",
} as const;

/**
 * Descriptions as the types of the client library @kubernetes/client-node carry them; each file is read when it is first
 * asked for. Where the library is not installed there are none: documents are complete but for the words.
 */
export function readDescriptions(): DescribeMessage {
  const folder = modelsFolder();
  const known = new Map<string, MessageDescription>();
  return (openApiName) => {
    const cached = known.get(openApiName);
    if (cached !== undefined) return cached;
    const description = folder === undefined ? nothing : describe(folder, openApiName);
    known.set(openApiName, description);
    return description;
  };
}

/** The description of a field, or of what nearly every kind has under that name. */
export function describeField({ fields }: MessageDescription, name: string): string | undefined {
  return fields.get(name) ?? (Object.hasOwn(commonFields, name) ? commonFields[name as "spec"] : undefined);
}

function modelsFolder(): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("@kubernetes/client-node")), "gen", "models");
  } catch {
    // Not installed: the one reason that there can be.
    return undefined;
  }
}

function describe(folder: string, openApiName: string): MessageDescription {
  const [kind = "", version = "", group = ""] = openApiName.split(".").reverse();
  const versioned = `${capital(version)}${kind}`;
  for (const name of [`${capital(group)}${versioned}`, versioned]) {
    const text = readOptional(join(folder, `${name}.d.ts`));
    if (text !== undefined) return parseDeclarations(text);
  }
  return nothing;
}

function readOptional(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not every message has a file of its own.
    return undefined;
  }
}

function parseDeclarations(source: string): MessageDescription {
  const fields = new Map<string, string>();
  let text = "";
  let comment: string[] = [];
  for (const line of source.split("\n").map((one) => one.trim())) {
    const field = /^'([^']+)'\??:/u.exec(line);
    if (line.startsWith("/**")) comment = [];
    else if (line.startsWith("* ")) comment.push(line.slice(2));
    else if (line.startsWith("export declare class")) [text, comment] = [joined(comment), []];
    else if (field !== null) {
      if (comment.length > 0) fields.set(jsonName(field[1] ?? ""), joined(comment));
      comment = [];
    }
  }
  return { text, fields };
}

function joined(comment: readonly string[]): string {
  return comment
    .join(" ")
    .replaceAll(/\\(["'])/gu, "$1")
    .trim();
}

/** The library puts an underscore before reserved words and writes dashes in camel case. */
function jsonName(name: string): string {
  if (name.startsWith("xKubernetes")) return name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
  return name.replace(/^_/u, "");
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
