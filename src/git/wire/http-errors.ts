import type { Dispatcher } from "undici";
import { AppError } from "../../core/errors.ts";

// Codes by which node and OpenSSL say that a certificate is not good. Source: node, doc/api/tls.md.
const certificateCode = /^(?:ERR_TLS_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|ERR_SSL_)/u;

/** The error for a request that got no answer, or half of one. */
export function connectionError(url: string, error: unknown): AppError {
  const code = errorCodeOf(error);
  const isCertificate = certificateCode.test(code);
  const reason = isCertificate ? `its certificate is not trusted (${code}); give its CA as caBundle` : code;
  return new AppError("E_GIT_REMOTE", `reach ${url}: ${reason}`, { cause: error, data: { reason: code } });
}

/** The machine-readable code of a network error; that of the first address tried, when there were several. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof AggregateError && !("code" in error)) return errorCodeOf(error.errors[0]);
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  if (error instanceof Error && error.cause !== undefined) return errorCodeOf(error.cause);
  return error instanceof Error ? error.name : "unknown";
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
  const retryAfterMs = readRetryAfter(response.headers["retry-after"]);
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
    // Hosts say "not found" too when the credentials may not see a private repository.
    const reason = "there is no such repository, or the credentials may not see it";
    return new AppError("E_GIT_REMOTE", `read ${url}: ${reason} (HTTP ${statusCode})`, { data, recovery: "stalled" });
  }
  return new AppError("E_GIT_PROTOCOL", `read ${url}: HTTP ${statusCode}`, { data });
}

/** Seconds only; the form with a date is not worth a clock here. */
function readRetryAfter(header: string | string[] | undefined): number | undefined {
  const text = [header].flat()[0] ?? "";
  return /^\d{1,6}$/u.test(text) ? Number(text) * 1000 : undefined;
}
