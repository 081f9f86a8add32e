import { userInfo } from "node:os";
import process from "node:process";

/** The name of the user that this process runs as; `uid-N` where the machine has no name for it, as in many containers. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // The system knows a name for listed users alone, and this process may run as any number.
    return `uid-${process.geteuid?.() ?? "unknown"}`;
  }
}
