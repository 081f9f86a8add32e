import type { ParsedFile } from "../../../src/model/source.ts";
import { createFileParser } from "../../../src/manifests/parse-file.ts";

const parse = createFileParser();

/** Parses text as the file of that path; the blob id is made from the path. */
export function parseText(text: string, path = "file.yaml"): ParsedFile {
  return parse({ path, blobId: `blob of ${path}`, bytes: new TextEncoder().encode(text) });
}

/** `line:column CODE message` of every problem. */
export function problemLines({ problems }: Pick<ParsedFile, "problems">): string[] {
  return problems.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}

/** A document of ours with this spec, as text; the spec is indented by two. */
export function documentText(kind: string, name: string, ...specLines: string[]): string {
  const spec = specLines.length === 0 ? "" : `spec:\n${specLines.map((line) => `  ${line}\n`).join("")}`;
  return `apiVersion: rollcall.dev/v1alpha1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${spec}`;
}
