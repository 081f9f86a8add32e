import type { Dispatcher } from "undici";
import { AppError } from "../../core/errors.ts";
import { failureOf } from "../../http/failure.ts";
import { explainTls } from "../../http/explain-tls.ts";
import { headerOf } from "../../http/headers.ts";
import { readRetryAfterMs } from "../../http/retry-after.ts";

/** The error for a request that got no answer, or half of one. */
export function connectionError(url: string, error: unknown): AppError {
  const failure = failureOf(error);
  const { code } = failure;
  const tls = explainTls(failure);
  const options = { cause: error, data: { reason: code }, ...(tls ? { remedy: tls.remedy } : {}) };
  return new AppError("E_GIT_REMOTE", `reach ${url}: ${tls?.reason ?? (code || "no answer")}`, options);
}

/** The error for an answer with another status than 200. The body is not shown: it can repeat what was sent. */
export function statusError(options: {
  readonly url: string;
  readonly response: Pick<Dispatcher.ResponseData, "statusCode" | "headers">;
  readonly isPush: boolean;
  readonly hasCredentials: boolean;
}): AppError {
  const { url, response, isPush, hasCredentials } = options;
  const { statusCode } = response;
  const retryAfterMs = readRetryAfterMs(headerOf(response.headers, "retry-after"));
  const isLimited = statusCode === 429 || response.headers["x-ratelimit-remaining"] === "0";
  const data = { statusCode, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (statusCode >= 500 || isLimited || (retryAfterMs !== undefined && statusCode !== 401)) {
    const reason = isLimited ? "it limits the rate of requests" : "the server failed";
    return new AppError("E_GIT_REMOTE", `read ${url}: ${reason} (HTTP ${statusCode})`, { data });
  }
  // Azure answers 203 with a page to sign in where others answer 401.
  if (statusCode === 401 || statusCode === 203) {
    const reason = hasCredentials ? "it refused the credentials" : "it asks for credentials, and none are given";
    return new AppError("E_GIT_AUTH", `read ${url}: ${reason} (HTTP ${statusCode})`, { data });
  }
  if (isPush) {
    return new AppError("E_GIT_PUSH_DENIED", `push to ${url}: not allowed (HTTP ${statusCode})`, { data });
  }
  if (statusCode === 403) {
    return new AppError("E_GIT_AUTH", `read ${url}: the credentials may not read it (HTTP 403)`, { data });
  }
  if (statusCode === 404 || statusCode === 410) {
    // Hosts answer "not found" too when the credentials may not see a private repository.
    const reason = "there is no such repository, or the credentials may not see it";
    return new AppError("E_GIT_REMOTE", `read ${url}: ${reason} (HTTP ${statusCode})`, { data, recovery: "stalled" });
  }
  return new AppError("E_GIT_PROTOCOL", `read ${url}: HTTP ${statusCode}`, { data });
}
