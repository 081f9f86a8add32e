import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";

const dayMs = 86_400_000;

/** Calls `renew` once a day; a failure is logged, and the next day tries again. Returns what ends it. */
export function renewDaily(clock: Clock, log: Log, renew: () => Promise<void>): () => Promise<void> {
  const end = new AbortController();
  const run = async (): Promise<void> => {
    while (!end.signal.aborted) {
      try {
        await clock.sleep(dayMs, end.signal);
        await renew();
      } catch (error) {
        if (!end.signal.aborted) log.error("the hub's certificates were not renewed", { error });
      }
    }
  };
  const running = run();
  return () => {
    end.abort();
    return running;
  };
}
