import type { CelType } from "./cel-type.ts";
import { CelError, runtimeName } from "./cel-value.ts";
import type { Expression, Issue } from "./expression.ts";
import type { ClauseVerb } from "./format-template.ts";
import { clauseMisfit, fillTemplate } from "./format-template.ts";

type TypeOf = (part: Expression) => CelType;

const textKinds = ["int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null_type"];

const accepted: Readonly<Record<ClauseVerb, readonly string[]>> = {
  s: ["list", "map", ...textKinds],
  d: ["int", "uint"],
  f: ["double", "string"],
  e: ["double", "string"],
  b: ["int", "uint", "bool"],
  x: ["int", "uint", "string", "bytes"],
  X: ["int", "uint", "string", "bytes"],
  o: ["int", "uint"],
};

/** A part of a list of values that its clause cannot write. */
class Misfit extends Error {
  readonly position: number;

  constructor(position: number, message: string) {
    super(message);
    this.position = position;
  }
}

/** What is wrong with `"template".format([values])`, as far as the types of the values show it. */
export function formatFault(expression: Expression, typeOf: TypeOf): Issue | undefined {
  if (expression.kind !== "call" || expression.name !== "format") return undefined;
  const { target, position } = expression;
  const [values] = expression.arguments;
  if (target?.kind !== "literal" || typeof target.value !== "string" || values?.kind !== "list") return undefined;
  const { items } = values;
  try {
    const { used } = fillTemplate(target.value, items.length, ({ verb }, index) => {
      const item = items[index];
      if (item !== undefined) checkValue(verb, item, typeOf);
      return "";
    });
    if (items.length <= used) return undefined;
    const message = `too many arguments supplied to string.format (expected ${used}, got ${items.length})`;
    return { position, message };
  } catch (error) {
    if (error instanceof Misfit) return { position: error.position, message: error.message };
    if (error instanceof CelError) return { position, message: error.message };
    throw error;
  }
}

function checkValue(verb: ClauseVerb, value: Expression, typeOf: TypeOf): void {
  const type = typeOf(value);
  if (type.kind !== "dyn" && !accepted[verb].includes(type.kind)) {
    const name = "name" in type ? type.name : runtimeName(type.kind);
    throw new Misfit(value.position, `error during formatting: ${clauseMisfit(verb, name)}`);
  }
  if (verb !== "s") return;
  const parts = value.kind === "list" ? value.items : value.kind === "map" ? value.entries.flat() : [];
  for (const part of parts) checkValue(verb, part, typeOf);
}
