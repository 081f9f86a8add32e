import { AppError, describeError, errorCodeOf } from "../core/errors.ts";
import { reasonOfRead } from "../core/file-reasons.ts";

/** E_READ of a file or folder that the system did not read. */
export function unreadable(path: string, error: unknown): AppError {
  const reason = reasonOfRead(error) ?? describeError(error);
  return new AppError("E_READ", `read ${path}: ${reason}`, { cause: error, data: { path } });
}

/** True when the error means that there is nothing at the path. */
export function isAbsent(error: unknown): boolean {
  return errorCodeOf(error) === "ENOENT";
}
