import type { Invariant, Scene } from "./invariant.ts";
import { hasAgentAgain } from "./may-work.ts";

/** Before the end of a calm time. */
const quietMs = 120_000;

/** At rest nothing is written: in the last minutes of a calm time the hub has no new row but Leases, Events, reports and requests to join. */
export function restIsQuiet({ world, mirror, intent, violate }: Scene): Invariant {
  const name = "a run with nothing to do writes nothing";
  interface Count {
    readonly atMs: number;
    readonly rows: number;
    readonly refs: string;
  }
  let counts: Count[] = [];
  const count = (): Count => ({
    atMs: world.scheduler.elapsedMs,
    rows: mirror.meaningfulRows,
    refs: JSON.stringify([...world.remote.refs]),
  });
  return {
    name,
    onTick: () => {
      const now = count();
      counts = [...counts.filter(({ atMs }) => now.atMs - atMs <= quietMs), now];
    },
    atRest: () => {
      const [before] = counts;
      const now = count();
      if (before === undefined) return;
      if (now.refs !== before.refs) violate(name, "a branch moved in the last two minutes of rest");
      const rows = now.rows - before.rows;
      if (rows > 0 && [...intent.lostAgents.keys()].every((cluster) => hasAgentAgain({ world, intent }, cluster)))
        violate(name, `${rows} rows were written in the last two minutes of rest: ${mirror.lastKeys.join(", ")}`);
    },
  };
}
