import type { Json } from "./json.ts";
import { parseJson } from "./parse-json.ts";

/** A whole number with more digits than a float holds, behind a key, a bracket or a comma. */
const longInteger = /(?:^|"\s*:|[[,])\s*-?\d{16}/u;
/** A number with a fraction or an exponent, in the same places. */
const fraction = /(?:^|"\s*:|[[,])\s*-?\d+[.eE]/u;

/**
 * The value of a JSON text. Whole numbers of 64 bits keep every digit: those beyond 2^53 are bigint, all others number;
 * what is beyond 64 bits is a float. Throws SyntaxError. Linear. A text without long numbers costs what JSON.parse does.
 */
export function parseExactJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  return longInteger.test(text) ? new ExactReader(text).read() : value;
}

/**
 * The same of a text that another program or a user wrote: undefined when it is no JSON or beyond the bounds of
 * {@link parseJson}. Never throws.
 */
export function readExactJson(text: string): Json | undefined {
  const value = parseJson(text) as Json | undefined;
  return value !== undefined && longInteger.test(text) ? new ExactReader(text).read() : value;
}

/** A value, and the numbers that it does not show as they were written: `1.0`, `1e3`, `9223372036854775808`, by path. */
export interface ExactJson {
  readonly value: Json;
  /** `spec.list[0].count` -> `1.0`. Absent when there are none. */
  readonly literals?: ReadonlyMap<string, string>;
}

/** The same with the literals of numbers that are written in another way than their value is. */
export function parseJsonWithLiterals(text: string): ExactJson {
  const plain = JSON.parse(text) as Json;
  if (!longInteger.test(text) && !fraction.test(text)) return { value: plain };
  const reader = new ExactReader(text);
  const value = reader.read();
  return reader.literals.size === 0 ? { value } : { value, literals: reader.literals };
}

/** A whole number in its one form: number as long as that is exact, bigint within 64 bits, a float beyond. */
export function wholeNumber(value: bigint): number | bigint {
  const rounded = Number(value);
  if (Number.isSafeInteger(rounded)) return rounded;
  return BigInt.asIntN(64, value) === value ? value : rounded;
}

/** Digits of the longest whole number of 64 bits, and its sign. */
const longestInteger = 20;

function numberOf(literal: string): number | bigint {
  const isInteger = literal.length <= longestInteger && !/[.eE]/u.test(literal);
  return isInteger ? wholeNumber(BigInt(literal)) : Number(literal);
}

/** Reads a text that JSON.parse took: nothing is checked again. */
class ExactReader {
  readonly literals = new Map<string, string>();
  private readonly text: string;
  private readonly token = /\s*([{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)/suy;

  constructor(text: string) {
    this.text = text;
  }

  read(): Json {
    return this.value(this.next(), "");
  }

  private next(): string {
    return this.token.exec(this.text)?.[1] ?? "";
  }

  private value(token: string, path: string): Json {
    switch (token[0]) {
      case "{":
        return this.map(path);
      case "[":
        return this.list(path);
      case '"':
        return textOf(token);
      case "t":
        return true;
      case "f":
        return false;
      case "n":
        return null;
      default:
        return this.number(token, path);
    }
  }

  private number(literal: string, path: string): number | bigint {
    const value = numberOf(literal);
    if (String(value) !== literal) this.literals.set(path, literal);
    return value;
  }

  private list(path: string): Json {
    const list: Json[] = [];
    for (let token = this.next(); token !== "]"; token = this.next()) {
      if (token !== ",") list.push(this.value(token, `${path}[${list.length}]`));
    }
    return list;
  }

  private map(path: string): Json {
    const map: Record<string, Json> = {};
    for (let token = this.next(); token !== "}"; token = this.next()) {
      if (token === ",") continue;
      const key = textOf(token);
      this.next();
      const value = this.value(this.next(), path === "" ? key : `${path}.${key}`);
      // Assigning to __proto__ would set the prototype.
      Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
    }
    return map;
  }
}

function textOf(token: string): string {
  return token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
}
