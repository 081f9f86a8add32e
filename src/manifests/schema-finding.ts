import type { ErrorCode } from "../core/error-codes.ts";
import type { KeyOrValue } from "./locate-value.ts";
import type { DocumentPath } from "./yaml-document.ts";

/** Something wrong in a document, by its place in it. */
export interface SchemaFinding {
  readonly code: ErrorCode;
  readonly severity?: "error" | "warning";
  readonly path: DocumentPath;
  readonly part: KeyOrValue;
  readonly message: string;
  readonly fix?: string;
  /** The field that an unknown field was probably meant to be. */
  readonly meant?: DocumentPath;
  /** The field that is missing. */
  readonly missing?: DocumentPath;
}

/** `spec.agent.env[0].name`; keys that are long or no plain words are in brackets and quotes, and shortened as by showText. */
export function describePath(path: DocumentPath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number" || /^\d{1,60}$/u.test(step)) return `[${step}]`;
      if (!/^[A-Za-z_][\w-]{0,59}$/u.test(step)) return `[${showText(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join("");
}

/** A JSON pointer as a path. */
export function pathOfPointer(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Text from a file in the form that a message may contain: quoted, on one line, bounded. */
export function showText(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
