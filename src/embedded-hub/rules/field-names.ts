import { ownValue } from "../../core/own-value.ts";

/** Tokens that no name of the language can be. */
const tokens: ReadonlySet<string> = new Set(["true", "false", "null", "in"]);

/** Keywords that the language reserves. */
const keywords = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "false",
  "for",
  "function",
  "if",
  "import",
  "in",
  "let",
  "loop",
  "namespace",
  "null",
  "package",
  "return",
  "true",
  "var",
  "void",
  "while",
]);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** The name of a property as expressions write it, or undefined when they cannot. Source: Kubernetes, CEL escaping. */
export function escapeField(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/u.test(name)) return undefined;
  if (keywords.has(name)) return `__${name}__`;
  return name.replace(/__|[./-]/gu, (part) => ownValue(escapes, part) ?? part);
}

/** All names under which expressions find a property: the escaped one, and a keyword that only variables may not have. */
export function namesOfField(name: string): readonly string[] {
  const escaped = escapeField(name);
  if (escaped === undefined) return [];
  return keywords.has(name) && !tokens.has(name) ? [escaped, name] : [escaped];
}

/** The property that an expression means by a name, or undefined when no property is written so. */
export function unescapeField(name: string): string | undefined {
  let isKnown = true;
  const unescaped = name.replace(/__([^_]+)__/gu, (part, word: string) => {
    if (keywords.has(word) && part === name) return word;
    const original = Object.entries(escapes).find(([, escaped]) => escaped === part)?.[0];
    if (original === undefined) isKnown = false;
    return original ?? "";
  });
  return isKnown ? unescaped : undefined;
}
