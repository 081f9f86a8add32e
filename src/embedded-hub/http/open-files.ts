import { readFileSync } from "node:fs";
import type { ConnectionLimits } from "./stranger-bound.ts";
import { connectionLimits } from "./stranger-bound.ts";

/** What the store, the log and the requests of controllers open, where the system allows enough. */
const reservedFiles = 2_000;

/** How many files this process may have open; undefined without a limit, and where it is not known. Source: Linux, proc(5). */
export function mostOpenFiles(path = "/proc/self/limits"): number | undefined {
  try {
    const limit = Number(/^Max open files +(\d+)/mu.exec(readFileSync(path, "utf8"))?.[1]);
    return Number.isNaN(limit) ? undefined : limit;
  } catch {
    return undefined; // not Linux
  }
}

/** The default limits, lowered in proportion where the system allows fewer open files: each connection is one. */
export function limitsWithin(openFiles: number | undefined): ConnectionLimits {
  const free = openFiles === undefined ? Infinity : Math.max(openFiles - reservedFiles, Math.floor(openFiles / 2));
  const share = Math.min(1, free / connectionLimits.inAll);
  const part = (limit: number): number => Math.max(1, Math.floor(limit * share));
  const { inAll, strangers, strangersOfAddress, crowd } = connectionLimits;
  return {
    ...connectionLimits,
    inAll: part(inAll),
    strangers: part(strangers),
    strangersOfAddress: part(strangersOfAddress),
    crowd: part(crowd),
  };
}
