import type { AgentRuntimeSettings } from "../../src/agent/agent-dependencies.ts";
import type { HubPeriods } from "../../src/embedded-hub/assemble-hub.ts";
import type { KubeApiOptions } from "../../src/kube/kube-api.ts";

/** How often the processes of a world do what they do by the clock. */
export interface Pace {
  /** Between two heartbeats of our agents, as the files say it. */
  readonly heartbeatSeconds: number;
  readonly agent: Pick<AgentRuntimeSettings, "factsPeriodMs" | "longestSilenceMs">;
  readonly watches: Pick<KubeApiOptions, "watchSeconds" | "watchSilenceMs">;
  readonly hub: HubPeriods;
  /** Between two looks of the daemon at the branch. */
  readonly lookMs: number;
  /** In calm hours, which are many, invariants look less often. */
  readonly calmLookMs: number;
}

/** Between two heartbeats, where no file says another period. */
export const defaultHeartbeatSeconds = 60;

/** A half-open watch is noticed within 75 minutes. */
const mostStretch = 30;
/** Rounds have ten minutes to come to rest in. */
const mostLookStretch = 3;

/**
 * The defaults of the program for the default heartbeat. With a longer one, watches live so many times as long, as bookmarks and
 * the invariants' looks in calm hours are apart. An agent looks at its cluster twice between two heartbeats, with a longer period
 * after each third one, and is silent about it for thirty of them at most.
 */
export function paceOf(heartbeatSeconds: number): Pace {
  const stretch = Math.min(mostStretch, heartbeatSeconds / defaultHeartbeatSeconds);
  return {
    heartbeatSeconds,
    agent: {
      factsPeriodMs: heartbeatSeconds * (stretch > 1 ? 3000 : 500),
      longestSilenceMs: heartbeatSeconds * 30_000,
    },
    watches: { watchSeconds: 290 * stretch, watchSilenceMs: 150_000 * stretch },
    hub: { bookmarkMs: 60_000 * stretch, compactionMs: 60_000 * stretch },
    lookMs: 60_000 * Math.min(mostLookStretch, stretch),
    calmLookMs: 60_000 * stretch,
  };
}
