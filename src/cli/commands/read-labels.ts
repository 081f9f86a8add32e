import { AppError } from "../../core/errors.ts";
import { isReservedLabelKey } from "../../model/well-known.ts";

const name = "[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
const keyPattern = new RegExp(`^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?${name}$`, "u");
const valuePattern = new RegExp(`^(?:${name})?$`, "u");

/**
 * Labels of the command line, `key=value` each; the last one of a key counts.
 * @throws E_USAGE when one is malformed or reserved
 */
export function readLabels(pairs: readonly string[]): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const key = pair.slice(0, Math.max(0, at));
    const value = pair.slice(at + 1);
    if (!keyPattern.test(key) || !valuePattern.test(value)) {
      throw new AppError("E_USAGE", `${JSON.stringify(pair)} is no label: write key=value, such as env=prod`);
    }
    if (isReservedLabelKey(key)) throw new AppError("E_USAGE", `label ${key} is reserved: choose another prefix`);
    labels[key] = value;
  }
  return labels;
}

/** @throws E_USAGE unless the name can be a Cluster's, a token's or a namespace's (RFC 1123 label) */
export function checkName(value: string, what: string): string {
  if (/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u.test(value)) return value;
  const rule = "lower-case letters, digits and dashes, 63 at most, no dash at either end";
  throw new AppError("E_USAGE", `${what} ${JSON.stringify(value.slice(0, 100))} cannot be used: ${rule}`);
}
