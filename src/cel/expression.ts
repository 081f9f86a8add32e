import type { CelValue } from "./cel-value.ts";
import type { MacroName } from "./macros.ts";

/** An expression, parsed. `position` is where messages about it point: an offset in the text. */
export type Expression = { readonly position: number } & (
  | { readonly kind: "literal"; readonly value: CelValue }
  /** `isRooted` of a name with a dot in front. */
  | { readonly kind: "identifier"; readonly name: string; readonly isRooted?: true }
  | { readonly kind: "select"; readonly operand: Expression; readonly field: string; readonly isOptional: boolean }
  /** `has(operand.field)`. */
  | { readonly kind: "presence"; readonly operand: Expression; readonly field: string }
  | { readonly kind: "index"; readonly operand: Expression; readonly index: Expression; readonly isOptional: boolean }
  /** A function or operator (`_+_`); methods have a target. */
  | {
      readonly kind: "call";
      readonly name: string;
      readonly target?: Expression;
      readonly arguments: readonly Expression[];
    }
  /** Optionals are the places of items after `?`: each is an optional, and left out when it has no value. */
  | { readonly kind: "list"; readonly items: readonly Expression[]; readonly optionals?: ReadonlySet<number> }
  | {
      readonly kind: "map";
      readonly entries: readonly (readonly [Expression, Expression])[];
      readonly optionals?: ReadonlySet<number>;
    }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: "ternary";
      readonly condition: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | {
      readonly kind: "macro";
      readonly macro: MacroName;
      readonly target: Expression;
      readonly variables: readonly string[];
      readonly arguments: readonly Expression[];
    }
);

export interface Issue {
  readonly position: number;
  readonly message: string;
}
