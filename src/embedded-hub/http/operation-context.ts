import type { OperationContext } from "../operations/operations.ts";
import type { Exchange } from "./exchange.ts";
import type { DecodingProblems } from "./parse-body.ts";
import type { WriteQuery } from "./query.ts";

const managerLimit = 128;

/** What the verbs need to know of a request that writes. */
export function operationContext(
  { request, user, warnings, audit }: Exchange,
  { fieldManager, fieldValidation, isDryRun }: WriteQuery,
  problems: DecodingProblems,
): OperationContext {
  return {
    user,
    fieldManager: fieldManager ?? managerOfUserAgent(request.headers["user-agent"] ?? ""),
    fieldValidation,
    isDryRun,
    warnings,
    ...(audit === undefined ? {} : { annotate: (key: string, value: string) => audit.annotated(key, value) }),
    decodingProblems: fieldValidation === "Strict" ? problems.joined : problems.single,
    ...(problems.literals === undefined ? {} : { numberLiterals: problems.literals }),
    ...(problems.places === undefined ? {} : { problemPlaces: problems.places }),
  };
}

/** The first part of a user agent, without what a manager's name may not contain. */
function managerOfUserAgent(userAgent: string): string {
  const [product = ""] = userAgent.split("/");
  return [...product]
    .filter((character) => !/\p{C}/u.test(character))
    .join("")
    .slice(0, managerLimit);
}
