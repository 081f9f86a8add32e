// core: types and pure algorithms that know nothing of clusters, git or Kubernetes.
import type { ErrorCode, Recovery } from "./error-codes.ts";
import { errorCodes } from "./error-codes.ts";
import { cleanRemoteText } from "./remote-text.ts";

export interface AppErrorOptions {
  readonly cause?: unknown;
  /** Typed facts for programs. Never secrets, tokens or bodies. */
  readonly data?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Overrides the recovery that the table of codes gives. */
  readonly recovery?: Recovery;
  /** What a person does about it, in sentences, where that of the table of codes does not fit. Without text of others. */
  readonly remedy?: string;
}

/**
 * The base of every error this program throws. `message` states what was attempted and on what ("apply Cluster/edge-7
 * on hub: ..."); `code` is constant and documented in docs/errors/.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly recovery: Recovery;
  /** What a person does about it. */
  readonly remedy: string;
  readonly data: Readonly<Record<string, string | number | boolean | undefined>>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.recovery = options.recovery ?? errorCodes[code].recovery;
    this.remedy = options.remedy ?? errorCodes[code].remedy;
    this.data = options.data ?? {};
  }

  /** For logs: code, message, recovery, data and the causes' messages; never a stack or a body. */
  toJSON(): Record<string, unknown> {
    return {
      code: this.code,
      message: this.message,
      recovery: this.recovery,
      ...(Object.keys(this.data).length > 0 ? { data: this.data } : {}),
      ...(this.cause instanceof Error ? { cause: cleanRemoteText(this.cause.message, { secrets: [] }) } : {}),
    };
  }
}

/** True when `error` is an {@link AppError} with one of `codes` (any code, when none is given). */
export function isAppError(error: unknown, ...codes: ErrorCode[]): error is AppError {
  return error instanceof AppError && (codes.length === 0 || codes.includes(error.code));
}

/** The code of any error that has one: of the system (`ENOENT`), of Node.js or a library, or of this program. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** A one-line text for any thrown value. */
export function describeError(error: unknown): string {
  if (error instanceof AppError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
