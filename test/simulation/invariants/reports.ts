import { textAt } from "../../../src/core/read-json.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { mayWork } from "./may-work.ts";

const reportPrefix = "/rollcall.dev/clusterreports/fleet/";
/** For an agent to see that its report is another object, and to write it. */
const filledWithinMs = 120_000;
/** After a fault: retries may wait so long. */
const settledAfterMs = 120_000;

/** In calm times a report that is made anew has all facts of its cluster soon: its agent writes every field again. */
export function reportsAreFilled({ world, mirror, intent, violate, disturbedAtMs }: Scene): Invariant {
  const name = "a report that is made anew is filled within two minutes";
  /** Since when each report has no fact. */
  const emptySince = new Map<string, number>();
  return {
    name,
    onRestore: () => emptySince.clear(),
    onRow: ({ key, after }) => {
      if (!key.startsWith(reportPrefix)) return;
      const cluster = key.slice(reportPrefix.length);
      const isEmpty = after !== undefined && textAt(after, "spec", "agentVersion") === undefined;
      if (!isEmpty) emptySince.delete(cluster);
      else if (!emptySince.has(cluster)) emptySince.set(cluster, world.scheduler.elapsedMs);
    },
    onTick: () => {
      const { elapsedMs } = world.scheduler;
      for (const [cluster, atMs] of emptySince) {
        const isDeclared = mirror.get(`/rollcall.dev/clusters/fleet/${cluster}`) !== undefined;
        if (!isDeclared || !mayWork({ world, mirror, intent }, cluster)) continue;
        if (elapsedMs - Math.max(atMs, disturbedAtMs() + settledAfterMs) <= filledWithinMs) continue;
        emptySince.delete(cluster);
        violate(name, `the report of ${cluster} is empty since ${Math.round((elapsedMs - atMs) / 1000)} s`);
      }
    },
  };
}
