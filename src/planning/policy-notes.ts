import { oneOrMany } from "../core/count-of.ts";
import { isJsonEqual } from "../core/json.ts";
import { emptyFleet } from "../model/declared-fleet.ts";
import type { Policy } from "../model/generated/policy.ts";
import { namespacedName } from "../model/namespaced-name.ts";
import { listNames } from "./plan-words.ts";

/** The part of a fleet that has its policies. */
type WithPolicies = { readonly policies: readonly { readonly object: Policy }[] };

/**
 * What a reader of a plan should know of the policies: a plan has no object for them, and a file that breaks a rule is no problem
 * once the rule is weaker. A branch that was not read to its end has no fleet.
 */
export function policyNotes(before: WithPolicies | undefined, after: WithPolicies): string[] {
  if (before === undefined || after === emptyFleet) return [];
  const now = new Map(after.policies.map(({ object }) => [namespacedName(object), object]));
  const policies = before.policies.map(({ object }) => object);
  const removed = policies.filter((policy) => !now.has(namespacedName(policy)));
  const changed = policies.filter((policy) => {
    const next = now.get(namespacedName(policy));
    return next !== undefined && !isJsonEqual({ ...policy.spec }, { ...next.spec });
  });
  return [
    ...note(removed, "removed, and files are evaluated without"),
    ...note(changed, "changed, and files are evaluated by the new rules"),
  ];
}

function note(policies: readonly Policy[], what: string): string[] {
  if (policies.length === 0) return [];
  const names = policies.map((policy) => namespacedName(policy).replace(/^\//u, ""));
  return [`${oneOrMany(policies.length, "A policy is", "Policies are")} ${what}: ${listNames(names)}.`];
}
