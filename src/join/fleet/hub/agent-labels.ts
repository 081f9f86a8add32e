import { isReservedFleetLabel, fleetKeys } from "../../../model/dialects/fleet.ts";
import { isReservedLabelKey } from "../../../model/well-known.ts";

/** What a Fleet agent proposes for a new cluster: all that is not reserved, or only those that the token allows. */
export function allowedLabels(
  proposed: Readonly<Record<string, string>>,
  allowedKeys: readonly string[] | undefined,
): { readonly labels: Record<string, string>; readonly notes: readonly string[] } {
  const labels: Record<string, string> = {};
  const notes: string[] = [];
  for (const [key, value] of Object.entries(proposed).slice(0, 64)) {
    const isReserved = key !== fleetKeys.createdByAgentPod && (isReservedLabelKey(key) || isReservedFleetLabel(key));
    const isAllowed = !isReserved && isLabel(key, value);
    if (isAllowed && (allowedKeys === undefined || allowedKeys.includes(key))) labels[key] = value;
    else
      notes.push(
        `label ${JSON.stringify(key)} is left out: ${isReserved ? "its prefix is reserved" : "the token does not allow it"}`,
      );
  }
  return { labels, notes };
}

/** Source: Kubernetes API concepts, labels. */
function isLabel(key: string, value: string): boolean {
  const part = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/u;
  const [first = "", second, ...more] = key.split("/");
  const isKey = second === undefined ? part.test(first) : more.length === 0 && first.length <= 253 && part.test(second);
  return isKey && (value === "" || part.test(value));
}
