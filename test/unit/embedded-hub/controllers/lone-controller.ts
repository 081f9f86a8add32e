import { silentLog } from "../../../../src/core/log.ts";
import type { WorkQueue } from "../../../../src/core/work-queue.ts";
import type { ControllerScope } from "../../../../src/embedded-hub/controllers/controller-scope.ts";
import type { FeedEvent, FeedListener } from "../../../../src/embedded-hub/controllers/object-feed.ts";
import { createOwnerIndex } from "../../../../src/embedded-hub/controllers/owner-index.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { realRandom } from "../../../support/real-time.ts";
import { countingTurns } from "../../../support/turns-during.ts";

/** What one controller works with beside those of a hub: it sees the events that the test reports. */
export function loneScope(of: Pick<ControllerScope, "operations" | "clock">) {
  const listeners: [string, FeedListener][] = [];
  const ofAny: FeedListener[] = [];
  const queues: WorkQueue[] = [];
  const scope: ControllerScope = {
    ...of,
    feed: {
      on: (_group, plural, listener) => listeners.push([plural, listener]),
      onAny: (listener) => ofAny.push(listener),
      start: () => () => undefined,
    },
    owners: createOwnerIndex(),
    random: realRandom,
    log: silentLog,
    turns: countingTurns(),
    queues,
  };
  return {
    scope,
    /** To the listeners of this kind; of a kind that has none, to those of all kinds. */
    report: (plural: string, kind: FeedEvent["kind"], object: KubeObject): void => {
      const own = listeners.flatMap(([name, listener]) => (name === plural ? [listener] : []));
      const event = { group: "", plural, kind, isFirst: false, object, previous: undefined, mentions: () => true };
      for (const listener of own.length > 0 ? own : ofAny) listener(event);
    },
    /** How much its queues have worked on, once they are empty. */
    doneCount: async (): Promise<number> => {
      await Promise.all(queues.map((queue) => queue.whenIdle()));
      return queues.reduce((sum, { counts }) => sum + counts.done, 0);
    },
  };
}
