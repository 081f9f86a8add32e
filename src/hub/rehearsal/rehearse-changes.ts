// hub/rehearsal: runs the hub's controllers on a hub in memory, so that a plan shows their work. They are the real
// controllers: no decision is made here.
import { appendAll } from "../../core/append-all.ts";
import { describeError } from "../../core/errors.ts";
import type { KubeObject, ObjectRef } from "../../model/kubernetes.ts";
import { describeRef } from "../../model/kubernetes.ts";
import type { HubWork, HubWorkPlan, PlannedChange } from "../../model/plan.ts";
import { executeChanges } from "../execute-changes.ts";
import type { RehearsalSetting } from "./rehearsal-ports.ts";
import { createSimulatedClock, openPorts } from "./rehearsal-ports.ts";
import type { RehearsalNotes } from "./rehearsed-protocol.ts";
import { bringToRest, targetsOf } from "./rehearsed-turns.ts";
import type { KnownFacts } from "./rehearsed-work.ts";
import { notesOf, uidNotes, workOf } from "./rehearsed-work.ts";
import type { SimulatedWrite } from "./simulated-hub.ts";
import { createSimulatedHub } from "./simulated-hub.ts";

export interface RehearsalInputs extends RehearsalSetting, KnownFacts {
  /** What the hub holds now, as far as the controllers read it, its workspaces among it. */
  readonly objects: Iterable<KubeObject>;
  /** What else exists on the hub under a name. Default: nothing. */
  readonly base?: (ref: ObjectRef) => KubeObject | undefined;
  readonly changes: readonly PlannedChange[];
  /** Awaited between two changes, so that other work of the process continues. Default: nothing is awaited. */
  readonly pause?: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** A change may enqueue others once more: a successor, and the cluster that it replaces. */
const rounds = 2;

/**
 * What the hub's controllers do after these changes, by the name of the changed object: the objects that they create,
 * update and delete, the credentials that they issue, the offboarding steps. What they would do without the changes is
 * left out. Agents are taken to answer what they are asked, and clusters to be reachable by their kubeconfigs.
 */
export async function rehearseChanges(inputs: RehearsalInputs): Promise<HubWorkPlan> {
  const { changes, signal, hubFacts } = inputs;
  const clock = createSimulatedClock(hubFacts.nowMs);
  const hub = createSimulatedHub(inputs.objects, () => clock.nowMs(), inputs.base);
  const seen: RehearsalNotes = { steps: [], credentials: [] };
  const ports = openPorts(inputs, { hub, clock, seen });
  const notes: string[] = [];
  const bring = (target: ObjectRef): Promise<void> => bringToRest(ports, { target, clock, notes, signal });
  try {
    await ports.view.whenSynced(signal);
    for (const change of changes) {
      await inputs.pause?.();
      for (const target of targetsOf(ports.view, change)) await bring(target);
    }
    const execution = {
      hubApi: hub.api,
      known: { get: () => undefined, listsAll: () => false },
      recordWritten: () => undefined,
      recordDeleted: () => undefined,
      concurrency: 1,
      signal,
    };
    for (const { change, error } of await executeChanges(changes, execution))
      if (error) notes.push(`What follows from ${describeRef(change.ref)} is not known: ${describeError(error)}.`);
    const records = changes.map((change) => ({ change, writes: [] as SimulatedWrite[], ...noNotes() }));
    for (let round = 0; round < rounds; round++) {
      for (const record of records) {
        await inputs.pause?.();
        const from = hub.writes.length;
        Object.assign(seen, noNotes());
        for (const target of targetsOf(ports.view, record.change)) await bring(target);
        appendAll(record.writes, hub.writes.slice(from));
        appendAll(
          record.steps,
          seen.steps.filter((step) => !record.steps.includes(step)),
        );
        appendAll(record.credentials, seen.credentials);
      }
    }
    const work = new Map<string, HubWork>();
    for (const record of records) {
      const done = workOf(record, hub);
      if (done) work.set(describeRef(record.change.ref), done);
      if (done) appendAll(notes, uidNotes(record.change, done));
      appendAll(notes, notesOf(record.change, ports, { ...inputs, hub }));
    }
    return { work, notes: [...new Set(notes)] };
  } finally {
    ports.health.stop();
    await ports.view.stop();
  }
}

function noNotes(): { steps: string[]; credentials: { purpose: string; reason: string }[] } {
  return { steps: [], credentials: [] };
}
