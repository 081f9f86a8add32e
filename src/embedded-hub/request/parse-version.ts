const largest = 2n ** 64n - 1n;

export type ParsedVersion =
  | { readonly kind: "version"; readonly revision: number | bigint }
  /** `fault` is the text of the error. */
  | { readonly kind: "fault"; readonly fault: string };

/**
 * A resourceVersion: an unsigned number of 64 bits in decimal digits, 0 for an empty text. It is a bigint where no number
 * holds it, which is beyond each revision of this hub. Source: Go, strconv.ParseUint.
 */
export function parseVersion(text: string): ParsedVersion {
  if (text === "") return { kind: "version", revision: 0 };
  const quoted = JSON.stringify(text);
  if (!/^\d+$/u.test(text)) return { kind: "fault", fault: `strconv.ParseUint: parsing ${quoted}: invalid syntax` };
  const digits = text.replace(/^0+(?=\d)/u, "");
  const exact = digits.length > 20 ? largest + 1n : BigInt(digits);
  if (exact > largest) return { kind: "fault", fault: `strconv.ParseUint: parsing ${quoted}: value out of range` };
  return { kind: "version", revision: exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact };
}

/** The same of the parameter of a request; throws what `refuse` makes of the fault. */
export function revisionOf(text: string, refuse: (message: string) => Error): number | bigint {
  const parsed = parseVersion(text);
  if (parsed.kind === "version") return parsed.revision;
  throw refuse(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${parsed.fault}`);
}
