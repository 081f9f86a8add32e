import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { ContainerLog } from "./container-log.ts";

/** The logs of a Pod's containers: of each the present run and the one before. */
export interface PodLogs {
  open(container: string, restartCount: number): ContainerLog;
  /** Oldest first. */
  of(container: string): readonly ContainerLog[];
}

/** `maxBytes` bounds one file; a run has at most two. */
export function createPodLogs(folder: string, clock: Clock, maxBytes: number): PodLogs {
  const logs = new Map<string, readonly ContainerLog[]>();
  return {
    open: (container, restartCount) => {
      const log = new ContainerLog(join(folder, container, `${restartCount}.log`), clock, maxBytes);
      const all = [...(logs.get(container) ?? []), log];
      for (const { path } of all.slice(0, -2))
        void Promise.all([path, `${path}.1`].map((file) => rm(file, { force: true })));
      logs.set(container, all.slice(-2));
      return log;
    },
    of: (container) => logs.get(container) ?? [],
  };
}
