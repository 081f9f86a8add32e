import { canonicalJson } from "../core/json.ts";
import type { FieldChange } from "../model/plan.ts";

/** A field without what is secret in its values. */
export interface MaskedField extends FieldChange {
  /** A secret changes: one that is masked in the values, or all that changes. Then the field has no values. */
  readonly isHidden?: boolean;
}

/** Names of environment variables whose values are likely to be secret. */
const secretName =
  /token|secret|passw|passphrase|credential|private|api.?key|(?:^|[-_.])(?:pass|pwd|auth|key)(?:$|[-_.])/iu;

/**
 * What precedes the last `@` of the authority of an address. Behind a `?` or `#` it is no password: the host is before it, and a
 * reader must see that one.
 */
const userInfo = /:\/\/[^/?#\\\s]*@/gu;

/** Masks passwords in addresses, and `{name: "API_TOKEN", value: "..."}` anywhere in the values of a field. */
export function maskField({ path, from, to }: FieldChange): MaskedField {
  const [before, after] = [mask(from), mask(to)];
  const isChange = from !== undefined && to !== undefined;
  const isHidden = isChange && canonicalJson(before.hidden) !== canonicalJson(after.hidden);
  if (isHidden && canonicalJson(before.value) === canonicalJson(after.value)) return { path, isHidden };
  return { path, from: before.value, to: after.value, ...(isHidden ? { isHidden } : {}) };
}

function mask(value: unknown): { readonly value: unknown; readonly hidden: readonly unknown[] } {
  const hidden: unknown[] = [];
  const hide = (secret: unknown, shown: string): string => {
    hidden.push(secret);
    return shown;
  };
  const visit = (part: unknown): unknown => {
    if (typeof part === "string") return part.replaceAll(userInfo, (text) => hide(text, "://***@"));
    if (Array.isArray(part)) return part.map(visit);
    if (typeof part !== "object" || part === null) return part;
    const isNamedSecret = "name" in part && typeof part.name === "string" && secretName.test(part.name);
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [
        key,
        key === "value" && isNamedSecret ? hide(item, "***") : visit(item),
      ]),
    );
  };
  return { value: visit(value), hidden };
}
