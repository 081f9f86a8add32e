import { ownValue } from "../../../core/own-value.ts";

/** Factors of the suffixes that Kubernetes writes, in thousandths. Source: Kubernetes API, resource.Quantity. */
const thousandths: Readonly<Record<string, bigint>> = {
  m: 1n,
  "": 1000n,
  k: 1000n * 1000n,
  M: 1000n * 1000n ** 2n,
  G: 1000n * 1000n ** 3n,
  T: 1000n * 1000n ** 4n,
  P: 1000n * 1000n ** 5n,
  E: 1000n * 1000n ** 6n,
  Ki: 1000n * 1024n,
  Mi: 1000n * 1024n ** 2n,
  Gi: 1000n * 1024n ** 3n,
  Ti: 1000n * 1024n ** 4n,
  Pi: 1000n * 1024n ** 5n,
  Ei: 1000n * 1024n ** 6n,
};

/** An amount in thousandths, or undefined when the text is none. Parts smaller than a thousandth are rounded up. */
export function parseQuantity(amount: unknown): bigint | undefined {
  const text = typeof amount === "number" ? String(amount) : amount;
  if (typeof text !== "string") return undefined;
  const [, whole = "", decimals = "", suffix = ""] =
    /^(\d{1,30})(?:\.(\d{1,18}))?(m|[kMGTPE]i?|Ki)?$/u.exec(text) ?? [];
  const factor = ownValue(thousandths, suffix);
  if (whole === "" || factor === undefined) return undefined;
  const scale = 10n ** BigInt(decimals.length);
  const scaled = BigInt(whole + decimals) * factor;
  return (scaled + scale - 1n) / scale;
}

/** The amount as Kubernetes would write it; bytes by the largest binary suffix that fits exactly. */
export function formatQuantity(amountInThousandths: bigint, isBytes: boolean): string {
  if (amountInThousandths % 1000n !== 0n) return `${amountInThousandths}m`;
  const amount = amountInThousandths / 1000n;
  if (!isBytes) return String(amount);
  for (const suffix of ["Ti", "Gi", "Mi", "Ki"]) {
    const factor = (ownValue(thousandths, suffix) ?? 1000n) / 1000n;
    if (amount >= factor && amount % factor === 0n) return `${amount / factor}${suffix}`;
  }
  return String(amount);
}
