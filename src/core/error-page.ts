import type { ErrorCode } from "./error-codes.ts";

/** The page of a code in the project's folder. */
export function errorPage(code: ErrorCode): string {
  return `docs/errors/${code}.md`;
}
