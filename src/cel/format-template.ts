import { CelError } from "./cel-value.ts";

/** The place of a value in a template. */
export interface Clause {
  readonly verb: ClauseVerb;
  readonly precision: number | undefined;
}

export type ClauseVerb = "s" | "d" | "f" | "e" | "b" | "x" | "X" | "o";

const maximumPrecision = 100;

/** Fills a template: `write` gives the text of a clause and of the value with an index. Throws a CelError. */
export function fillTemplate(
  template: string,
  valueCount: number,
  write: (clause: Clause, index: number) => string,
): { readonly text: string; readonly used: number } {
  let used = 0;
  let text = "";
  let rest = template;
  for (let at = rest.indexOf("%"); at >= 0; at = rest.indexOf("%")) {
    text += rest.slice(0, at);
    rest = rest.slice(at + 1);
    if (rest.startsWith("%")) {
      text += "%";
      rest = rest.slice(1);
      continue;
    }
    if (rest === "") throw new CelError("unexpected end of string");
    if (used >= valueCount) throw new CelError(`index ${used} out of range`);
    const { clause, length } = parseClause(rest);
    text += write(clause, used);
    rest = rest.slice(length);
    used++;
  }
  return { text: text + rest, used };
}

function parseClause(rest: string): { readonly clause: Clause; readonly length: number } {
  const match = /^(?:\.(\d*))?(.)?/su.exec(rest);
  const [whole = "", precision, verb] = match ?? [];
  if (verb === undefined) throw malformed("error while parsing precision: could not find end of precision specifier");
  if (precision === "") {
    const text = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
    throw malformed(`error while parsing precision: ${text}`);
  }
  if (!isVerb(verb)) throw malformed(`unrecognized formatting clause "${verb}"`);
  if (precision !== undefined && Number(precision) > maximumPrecision) throw malformed("precision too large");
  return {
    clause: { verb, precision: precision === undefined ? undefined : Number(precision) },
    length: whole.length,
  };
}

function isVerb(text: string): text is ClauseVerb {
  return "sdfebxXo".includes(text);
}

function malformed(text: string): CelError {
  return new CelError(`could not parse formatting clause: ${text}`);
}

/** What is wrong when a clause gets a value of a type that it cannot write. */
export function clauseMisfit(verb: ClauseVerb, typeName: string): string {
  switch (verb) {
    case "s":
      return `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeName}`;
    case "d":
      return `decimal clause can only be used on integers, was given ${typeName}`;
    case "f":
      return `fixed-point clause can only be used on doubles, was given ${typeName}`;
    case "e":
      return `scientific clause can only be used on doubles, was given ${typeName}`;
    case "b":
      return `only integers and bools can be formatted as binary, was given ${typeName}`;
    case "x":
    case "X":
      return `only integers, byte buffers, and strings can be formatted as hex, was given ${typeName}`;
    case "o":
      return `octal clause can only be used on integers, was given ${typeName}`;
  }
}
