import { AppError } from "./errors.ts";

/** Ends every `switch` over a closed set: the compiler proves that it is never reached. */
export function assertNever(value: never): never {
  throw new AppError("E_BUG", `unexpected case ${JSON.stringify(value)}`);
}
