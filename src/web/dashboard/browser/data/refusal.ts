import { AskError } from "./ask.ts";

/** Why the page shows a viewer nothing: to ask again changes nothing of it. */
export type Refusal = "SignIn" | "Forbidden";

export function isRefusal(code: AskError["code"]): code is Refusal {
  return code === "SignIn" || code === "Forbidden";
}

/** Whether the same question may be answered later: the daemon restarts, or the hub is away. */
export function isPassing(code: AskError["code"]): boolean {
  return code === "Unreachable" || code === "HubAway" || code === "Failed";
}

/** Asks who one is. The refusal; undefined for a viewer, and where it is not known now. */
export async function findRefusal(
  readSession: () => Promise<unknown>,
): Promise<{ readonly code: Refusal; readonly message: string } | undefined> {
  try {
    await readSession();
  } catch (error) {
    if (error instanceof AskError && isRefusal(error.code)) return { code: error.code, message: error.message };
  }
  return undefined;
}
