import { countCharacters } from "../core/count-characters.ts";
import { PatternBudget } from "../core/formats/patterns.ts";
import type { CelType } from "./cel-type.ts";
import { dyn } from "./cel-type.ts";
import type { CelValue } from "./cel-value.ts";
import { CelError } from "./cel-value.ts";
import { expandBindings } from "./bindings.ts";
import { checkExpression } from "./check.ts";
import { describeIssues } from "./describe-issues.ts";
import { compile } from "./evaluate.ts";
import { startRun } from "./evaluation.ts";
import type { Expression, Issue } from "./expression.ts";
import { partsOf } from "./expression-parts.ts";
import { parseExpression } from "./parse.ts";
import { kubernetesLibrary } from "./library.ts";
import { findLiteralFaults, findTooLargePattern, patternFault } from "./literal-faults.ts";
import { namesIn } from "./names.ts";
import type { Library } from "./overload.ts";

/** What an expression may refer to. */
export interface CelEnvironment {
  readonly variables: Readonly<Record<string, CelType>>;
  /** Default: the functions that Kubernetes gives. */
  readonly library?: Library;
  /** `cel.bind(name, value, body)` is a macro. Default false: Kubernetes does not have it. */
  readonly hasBindings?: boolean;
  /** Of all expressions that share it. Default: of this one alone. */
  readonly patterns?: PatternBudget;
}

/** An expression that is ready to run. */
export interface CelProgram {
  readonly kind: "program";
  /** The type of what it gives. */
  readonly type: CelType;
  readonly uses: (variable: string) => boolean;
  /** Runs it. `maximumCost` bounds the time it takes: a unit is well below a microsecond. */
  readonly run: (variables: Readonly<Record<string, CelValue>>, maximumCost: number) => CelOutcome;
}

export type CelOutcome =
  | { readonly kind: "value"; readonly value: CelValue; readonly cost: number }
  | { readonly kind: "failure"; readonly message: string; readonly isOverBudget: boolean; readonly cost: number };

export interface CelRefusal {
  readonly kind: "refused";
  /** Which step fails: reading and checking the text, or making it ready (a literal that cannot be converted). */
  readonly stage: "compilation" | "instantiation";
  /** All that is wrong, with lines of the text below each: `ERROR: <input>:1:6: undefined field 'x'`. */
  readonly message: string;
  /** The same one by one, in the order of the text; none for a literal that cannot be converted. */
  readonly issues: readonly Issue[];
}

/** Source: cel-go 0.26, parser. */
const mostCharacters = 100_000;

/** Parses and checks an expression of the Common Expression Language, as Kubernetes 1.34 knows it. */
export function compileCel(text: string, environment: CelEnvironment): CelProgram | CelRefusal {
  const refuse = (issues: readonly Issue[]): CelRefusal => {
    const sorted = [...issues].sort((left, right) => left.position - right.position);
    return { kind: "refused", stage: "compilation", message: describeIssues(text, issues), issues: sorted };
  };
  const size = countCharacters(text);
  if (size > mostCharacters) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${mostCharacters}`;
    const issues = [{ position: 0, message }];
    return { kind: "refused", stage: "compilation", message: `ERROR: <input>:-1:0: ${message}`, issues };
  }
  const parsed = parseExpression(text);
  if (parsed.kind === "malformed") return refuse([parsed.issue]);
  const expression = environment.hasBindings === true ? expandBindings(parsed.expression) : parsed.expression;
  const library = environment.library ?? kubernetesLibrary;
  const variables = new Map(Object.entries(environment.variables));
  const { type, issues, typeOf } = checkExpression(expression, { library, variables });
  const tooLarge = findTooLargePattern(expression, environment.patterns ?? new PatternBudget());
  if (tooLarge !== undefined) return refuse([tooLarge]);
  const faults = issues.length > 0 ? issues : findLiteralFaults(expression, typeOf);
  if (faults.length > 0) return refuse(faults);
  const inconvertible = conversionFault(expression, library);
  if (inconvertible !== undefined)
    return { kind: "refused", stage: "instantiation", message: inconvertible, issues: [] };
  return makeProgram(expression, { type, library, names: [...variables.keys()] });
}

const conversions = new Set(["bool", "bytes", "double", "int", "string", "uint"]);

/** Why a literal cannot be converted to what the expression wants: `int("x")`, `text.find("(")`. */
function conversionFault(expression: Expression, library: Library): string | undefined {
  if (expression.kind === "call" && expression.target === undefined && conversions.has(expression.name)) {
    const [argument] = expression.arguments;
    if (argument?.kind === "literal") {
      const outcome = makeProgram(expression, { type: dyn, library, names: [] }).run({}, Infinity);
      if (outcome.kind === "failure") return outcome.message;
    }
  }
  const faults = [patternFault(expression), ...partsOf(expression).map((part) => conversionFault(part, library))];
  return faults.find((fault) => fault !== undefined);
}

function makeProgram(
  expression: Expression,
  { type, library, names }: { readonly type: CelType; readonly library: Library; readonly names: readonly string[] },
): CelProgram {
  const slots = new Map(names.map((name, index) => [name, index] as const));
  const evaluate = compile(expression, { library, slots });
  const used = namesIn(expression);
  return {
    kind: "program",
    type,
    uses: (variable) => used.has(variable),
    run: (variables, maximumCost) => {
      const run = startRun(
        maximumCost,
        names.map((name) => variables[name] ?? null),
      );
      const spent = (): number => Math.min(maximumCost, maximumCost - run.remaining);
      try {
        const value = evaluate(run);
        return { kind: "value", value, cost: spent() };
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        return { kind: "failure", message: error.message, isOverBudget: error.isFatal, cost: spent() };
      }
    },
  };
}
