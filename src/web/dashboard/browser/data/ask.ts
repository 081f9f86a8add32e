import type { ApiError } from "../../../../model/generated/page-api.ts";
import { recordDate } from "./daemon-clock.ts";

/** A failed request: the server's error, or no answer. */
export class AskError extends Error {
  readonly code: ApiError["code"] | "Unreachable";

  constructor(code: AskError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Asks one of the answers under /api/v1. Its type is that of the server's generated types.
 * @throws AskError
 */
export async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(`/api/v1/${path}`, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new AskError("Unreachable", "The daemon does not answer.");
  });
  recordDate(response.headers.get("date"));
  if (response.status === 204) return undefined as T;
  if (response.ok) {
    return (await response.json().catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      // A proxy whose own sign-in has ended answers 200 with a page.
      throw new AskError("Failed", "The answer is not the daemon's. If a proxy signs you in, load the page anew.");
    })) as T;
  }
  const apiError = (await response.json().catch(() => undefined)) as ApiError | undefined;
  throw new AskError(apiError?.code ?? "Failed", apiError?.error ?? `The daemon answered ${response.status}.`);
}
