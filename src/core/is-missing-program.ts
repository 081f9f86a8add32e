import { errorCodeOf } from "./errors.ts";

/**
 * True when a program that was to be started by its name is in no folder of PATH, or in none from which this user may run it.
 * The system has EACCES for both once one folder of PATH may not be searched. Source: execvp(3).
 */
export function isMissingProgram(error: unknown): boolean {
  return ["ENOENT", "EACCES"].includes(errorCodeOf(error) ?? "");
}
