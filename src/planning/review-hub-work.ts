import { countOf } from "../core/count-of.ts";
import type { ObjectChange } from "../model/generated/plan-report.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import type { HubWork } from "../model/plan.ts";
import { joinWords } from "./plan-words.ts";

/** Adds what the hub's controllers do after a change: in full, and as one effect without names, so that equal ones fold. */
export function withHubWork(change: ObjectChange, work: HubWork | undefined): ObjectChange {
  if (work === undefined) return change;
  const { creates, deletes, credentials, steps } = work;
  const parts = [
    ...(creates.length === 0 ? [] : [`creates ${countKinds(creates)}`]),
    ...(credentials.length === 0 ? [] : [`issues ${countOf(credentials.length, "credential")}`]),
    ...(steps.length === 0 ? [] : [`runs offboarding: ${steps.join(", ")}`]),
    ...(deletes.length === 0 ? [] : [`deletes ${countKinds(deletes)}`]),
  ];
  return {
    ...change,
    effects: [...change.effects, `then the hub ${joinWords(parts)}`],
    hubWork: {
      creates: creates.map(nameOf),
      deletes: deletes.map(nameOf),
      credentials: credentials.map((credential) => ({ ...credential })),
      steps: [...steps],
    },
  };
}

function nameOf({ type: { kind }, namespace, name }: ObjectRef) {
  return { kind, ...(namespace === undefined ? {} : { namespace }), name };
}

function countKinds(refs: readonly ObjectRef[]): string {
  const counts = new Map<string, number>();
  for (const { type } of refs) counts.set(type.kind, (counts.get(type.kind) ?? 0) + 1);
  return joinWords([...counts].map(([kind, count]) => `${count} ${kind}`));
}
