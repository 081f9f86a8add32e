import type { Dispatcher } from "undici";
import { AppError } from "../core/errors.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../core/read-json.ts";
import { cleanRemoteText } from "../core/remote-text.ts";
import { parseJson } from "../core/parse-json.ts";
import { failureOf } from "../http/failure.ts";
import { explainTls } from "../http/explain-tls.ts";
import type { AnswerHeaders } from "../http/headers.ts";

/** The error for a request that got no answer, or half of one. */
export function connectionError(action: string, origin: string, error: unknown): AppError {
  const failure = failureOf(error);
  const { code } = failure;
  const tls = explainTls(failure);
  return new AppError("E_FORGE_UNREACHABLE", `${action}: ${origin}: ${tls?.reason ?? (code || "no answer")}`, {
    cause: error,
    data: { reason: code },
    ...(tls ? { recovery: "stalled", remedy: tls.remedy } : {}),
  });
}

export interface Refusal {
  readonly action: string;
  readonly origin: string;
  readonly answer: Pick<Dispatcher.ResponseData, "statusCode"> & { readonly headers: AnswerHeaders };
  /** The answer's body. */
  readonly text: string;
  /** What the headers ask to wait. */
  readonly retryAfterMs: number | undefined;
  readonly secrets: readonly string[];
}

/** The error for an answer that is no success. Of its body, only the forge's own reason is shown, on one line. */
export function refusalError({ action, origin, answer, text, retryAfterMs, secrets }: Refusal): AppError {
  const { statusCode } = answer;
  const reason = reasonOf(text, secrets);
  const detail = reason === "" ? "" : `: ${reason}`;
  const message = (what: string) => `${action}: ${origin} ${what} (HTTP ${statusCode})${detail}`;
  const data = { statusCode, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (statusCode === 429 || (statusCode === 403 && (retryAfterMs !== undefined || isSecondaryLimit(text)))) {
    const limited = { ...data, retryAfterMs: retryAfterMs ?? 60_000 };
    return new AppError("E_FORGE_THROTTLED", message("limits the rate of requests"), { data: limited });
  }
  if (statusCode >= 500) return new AppError("E_FORGE_SERVER", message("failed"), { data });
  if (statusCode === 401) return new AppError("E_FORGE_AUTH", message("does not accept the token"), { data });
  if (statusCode === 403) return new AppError("E_FORGE_FORBIDDEN", message("does not allow it"), { data });
  if (statusCode === 404 || statusCode === 410) {
    const what = "knows no such thing, or the token may not see it";
    return new AppError("E_FORGE_NOT_FOUND", message(what), { data });
  }
  if (statusCode < 400) return new AppError("E_FORGE_PROTOCOL", message("redirects a write"), { data });
  return new AppError("E_FORGE_REFUSED", message("refuses it"), { data });
}

/** GitHub names no header for its secondary limits, only the page that explains them. */
function isSecondaryLimit(text: string): boolean {
  return (textAt(parseJson(text), "documentation_url") ?? "").includes("rate-limit");
}

/** The error in the fields that forges use for it; never a page of HTML. */
function reasonOf(text: string, secrets: readonly string[]): string {
  const body = parseJson(text);
  const parts = [
    textAt(body, "message") ?? textAt(body, "error_description") ?? textAt(body, "error") ?? textAt(body, "message", 0),
    ...messagesOfFields(body),
    ...objectsAt(body, "errors").map((error) => textAt(error, "message") ?? textAt(error, "code")),
  ];
  const line = parts.filter((part) => part !== undefined && part !== "").join("; ");
  return cleanRemoteText(line, { secrets, maximumLength: 300 });
}

/** GitLab reports what is wrong by field: `{"message":{"path":["has already been taken"]}}`. */
function messagesOfFields(body: unknown): string[] {
  const fields = objectAt(body, "message") ?? {};
  return Object.keys(fields).flatMap((field) => textsAt(fields, field).map((text) => `${field} ${text}`));
}
