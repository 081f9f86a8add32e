import { errorCodes } from "../../core/error-codes.ts";
import type { ErrorCode, Recovery } from "../../core/error-codes.ts";
import { AppError } from "../../core/errors.ts";
import type { SentError } from "./plan-calls.ts";

/** An error as it is sent to another thread. */
export function sentError(error: unknown): SentError {
  if (!(error instanceof AppError)) return { message: error instanceof Error ? error.message : String(error) };
  const { message, code, recovery, remedy, data } = error;
  return { message, code, recovery, remedy, data };
}

/** The error that was sent. */
export function receivedError({ message, code, recovery, remedy, data }: SentError): Error {
  if (!isErrorCode(code)) return new Error(message);
  return new AppError(code, message, {
    ...(data === undefined ? {} : { data }),
    ...(isRecovery(recovery) ? { recovery } : {}),
    ...(remedy === undefined ? {} : { remedy }),
  });
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code);
}

function isRecovery(recovery: string | undefined): recovery is Recovery {
  return recovery !== undefined && ["stalled", "waiting", "transient", "bug"].includes(recovery);
}
