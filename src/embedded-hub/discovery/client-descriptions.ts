import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { MessageDescription } from "./message-description.ts";

/** A description as the build keeps it in a file. */
export interface BuiltDescription {
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
}

const ending = ".d.ts";

/** A reader of the descriptions in the types of @kubernetes/client-node, by the name of the file (`V1PodSpec`). */
export function readClientDescriptions(): (fileName: string) => MessageDescription | undefined {
  const folder = modelsFolder();
  return (fileName) => {
    const text = folder === undefined ? undefined : readOptional(join(folder, `${fileName}${ending}`));
    return text === undefined ? undefined : parseDeclarations(text);
  };
}

/** All of them, for the file that the build writes: the installed program comes without the library. */
export function listClientDescriptions(): Readonly<Record<string, BuiltDescription>> {
  const read = readClientDescriptions();
  const names = readdirSync(modelsFolder() ?? "").filter((name) => name.endsWith(ending));
  return Object.fromEntries(
    names.sort().map((name) => {
      const fileName = name.slice(0, -ending.length);
      const { text = "", fields = [] } = read(fileName) ?? {};
      return [fileName, { text, fields: Object.fromEntries(fields) }];
    }),
  );
}

function modelsFolder(): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("@kubernetes/client-node")), "gen", "models");
  } catch {
    // Not installed: the one reason that there can be.
    return undefined;
  }
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

/** The library puts an underscore before keywords and writes dashes in camel case. */
function jsonName(name: string): string {
  if (name.startsWith("xKubernetes")) return name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
  return name.replace(/^_/u, "");
}
