import { ownValue } from "../core/own-value.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { AppError } from "../core/errors.ts";
import { numberAt, objectsAt, textAt } from "../core/read-json.ts";
import { cleanRemoteText } from "../core/remote-text.ts";
import { parseJson } from "../core/parse-json.ts";
import { readRetryAfterMs } from "../http/retry-after.ts";

/** What was asked of the server, as messages name it. */
export interface Operation {
  /** One of the verbs of KubeApi.requestCounts. */
  readonly verb: string;
  /** `Kind/namespace/name`, `Kind in namespace`, or a path. */
  readonly object: string;
  /** The object's values are secret: the server's text about them is not repeated. Default false. */
  readonly isSecret?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

const codeByReason: Readonly<Record<string, ErrorCode>> = {
  AlreadyExists: "E_KUBE_EXISTS",
  BadRequest: "E_KUBE_INVALID",
  Conflict: "E_KUBE_CONFLICT",
  Expired: "E_KUBE_GONE",
  Forbidden: "E_KUBE_FORBIDDEN",
  Gone: "E_KUBE_GONE",
  InternalError: "E_KUBE_SERVER",
  Invalid: "E_KUBE_INVALID",
  MethodNotAllowed: "E_KUBE_INVALID",
  NotAcceptable: "E_KUBE_INVALID",
  NotFound: "E_KUBE_NOT_FOUND",
  RequestEntityTooLarge: "E_KUBE_INVALID",
  ServerTimeout: "E_KUBE_SERVER",
  ServiceUnavailable: "E_KUBE_SERVER",
  Timeout: "E_KUBE_SERVER",
  TooManyRequests: "E_KUBE_THROTTLED",
  Unauthorized: "E_KUBE_UNAUTHORIZED",
  UnsupportedMediaType: "E_KUBE_INVALID",
};

/**
 * An answer with a status of 300 or more as an error. Only a Status of an API server counts as its report: a page of
 * HTML comes from a proxy, whatever its status code.
 */
export function errorOfAnswer(answer: Answer, operation: Operation): AppError {
  const body = parseStatus(answer.text);
  if (body !== undefined) return errorOfStatus(body, operation, answer);
  if (answer.contentType.includes("html") || answer.status < 400) return errorOfStranger(answer, operation);
  const code = codeByHttpStatus(answer.status);
  const text = code === "E_KUBE_INVALID" && operation.isSecret ? "" : printable(answer.text);
  return makeError(code, operation, text === "" ? `answered ${answer.status}` : `answered ${answer.status}: ${text}`, {
    status: answer.status,
    retryAfterSeconds: retryAfterOf(undefined, answer),
  });
}

/** A Status object, from an answer or from an ERROR event of a watch, as an error. Source: Kubernetes API, meta/v1 Status. */
export function errorOfStatus(
  status: unknown,
  operation: Operation,
  answer?: Pick<Answer, "status" | "retryAfter">,
): AppError {
  const reason = shortText(textAt(status, "reason")) ?? "";
  const httpStatus = numberAt(status, "code") ?? answer?.status ?? 500;
  const causes = objectsAt(status, "details", "causes");
  const cause = shortText(textAt(causes[0], "reason"));
  const known = ownValue(codeByReason, reason) ?? codeByHttpStatus(httpStatus);
  // A namespace that is being deleted answers Forbidden, but no credential would help.
  const code = known === "E_KUBE_FORBIDDEN" && cause === "NamespaceTerminating" ? "E_KUBE_CONFLICT" : known;
  const retryAfterSeconds = retryAfterOf(status, answer);
  const missing = code === "E_KUBE_NOT_FOUND" ? shortText(textAt(status, "details", "name")) : undefined;
  const data = {
    status: httpStatus,
    reason,
    cause,
    field: shortText(textAt(causes[0], "field")),
    retryAfterSeconds,
    missing,
  };
  if (operation.isSecret && code === "E_KUBE_INVALID") {
    const fields = causes.map((item) => `${textAt(item, "field") ?? "?"} (${textAt(item, "reason") ?? "?"})`);
    return makeError(code, operation, printable(`refused (${reason}) ${fields.join(", ")}`), data);
  }
  return makeError(code, operation, printable(textAt(status, "message") ?? `answered ${httpStatus} ${reason}`), data);
}

/** An answer that no API server gives: E_KUBE_SERVER. */
function errorOfStranger(answer: Pick<Answer, "status" | "contentType">, operation: Operation): AppError {
  const type = answer.contentType === "" ? "something without a type" : printable(answer.contentType);
  const message = `answered ${answer.status} with ${type}, not as an API server does: is there a proxy in between?`;
  return makeError("E_KUBE_SERVER", operation, message, { status: answer.status });
}

export function makeError(
  code: ErrorCode,
  operation: Operation,
  message: string,
  data: AppError["data"] = {},
): AppError {
  const { verb, object } = operation;
  return new AppError(code, `${verb} ${object}: ${message}`, { data: { verb, object, ...data } });
}

/** Any error with what was attempted in front. */
export function wrapError(error: unknown, { verb, object }: Operation): unknown {
  if (!(error instanceof AppError)) return error;
  return new AppError(error.code, `${verb} ${object}: ${error.message}`, {
    cause: error,
    recovery: error.recovery,
    remedy: error.remedy,
    data: { verb, object, ...error.data },
  });
}

function parseStatus(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  const parsed = parseJson(text);
  return textAt(parsed, "kind") === "Status" ? parsed : undefined;
}

function codeByHttpStatus(status: number): ErrorCode {
  if (status === 401) return "E_KUBE_UNAUTHORIZED";
  if (status === 403) return "E_KUBE_FORBIDDEN";
  if (status === 404) return "E_KUBE_NOT_FOUND";
  if (status === 409) return "E_KUBE_CONFLICT";
  if (status === 410) return "E_KUBE_GONE";
  if (status === 429) return "E_KUBE_THROTTLED";
  return status >= 400 && status < 500 ? "E_KUBE_INVALID" : "E_KUBE_SERVER";
}

function retryAfterOf(status: unknown, answer?: Pick<Answer, "retryAfter">): number | undefined {
  const headerMs = readRetryAfterMs(answer?.retryAfter);
  if (headerMs !== undefined) return headerMs / 1000;
  return numberAt(status, "details", "retryAfterSeconds");
}

/** The server's own text. Our credentials are taken out of the whole error, where they are known: createKubeApi. */
function printable(text: string): string {
  return cleanRemoteText(text, { secrets: [] });
}

function shortText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cleanRemoteText(text, { secrets: [], maximumLength: 253 });
}
