import { AppError } from "../../core/errors.ts";
import { errorCodes } from "../../core/error-codes.ts";
import { nearestName } from "../../core/nearest-name.ts";
import type { Problem } from "../../model/problem.ts";

export type ChosenSeverity = "error" | "warning" | "off";

/**
 * Reads `CODE=error|warning|off` pieces.
 * @throws E_USAGE for a code or severity that is none
 */
export function readSeverities(pieces: readonly string[]): ReadonlyMap<string, ChosenSeverity> {
  return new Map(
    pieces.map((piece) => {
      const [code = "", severity] = piece.split("=");
      if (!Object.hasOwn(errorCodes, code)) {
        const near = nearestName(code, Object.keys(errorCodes));
        throw new AppError(
          "E_USAGE",
          `--severity ${piece}: there is no code ${code}${near ? `, did you mean ${near}?` : ""}`,
        );
      }
      if (severity !== "error" && severity !== "warning" && severity !== "off") {
        throw new AppError("E_USAGE", `--severity ${piece}: write ${code}=error, ${code}=warning or ${code}=off`);
      }
      return [code, severity];
    }),
  );
}

/** Problems with the severities that were chosen; `isStrict` makes every warning that is left an error. */
export function withSeverities(
  problems: readonly Problem[],
  { severities, isStrict }: { readonly severities: ReadonlyMap<string, ChosenSeverity>; readonly isStrict: boolean },
): Problem[] {
  return problems.flatMap((problem): Problem[] => {
    const severity = severities.get(problem.code) ?? problem.severity;
    if (severity === "off") return [];
    return [{ ...problem, severity: isStrict ? "error" : severity }];
  });
}
