import type { AgentRuntimeSettings } from "../../src/agent/agent-dependencies.ts";
import type { HubPeriods } from "../../src/embedded-hub/assemble-hub.ts";
import type { KubeApiOptions } from "../../src/kube/kube-api.ts";

/** The periods of everything that the processes of a world repeat. */
export interface Pace {
  /** Of the agents of Rollcall, as the files declare it. */
  readonly heartbeatSeconds: number;
  readonly agent: Pick<AgentRuntimeSettings, "factsPeriodMs" | "longestSilenceMs">;
  readonly watches: Pick<KubeApiOptions, "watchSeconds" | "watchSilenceMs">;
  readonly hub: HubPeriods;
  /** Between two fetches of the branch by the daemon. */
  readonly fetchIntervalMs: number;
  /** Between two ticks of the invariants in calm hours, which are many. */
  readonly calmTickMs: number;
}

/** Where no file declares another period. */
export const defaultHeartbeatSeconds = 60;

/** A half-open watch is noticed within 75 minutes. */
const mostTimes = 30;
/** A round has ten minutes to come to rest in. */
const mostFetchTimes = 3;

/**
 * With the default heartbeat, and a shorter one, the defaults of the program. With one that is n times as long, so are the lives of
 * watches and the times between bookmarks, compactions, fetches and ticks, up to a limit each. An agent reads the facts of its cluster
 * twice in a heartbeat period; from n = 2 on, once in three periods. It reports them at least once in thirty periods.
 */
export function paceOf(heartbeatSeconds: number): Pace {
  // Whole: the protocol of watches knows no parts of a second.
  const times = Math.min(mostTimes, Math.max(1, Math.floor(heartbeatSeconds / defaultHeartbeatSeconds)));
  return {
    heartbeatSeconds,
    agent: {
      factsPeriodMs: heartbeatSeconds * (times > 1 ? 3000 : 500),
      longestSilenceMs: heartbeatSeconds * 30_000,
    },
    watches: { watchSeconds: 290 * times, watchSilenceMs: 150_000 * times },
    hub: { bookmarkMs: 60_000 * times, compactionMs: 60_000 * times },
    fetchIntervalMs: 60_000 * Math.min(mostFetchTimes, times),
    calmTickMs: 60_000 * times,
  };
}
