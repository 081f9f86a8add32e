import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { ContainerLog } from "./container-log.ts";

/** The logs of a Pod's containers: of each the present run and the one before. */
export interface PodLogs {
  open(container: string, restartCount: number): ContainerLog;
  /** Takes up the files of the last run before this node started, and of the run before that. */
  resume(container: string, restartCount: number): void;
  /** Oldest first. */
  of(container: string): readonly ContainerLog[];
}

/** `maxBytes` bounds one file; a run has at most two. */
export function createPodLogs(folder: string, clock: Clock, maxBytes: number): PodLogs {
  const logs = new Map<string, readonly ContainerLog[]>();
  const open = (container: string, restartCount: number) => {
    const log = new ContainerLog(join(folder, container, `${restartCount}.log`), clock, maxBytes);
    const all = [...(logs.get(container) ?? []), log];
    for (const { path } of all.slice(0, -2))
      void Promise.all([path, `${path}.1`].map((file) => rm(file, { force: true })));
    logs.set(container, all.slice(-2));
    return log;
  };
  return {
    open,
    resume: (container, restartCount) => {
      if (restartCount > 0) void open(container, restartCount - 1).end();
      void open(container, restartCount).end();
    },
    of: (container) => logs.get(container) ?? [],
  };
}
