import { errorCodeOf } from "./errors.ts";

/** The codes of Node.js that a person meets, as parts of sentences. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "it is not there"],
  ["ENOTDIR", "a part of the path is no folder"],
  ["EISDIR", "it is a folder"],
  ["EACCES", "this user may not read it"],
  ["EPERM", "this user may not read it"],
  ["ELOOP", "it is a link"],
  ["ENAMETOOLONG", "the path is too long"],
]);

/** Why the system did not read a file; undefined for an error that few people meet. */
export function reasonOfRead(error: unknown): string | undefined {
  return reasons.get(errorCodeOf(error) ?? "");
}
