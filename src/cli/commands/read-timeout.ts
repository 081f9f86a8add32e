import { parseGoDuration } from "../../core/formats/go-duration.ts";
import { AppError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Settings } from "../../settings/settings.ts";

/**
 * The value of --timeout, as it was written and in milliseconds.
 * @throws E_USAGE when it is no duration above 0
 */
export function readTimeout(settings: Settings): { readonly timeout: string; readonly timeoutMs: number } {
  const timeout = settings.requiredText("timeout");
  const timeoutMs = parseGoDuration(timeout);
  if (timeoutMs === undefined || timeoutMs <= 0) {
    throw new AppError("E_USAGE", `--timeout: ${printable(timeout)} is no duration such as 30s or 5m`);
  }
  return { timeout, timeoutMs };
}
