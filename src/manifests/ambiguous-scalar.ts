/**
 * How other readers of YAML take a plain scalar that this program (YAML 1.2) takes differently, or undefined when all
 * agree. kubectl and everything that is built on Go's YAML library follow YAML 1.1 in these.
 */
export function otherReadingOf(source: string): string | undefined {
  const first = source.charCodeAt(0);
  const isDigitOrSign = (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d;
  if (!isDigitOrSign) {
    if (source.length > 3) return undefined;
    if (/^(?:y|yes|on)$/iu.test(source)) return "true";
    return /^(?:n|no|off)$/iu.test(source) ? "false" : undefined;
  }
  if (/^[-+]?0[0-9_]+$/u.test(source)) return "an octal number";
  if (/^[-+]?0o[0-7]+$/u.test(source)) return "text";
  if (/^[-+]?0b[01_]+$/u.test(source)) return "a binary number";
  if (/^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/u.test(source)) return "a number to the base of 60";
  if (!source.includes("_")) return undefined;
  const isNumber = /^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|0x[0-9a-f_]+)$/iu.test(source);
  return isNumber ? "a number" : undefined;
}
