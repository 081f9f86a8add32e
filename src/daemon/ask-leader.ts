import type { Clock, Random } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { WorkQueue } from "../core/work-queue.ts";
import type { KubeApi } from "../kube/kube.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { requestRun } from "../operations/operations.ts";
import type { RepositorySource } from "./known-repository.ts";

export interface LeaderRequests {
  /** Asks the process that leads the Repository for a run: at once, and then once a second at most. */
  add(): void;
  stop(): Promise<void>;
}

/** Who may send webhooks may send them without a pause. */
const pauseMs = 1000;

/** Requests for runs by the Repository object, as a person makes them: other processes can be reached by the hub alone. */
export function askLeader(options: {
  readonly hubApi: KubeApi;
  readonly source: Pick<RepositorySource, "read">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}): LeaderRequests {
  const { hubApi, source, clock, random, log } = options;
  const queue = new WorkQueue({
    clock,
    random,
    work: async (_key, signal) => {
      const { namespace = "", name } = source.read()?.metadata ?? {};
      if (name === undefined) return;
      const operator = { hubApi, user: "", nowMs: clock.nowMs(), signal };
      await requestRun(operator, { type: resourceTypes.repository, namespace, name });
      await clock.sleep(pauseMs, signal);
    },
    onError: (_key, error, retryInMs) =>
      log.warn("the process that leads a repository was not asked for a run", { error, retryInMs }),
  });
  return { add: () => queue.add("run"), stop: () => queue.stop() };
}
