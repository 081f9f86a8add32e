import { AskError } from "./ask.ts";

/** Why the page shows a viewer nothing. */
export type Refusal = "SignIn" | "Forbidden";

/** A refusal as it is sent from tab to tab. */
export interface Refused {
  readonly code: Refusal;
  readonly message: string;
  readonly takesToken: boolean;
}

export function isRefusal(code: AskError["code"]): code is Refusal {
  return code === "SignIn" || code === "Forbidden";
}

export function refusedBy(error: unknown): Refused | undefined {
  if (!(error instanceof AskError) || !isRefusal(error.code)) return undefined;
  return { code: error.code, message: error.message, takesToken: error.takesToken };
}

/** Whether the same question may be answered later: the daemon restarts, or the hub is away. */
export function isPassing(code: AskError["code"]): boolean {
  return code === "Unreachable" || code === "HubAway" || code === "Failed";
}

/** What a viewer can do about a failure whose message lacks it; empty where nothing helps but another address or right. */
export function remedyOf(code: AskError["code"]): string {
  switch (code) {
    case "Unreachable":
      return "The page asks again by itself. If this stays, check that the daemon runs and that this browser reaches it.";
    case "Failed":
      return "The page asks again by itself. If this stays, the log of the daemon has the reason.";
    case "HubAway":
      return "The page asks again by itself. If this stays, check that the daemon reaches the hub.";
    default:
      return "";
  }
}

/** Asks who one is. The refusal; undefined for a viewer, and where it is not known now. */
export async function findRefusal(readSession: () => Promise<unknown>): Promise<Refused | undefined> {
  return readSession().then(() => undefined, refusedBy);
}
