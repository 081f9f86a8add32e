import { countOf } from "../core/count-of.ts";
import type { ObjectChange } from "../model/generated/plan-report.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { describeKind } from "../model/kubernetes.ts";
import type { HubWork } from "../model/plan.ts";
import { memberStateName } from "../model/member-state.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { joinWords } from "./plan-words.ts";

/** Adds what the hub's controllers do after a change: in full, and as one effect without names, so that equal ones fold. */
export function withHubWork(change: ObjectChange, work: HubWork | undefined): ObjectChange {
  if (work === undefined) return change;
  const { creates, updates, deletes, credentials, steps } = work;
  const effect = describeHubWork(work);
  return {
    ...change,
    effects: effect === undefined ? change.effects : [...change.effects, `then ${effect}`],
    hubWork: {
      creates: creates.map(nameOf),
      updates: updates.map(nameOf),
      deletes: deletes.map(nameOf),
      credentials: credentials.map((credential) => ({ ...credential })),
      steps: [...steps],
    },
  };
}

/** What the hub's controllers do after a change, as one sentence without names; undefined where nothing is worth one. */
export function describeHubWork({ creates, updates, deletes, credentials, steps }: HubWork): string | undefined {
  // Nearly every change is recorded in the member's state: that is worth no sentence.
  const shown = updates.filter(
    ({ type, name }) => type !== resourceTypes.configMap || !name.startsWith(memberStateName("")),
  );
  const parts = [
    ...(creates.length === 0 ? [] : [`creates ${countKinds(creates)}`]),
    ...(shown.length === 0 ? [] : [`updates ${countKinds(shown)}`]),
    ...(credentials.length === 0 ? [] : [`issues ${countOf(credentials.length, "credential")}`]),
    ...(steps.length === 0 ? [] : [`runs ${countOf(steps.length, "step")}: ${steps.join(", ")}`]),
    ...(deletes.length === 0 ? [] : [`deletes ${countKinds(deletes)}`]),
  ];
  return parts.length === 0 ? undefined : `the hub ${joinWords(parts)}`;
}

function nameOf({ type, namespace, name }: ObjectRef) {
  return { kind: describeKind(type), ...(namespace === undefined ? {} : { namespace }), name };
}

function countKinds(refs: readonly ObjectRef[]): string {
  const counts = new Map<string, number>();
  for (const kind of refs.map(({ type }) => describeKind(type))) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return joinWords([...counts].map(([kind, count]) => countOf(count, kind)));
}
