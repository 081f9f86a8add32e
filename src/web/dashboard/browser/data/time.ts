import { useEffect, useState } from "preact/hooks";
import { formatAge } from "../../../../core/duration.ts";
import { daemonNowMs } from "./daemon-clock.ts";

const tickMs = 5_000;

/** The daemon's time, updated a few times a minute: keeps "3m ago" correct. */
export function useNow(everyMs = tickMs): number {
  const [now, setNow] = useState(daemonNowMs);
  useEffect(() => {
    const timer = setInterval(() => setNow(daemonNowMs()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** `3m ago`, `in 8d`. */
export function formatWhen(time: string, nowMs: number): string {
  const differenceMs = nowMs - Date.parse(time);
  if (Number.isNaN(differenceMs)) return time;
  if (differenceMs < -1000) return `in ${formatAge(-differenceMs)}`;
  return differenceMs < 5000 ? "just now" : `${formatAge(differenceMs)} ago`;
}

/** `2 Nov 2026, 14:03:11 UTC`, for titles. */
export function formatExactly(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime())
    ? time
    : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" }) + " UTC";
}

/** `4.2 s`, `3m`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 120 ? `${Math.round(seconds)} s` : formatAge(seconds * 1000);
}

/** A time on an axis, in UTC: `14:05`, at midnight `3 Nov`. */
export function formatTick(seconds: number): string {
  const date = new Date(seconds * 1000);
  const isMidnight = date.getUTCHours() === 0 && date.getUTCMinutes() === 0;
  return isMidnight
    ? date.toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" })
    : date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
}
