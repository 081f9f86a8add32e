import type { JSX } from "preact";
import type { BeatView } from "../../../../model/generated/page-api.ts";
import { useNow } from "../data/time.ts";
import { When } from "./when.tsx";

interface BeatStripProps {
  readonly beats: BeatView;
  readonly periodSeconds: number;
  readonly threshold: number;
}

const slots = 60;

/** The last heartbeats: one slot a period, filled when it had a heartbeat, newest at the right. */
export function HeartbeatStrip({ beats, periodSeconds, threshold }: BeatStripProps): JSX.Element {
  const now = useNow();
  const periodMs = periodSeconds * 1000;
  const sinceMs = Date.parse(beats.watchedSince ?? "");
  const times = beats.seen.map((time) => Date.parse(time));
  const strip = Array.from({ length: slots }, (_, index) => {
    const endMs = now - (slots - 1 - index) * periodMs;
    if (endMs < sinceMs) return "unwatched";
    // An agent sends a heartbeat about once a period: half a period early or late is no miss.
    const hasHeartbeat = times.some((time) => time > endMs - 1.5 * periodMs && time <= endMs);
    if (hasHeartbeat) return "beat";
    return endMs - periodMs < sinceMs ? "unwatched" : "missed";
  });
  const missed = strip.filter((slot) => slot === "missed").length;
  return (
    <div class="beats">
      <div
        class="strip"
        role="img"
        aria-label={`Heartbeats of the last ${slots} periods: ${missed === 0 ? "none missed" : `${missed} missed`}`}
      >
        {strip.map((slot, index) => (
          <i key={index} class={slot} />
        ))}
      </div>
      <p class="soft">
        Every {periodSeconds} s; unresponsive after {threshold} missed. Last heartbeat{" "}
        <When time={beats.last ?? beats.seen.at(-1)} />.
      </p>
    </div>
  );
}
