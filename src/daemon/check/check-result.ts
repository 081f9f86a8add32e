import { AppError, describeError } from "../../core/errors.ts";

/** What one check found. `remedy`: what a person does about it; only of what failed. */
export interface CheckResult {
  readonly name: string;
  readonly state: "ok" | "failed" | "skipped";
  /** One sentence, without a full stop. */
  readonly message: string;
  /** One line each. */
  readonly details?: readonly string[];
  readonly remedy?: string;
}

/** A finding that is no error of a call. */
export interface Finding extends Omit<CheckResult, "name" | "state"> {
  readonly state?: CheckResult["state"];
}

/** Runs one check: what it throws is a failure, with its remedy. Rejects only when `signal` is aborted. */
export async function check(
  name: string,
  signal: AbortSignal,
  work: () => Promise<Finding | string>,
): Promise<CheckResult> {
  try {
    const finding = await work();
    if (typeof finding === "string") return { name, state: "ok", message: finding };
    return { name, state: "ok", ...finding };
  } catch (error) {
    if (signal.aborted) throw error;
    const remedy = error instanceof AppError ? { remedy: error.remedy } : {};
    return { name, state: "failed", message: describeError(error), ...remedy };
  }
}

export function skipped(name: string, message: string): CheckResult {
  return { name, state: "skipped", message };
}
