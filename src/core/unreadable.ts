import type { Recovery } from "./error-codes.ts";
import { AppError, describeError, errorCodeOf } from "./errors.ts";
import { reasonOfRead } from "./file-reasons.ts";
import { shellWord } from "./shell-word.ts";

/** E_READ of a file or folder that the system did not read. */
export function unreadable(path: string, error: unknown, recovery?: Recovery): AppError {
  const reason = reasonOfRead(error) ?? describeError(error);
  const remedy = isRefused(error) ? `${readRightsRemedy(path)}.` : undefined;
  return new AppError("E_READ", `read ${path}: ${reason}`, {
    cause: error,
    data: { path },
    ...(remedy === undefined ? {} : { remedy }),
    ...(recovery === undefined ? {} : { recovery }),
  });
}

/** What a person does about a file or folder that is there, in a sentence without its end. */
export function readRightsRemedy(path: string): string {
  return `Let this user read it: \`ls -ld ${shellWord(path)}\` shows its owner and rights`;
}

/** True when the error means that there is nothing at the path. */
export function isAbsent(error: unknown): boolean {
  return errorCodeOf(error) === "ENOENT";
}

function isRefused(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes(errorCodeOf(error) ?? "");
}
