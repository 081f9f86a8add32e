import type { Expression } from "./expression.ts";
import { isMacro } from "./macros.ts";
import type { MacroName } from "./macros.ts";
import { SyntaxIssue } from "./syntax-issue.ts";

interface Call {
  /** Of its bracket. */
  readonly position: number;
  readonly name: string;
  readonly target?: Expression;
  readonly parts: readonly Expression[];
}

/** A call, or the macro that it is. Throws a SyntaxIssue. */
export function callOf({ position, name, target, parts }: Call): Expression {
  if (target === undefined) {
    if (name === "has" && parts.length === 1) return presenceOf(position, parts[0]);
    return { kind: "call", position, name, arguments: parts };
  }
  if (!isMacro(name, parts.length)) return { kind: "call", position, name, target, arguments: parts };
  const count = variableCountOf(name, parts.length);
  const variables = variableNames(parts.slice(0, count));
  return { kind: "macro", position, macro: name, target, variables, arguments: parts.slice(count) };
}

function presenceOf(position: number, argument: Expression | undefined): Expression {
  if (argument?.kind !== "select" || argument.isOptional) {
    throw new SyntaxIssue(argument?.position ?? position, "invalid argument to has() macro");
  }
  const { operand, field } = argument;
  return { kind: "presence", position, operand, field };
}

/** Comprehensions over two variables name both before their expressions. */
function variableCountOf(name: MacroName, argumentCount: number): number {
  const isOfTwo =
    name.startsWith("transform") ||
    (["all", "exists", "exists_one", "existsOne"].includes(name) && argumentCount === 3);
  return isOfTwo ? 2 : 1;
}

function variableNames(parts: readonly Expression[]): string[] {
  const names: string[] = [];
  for (const part of parts) {
    if (part.kind !== "identifier") throw new SyntaxIssue(part.position, "argument must be a simple name");
    // A name with a dot in front is taken, and nothing can refer to it.
    const name = part.isRooted === true ? `.${part.name}` : part.name;
    if (names.includes(name)) throw new SyntaxIssue(part.position, `duplicate variable name: ${name}`);
    if (name === "__result__") {
      throw new SyntaxIssue(part.position, "iteration variable overwrites accumulator variable");
    }
    names.push(name);
  }
  return names;
}
