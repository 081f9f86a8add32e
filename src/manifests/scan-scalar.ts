import type { Json } from "../core/json.ts";

/** Scalars whose reading depends on case or on the version of YAML. */
const words = /^(?:true|false|null|yes|no|on|off|y|n)$/iu;

/** What a reader of any version might take for a number, decimal integers without leading zero excepted. */
const numberLike = /^[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?$|^0[xob]|^[0-9][0-9_]*:/iu;

/**
 * The value of a scalar without quotes, or undefined when it is not certain that every reader of YAML agrees on it. The
 * caller has cut off comments and has made sure that no `: ` is in it.
 */
export function scanPlain(plain: string): Json | undefined {
  if (plain === "~") return null;
  const first = plain.charCodeAt(0);
  const isDigit = first >= 0x30 && first <= 0x39;
  if (isDigit) {
    if (/^(?:0|[1-9][0-9]{0,14})$/u.test(plain)) return Number(plain);
    return numberLike.test(plain) ? undefined : plain;
  }
  const isLetter = (first >= 0x41 && first <= 0x5a) || (first >= 0x61 && first <= 0x7a);
  if (!isLetter && first !== underscore && first !== slash && first < 0xa1) return undefined;
  if (plain.length > 5 || !words.test(plain)) return plain;
  if (plain === "true") return true;
  if (plain === "false") return false;
  return plain === "null" ? null : undefined;
}

/** The offset behind the closing quote of a scalar on one line without escapes, or undefined. */
export function scanQuoted(text: string, at: number, end: number): number | undefined {
  const quote = text.charAt(at);
  const close = text.indexOf(quote, at + 1);
  if (close < 0 || close >= end) return undefined;
  // Two single quotes mean one, and nothing is behind a text in double quotes; a backslash in these starts an escape.
  if (text.charAt(close + 1) === quote) return undefined;
  if (quote === '"' && text.slice(at, close).includes("\\")) return undefined;
  return close + 1;
}

const slash = 0x2f;
const underscore = 0x5f;
