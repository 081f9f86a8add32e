import { AppError, describeError, errorCodeOf } from "../core/errors.ts";

/** The codes of Node.js that a person meets, as sentences. */
const reasons = new Map([
  ["ENOENT", "it is not there"],
  ["ENOTDIR", "a part of the path is no folder"],
  ["EACCES", "this user may not read it"],
  ["EPERM", "this user may not read it"],
  ["ELOOP", "it is a link"],
  ["ENAMETOOLONG", "the path is too long"],
]);

/** E_READ of a file or folder that the system did not read. */
export function unreadable(path: string, error: unknown): AppError {
  const reason = reasons.get(errorCodeOf(error) ?? "") ?? describeError(error);
  return new AppError("E_READ", `read ${path}: ${reason}`, { cause: error, data: { path } });
}

/** True when the error says that there is nothing at the path. */
export function isAbsent(error: unknown): boolean {
  return errorCodeOf(error) === "ENOENT";
}
