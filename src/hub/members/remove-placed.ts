import { isAppError } from "../../core/errors.ts";
import type { OffboardingStep } from "../../join/join.ts";
import type { MemberOffboarding } from "../../model/member-state.ts";
import { describeRef } from "../../model/kubernetes.ts";
import { toTime } from "../../planning/conditions.ts";
import type { HubPorts } from "../hub-ports.ts";
import type { StepPorts, StepRun } from "./run-offboarding-step.ts";
import { tryWrite } from "./run-offboarding-step.ts";

/** An agent removes objects in several steps, of which no watch reports the last. */
const requeueMs = 1_000;
/** Names that are kept for the report of what an agent did not remove. */
const mostNames = 20;

export interface PlacedRun extends StepRun {
  readonly record: (done: Pick<MemberOffboarding, "placed">) => Promise<void>;
  /** The agent did not remove it in time. */
  readonly reportLeft: (names: readonly string[]) => Promise<void>;
}

/**
 * Deletes on the hub what was placed for a member, and waits for its agent. Milliseconds after which to continue; 0 when that is
 * over. When it began is recorded before anything is deleted, so an interruption does not make the wait longer.
 */
export async function removePlaced(
  { view, write, log, hubFacts }: Pick<StepPorts, "view" | "write" | "log"> & Pick<HubPorts, "hubFacts">,
  step: Extract<OffboardingStep, { kind: "remove-placed" }>,
  { member, signal, record, reportLeft }: PlacedRun,
): Promise<number> {
  const { nowMs } = hubFacts();
  const recorded = member.state?.leave?.placed;
  const names = step.refs.slice(0, mostNames).map(describeRef);
  const { heartbeatMarker } = step;
  const placed = recorded ?? {
    since: toTime(nowMs),
    names,
    ...(heartbeatMarker === undefined ? {} : { heartbeatMarker }),
  };
  const over = { placed: { ...placed, overAt: toTime(nowMs) } };
  if (recorded === undefined) await record({ placed });
  for (const ref of step.refs) {
    const { uid, deletionTimestamp, finalizers = [] } = view.get(ref)?.metadata ?? {};
    if (uid === undefined) continue;
    if (step.isReleased && finalizers.length > 0) {
      await unlessDeleted(() => write.patch(ref, { metadata: { uid, finalizers: null } }));
    }
    const isHeld = finalizers.length > 0 && !step.isReleased;
    if (deletionTimestamp !== undefined) continue;
    // A deletion that finalizers hold writes its time into the object.
    if (isHeld) await tryWrite({ log }, { member, signal }, () => write.deleteHeld(ref, { uid }));
    else await write.delete(ref, { uid });
  }
  if (step.isDone) {
    await record(over);
    return 0;
  }
  if (nowMs < step.untilMs) return requeueMs;
  await reportLeft(names.length === 0 ? placed.names : names);
  await record(over);
  return 0;
}

async function unlessDeleted(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!isAppError(error, "E_KUBE_NOT_FOUND")) throw error;
  }
}
