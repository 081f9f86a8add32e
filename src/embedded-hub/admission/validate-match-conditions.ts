import { checkQualifiedName } from "../../core/formats/kube-names.ts";
import { duplicate, indexPath, internalError, invalid, required, tooMany } from "../schema/field-error.ts";
import { firstPlaces } from "../schema/first-places.ts";
import type { FieldError } from "../schema/schema.ts";
import type { NamedExpression } from "./admission-policy.ts";
import type { Compiled } from "./compile-policy.ts";

const mostConditions = 64;

/** What is wrong with the match conditions of a policy or a webhook; `compiled` has their programs, in the same order. */
export function validateMatchConditions(
  conditions: readonly NamedExpression[],
  compiled: readonly Compiled[],
  path: string,
): FieldError[] {
  const places = firstPlaces(conditions.map(({ name }) => name));
  const count = conditions.length;
  const errors = conditions.flatMap(({ name, expression }, index) => {
    const item = indexPath(path, index);
    return [
      ...(expression.trim() === ""
        ? [required(`${item}.expression`)]
        : refusalOf(compiled[index], `${item}.expression`, expression.trim())),
      ...(name === ""
        ? [required(`${item}.name`)]
        : checkQualifiedName(name).map((text) => invalid(`${item}.name`, name, text))),
      ...(name !== "" && places.get(name) !== index ? [duplicate(`${item}.name`, name)] : []),
    ];
  });
  return [...(count > mostConditions ? [tooMany(path, count, mostConditions)] : []), ...errors];
}

/** Why an expression does not compile; nothing when it does. */
export function refusalOf(compiled: Compiled | undefined, field: string, expression: string): FieldError[] {
  if (compiled?.kind !== "refused") return [];
  const { message, stage } = compiled;
  return [stage === "instantiation" ? internalError(field, message) : invalid(field, expression, message)];
}
