import { AppError } from "./errors.ts";
import { createRedactor } from "./remote-text.ts";

/** An error without `secrets` in its message, its data and its cause's message; the same one when there are none in it. */
export function redactError(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof AppError) || secrets.length === 0) return error;
  const { code, recovery, remedy, cause } = error;
  const redact = createRedactor(secrets);
  const message = redact(error.message);
  const data = Object.fromEntries(
    Object.entries(error.data).map(([key, value]) => [key, typeof value === "string" ? redact(value) : value]),
  );
  const text = cause instanceof Error ? redact(cause.message) : "";
  const isClean =
    message === error.message &&
    Object.entries(data).every(([key, value]) => value === error.data[key]) &&
    (!(cause instanceof Error) || text === cause.message);
  return isClean
    ? error
    : new AppError(code, message, {
        recovery,
        remedy,
        data,
        ...(text === "" ? {} : { cause: new Error(text) }),
      });
}
