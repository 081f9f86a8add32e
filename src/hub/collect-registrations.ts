import { isAppError } from "../core/errors.ts";
import { mapConcurrently } from "../core/map-concurrently.ts";
import type { RegistrationKind } from "../join/join.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { HubWriter } from "./hub-writer.ts";
import { compareAge, liveRegistrations } from "./list-registrations.ts";

/** Writes of requests that are under way at the same time; members that were admitted need the hub, too. */
export const writesAtOnce = 8;
/** Between two collections of requests that have served their time. */
const collectPeriodMs = 1000;
/** The same, while those that are left have time. */
const othersPeriodMs = 60_000;

interface CollectionPlace {
  readonly workspace: string;
  readonly write: HubWriter;
}

/** Deletes the requests of a workspace that have served their time. Returns milliseconds after which to call it again. */
export type CollectRegistrations = (kind: RegistrationKind, place: CollectionPlace) => Promise<number | undefined>;

/** However often it is called, each kind in each workspace is looked through once in a while. */
export function createCollection(ports: Pick<HubPorts, "view" | "clock" | "hubFacts">): CollectRegistrations {
  const { view, clock } = ports;
  /** By workspace and kind: when (monotonic ms) the next collection may be. */
  const collectAtMs = new Map<string, number>();
  return async (kind, { workspace, write }) => {
    // Whom it admitted is not known of a namespace that is no workspace (any more): what was granted there stays.
    const registrations = liveRegistrations(view, kind, workspace)
      .filter((registration) => view.isWorkspace(workspace) || !kind.isDecided(registration))
      .sort(compareAge);
    if (registrations.length === 0) return undefined;
    const key = `${kind.type.plural}.${kind.type.group} ${workspace}`;
    const waitMs = (collectAtMs.get(key) ?? 0) - clock.monotonicMs();
    if (waitMs > 0) return waitMs;
    collectAtMs.set(key, clock.monotonicMs() + collectPeriodMs);
    const refs = kind.expired(registrations, view.membersOf(workspace), ports.hubFacts());
    const seen = new Map(registrations.map((object) => [describeRef(refOf(kind.type, object)), object.metadata]));
    await mapConcurrently(refs, writesAtOnce, async (ref) => {
      const { uid, resourceVersion } = seen.get(describeRef(ref)) ?? {};
      try {
        await write.delete(ref, { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) });
      } catch (error) {
        // Its agent has changed it, or asks anew: the watch brings it.
        if (!isAppError(error, "E_KUBE_CONFLICT")) throw error;
      }
    });
    // In a quiet workspace nothing else starts a collection when the time of the others is over.
    return refs.length < registrations.length ? othersPeriodMs : undefined;
  };
}
