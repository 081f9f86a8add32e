import type { KubeObject } from "../../model/kubernetes.ts";
import type { ApplyResult } from "../apply/server-side-apply.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest, tooLarge } from "../failures/failures.ts";
import type { OperationContext } from "../operations/operations.ts";
import { asKubeObject } from "../metadata/kube-json.ts";

/**
 * The object that an apply made; throws 409, 413, 400 or 500 when there is none. Only then are duplicate fields of the
 * intent reported: as a warning, or as 400.
 */
export function appliedObject(context: OperationContext, result: ApplyResult): KubeObject {
  switch (result.kind) {
    case "applied":
      reportDuplicates(context);
      return asKubeObject(result.object);
    case "conflict":
      throw new ApiFailure(409, "Conflict", result.message, {
        details: { causes: result.causes.map((cause) => ({ ...cause })) },
      });
    case "tooLarge":
      throw tooLarge(result.message);
    case "badRequest":
      throw badRequest(result.message);
    case "mismatch":
      throw new ApiFailure(500, "", result.message);
  }
}

function reportDuplicates({ decodingProblems: problems = [], fieldValidation, warnings }: OperationContext): void {
  if (problems.length === 0 || fieldValidation === "Ignore") return;
  if (fieldValidation === "Warn") {
    // The same apply is tried again when another write came first.
    const known = new Set(warnings);
    for (const problem of problems) if (!known.has(problem)) warnings.push(problem);
    return;
  }
  throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${problems.join(", ")}`);
}
