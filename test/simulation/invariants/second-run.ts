import { annotationKeys } from "../../../src/model/well-known.ts";
import { clusterPrefix } from "../mirror.ts";
import type { HubMirror } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { hasAgentAgain } from "./may-work.ts";
import type { LostAgentScene } from "./may-work.ts";

/** Before the end of a calm time. */
const quietMs = 120_000;

/** What this invariant reads. */
interface RestScene extends LostAgentScene, Pick<Scene, "violate"> {
  readonly world: LostAgentScene["world"] & { readonly remote: { readonly refs: ReadonlyMap<string, string> } };
  readonly mirror: Pick<HubMirror, "meaningfulRows" | "lastKeys">;
}

/** At rest nothing is written: in the last minutes of a calm time the hub has no new row but Leases, Events, reports and requests to join. */
export function restIsQuiet({ world, mirror, intent, violate }: RestScene): Invariant {
  const name = "a run with nothing to do writes nothing";
  interface Count {
    readonly atMs: number;
    readonly rows: number;
    readonly refs: string;
  }
  let counts: Count[] = [];
  /** Removals wait for an agent that does not answer, and end a quarter of an hour after the last deed, or later. */
  let removalEndedAtMs = -Infinity;
  const count = (): Count => ({
    atMs: world.scheduler.elapsedMs,
    rows: mirror.meaningfulRows,
    refs: JSON.stringify([...world.remote.refs]),
  });
  return {
    name,
    onRow: ({ key, before, after }) => {
      if (!key.startsWith(clusterPrefix) || after !== undefined) return;
      if (before?.metadata.annotations?.[annotationKeys.leave] !== undefined)
        removalEndedAtMs = world.scheduler.elapsedMs;
    },
    onTick: () => {
      const now = count();
      counts = [...counts.filter(({ atMs }) => now.atMs - atMs <= quietMs), now];
    },
    atRest: () => {
      const [before] = counts;
      const now = count();
      if (before === undefined || world.scheduler.elapsedMs - removalEndedAtMs <= quietMs) return;
      if (now.refs !== before.refs) violate(name, "a branch moved in the last two minutes of rest");
      const rows = now.rows - before.rows;
      if (rows > 0 && [...intent.lostAgents.keys()].every((cluster) => hasAgentAgain({ world, intent }, cluster)))
        violate(name, `${rows} rows were written in the last two minutes of rest: ${mirror.lastKeys.join(", ")}`);
    },
  };
}
