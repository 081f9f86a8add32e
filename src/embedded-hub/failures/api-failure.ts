// failures: what the hub answers when it refuses. One error class that carries the Status a client gets.
import { AppError } from "../../core/errors.ts";
import type { ErrorCode } from "../../core/error-codes.ts";
import type { KubeStatus } from "../../model/kubernetes.ts";

type Details = NonNullable<KubeStatus["details"]>;

export interface FailureOptions {
  /** Of the Status itself: a continue token. */
  readonly metadata?: Record<string, unknown>;
  readonly details?: Details;
  readonly cause?: unknown;
  /** Of the answer, besides those that every failure has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refused request. Its `status` is sent as it is; `code` follows from the HTTP code. */
export class ApiFailure extends AppError {
  readonly status: KubeStatus & { readonly code: number };
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: number, reason: string, message: string, options: FailureOptions = {}) {
    super(errorCodeOf(code, reason), message, { cause: options.cause });
    this.name = "ApiFailure";
    this.headers = options.headers ?? {};
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: options.metadata ?? {},
      status: "Failure",
      message,
      // An unforeseen failure of kube-apiserver has none.
      ...(reason === "" ? {} : { reason }),
      ...(options.details === undefined ? {} : { details: options.details }),
      code,
    };
  }
}

/** True for an {@link ApiFailure}; with `reasons`, only for these (`NotFound`, `Conflict`, ...). */
export function isApiFailure(error: unknown, ...reasons: string[]): error is ApiFailure {
  return error instanceof ApiFailure && (reasons.length === 0 || reasons.includes(error.status.reason ?? ""));
}

function errorCodeOf(code: number, reason: string): ErrorCode {
  switch (code) {
    case 401:
      return "E_KUBE_UNAUTHORIZED";
    case 403:
      return "E_KUBE_FORBIDDEN";
    case 404:
      return "E_KUBE_NOT_FOUND";
    case 409:
      return reason === "AlreadyExists" ? "E_KUBE_EXISTS" : "E_KUBE_CONFLICT";
    case 410:
      return "E_KUBE_GONE";
    case 429:
      return "E_KUBE_THROTTLED";
    default:
      return code >= 500 ? "E_KUBE_SERVER" : "E_KUBE_INVALID";
  }
}
