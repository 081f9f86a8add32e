import type { ApiError } from "../../../../model/generated/page-api.ts";
import { recordDate } from "./daemon-clock.ts";

/** A failed request: the server's error, or no answer. */
export class AskError extends Error {
  readonly code: ApiError["code"] | "Unreachable";
  /** Another token may be accepted. */
  readonly takesToken: boolean;

  constructor(code: AskError["code"], message: string, takesToken = false) {
    super(message);
    this.code = code;
    this.takesToken = takesToken;
  }
}

/** A plan takes longest. Behind a connection that was lost unnoticed, an answer would be awaited for a quarter of an hour. */
const longestMs = 120_000;

/**
 * Asks one of the answers under /api/v1. Its type is that of the server's generated types.
 * @throws AskError
 */
export async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), longestMs);
  const signal = init.signal ? AbortSignal.any([limit.signal, init.signal]) : limit.signal;
  try {
    return await readAnswer<T>(`/api/v1/${path}`, { ...init, signal });
  } catch (error) {
    throw limit.signal.aborted ? unreachable() : error;
  } finally {
    clearTimeout(timer);
  }
}

async function readAnswer<T>(address: string, init: RequestInit): Promise<T> {
  const response = await fetch(address, init).catch(async (error: unknown) => {
    if (init.signal?.aborted) throw error;
    if (await isLedAway(address, init)) throw notOurs();
    throw unreachable();
  });
  recordDate(response.headers.get("date"));
  if (response.status === 204) return undefined as T;
  if (response.ok) {
    return (await response.json().catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw notOurs();
    })) as T;
  }
  const apiError = (await response.json().catch(() => undefined)) as ApiError | undefined;
  if (apiError === undefined && [401, 403].includes(response.status)) throw notOurs();
  const { code = "Failed", error = `The daemon answered ${response.status}.`, takesToken } = apiError ?? {};
  throw new AskError(code, error, takesToken);
}

/** Whether a redirect is what failed: the page's policy lets it ask no other host. An action is not asked twice. */
async function isLedAway(address: string, { method, signal = null }: RequestInit): Promise<boolean> {
  if (method !== undefined) return false;
  const response = await fetch(address, { signal, redirect: "manual" }).catch(() => undefined);
  return response?.type === "opaqueredirect";
}

function unreachable(): AskError {
  return new AskError("Unreachable", "The daemon does not answer.");
}

/** Of a proxy whose own sign-in has ended: it answers with a page, or leads to one. */
function notOurs(): AskError {
  return new AskError("Failed", "The answer is not the daemon's. If a proxy signs you in, load the page anew.");
}
