import { useEffect, useState } from "preact/hooks";
import type { HeartbeatAges } from "../../../../model/generated/page-api.ts";
import { ask } from "./ask.ts";

/** Heartbeats do not come by the stream. */
const everyMs = 15_000;
const none: ReadonlyMap<string, number> = new Map();

/** Milliseconds since the last heartbeat of each cluster `workspace/name`; empty while it is not wanted or not known. */
export function useHeartbeatAges(isWanted: boolean): ReadonlyMap<string, number> {
  const [ages, setAges] = useState(none);
  useEffect(() => {
    if (!isWanted) return undefined;
    const stop = new AbortController();
    const read = (): void => {
      ask<HeartbeatAges>("heartbeats", { signal: stop.signal })
        .then(({ seconds }) => setAges(new Map(Object.entries(seconds).map(([key, age]) => [key, age * 1000]))))
        .catch(() => undefined); // the page reports elsewhere that the daemon does not answer; the last ages stay
    };
    read();
    const timer = setInterval(read, everyMs);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [isWanted]);
  return isWanted ? ages : none;
}
