import { BoundedCache } from "../core/bounded-cache.ts";
import type { Clock } from "../core/clock.ts";
import { eventNamePart } from "../core/event-name.ts";
import type { Log } from "../core/log.ts";
import type { RateBudget } from "../core/rate-budget.ts";
import { fullBudget, spendOne } from "../core/rate-budget.ts";
import { cleanRemoteText } from "../core/remote-text.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { Condition, KubeObject } from "../model/kubernetes.ts";
import { toTime } from "../planning/conditions.ts";

/** An occurrence to record on an object, for its readers. */
export interface HubEvent {
  readonly regarding: KubeObject;
  readonly type: "Normal" | "Warning";
  /** A CamelCase identifier for programs. */
  readonly reason: string;
  /** A sentence without secrets. Longest: 1024 characters. */
  readonly message: string;
}

export interface EventRecorder {
  /** Takes an event and returns at once. No caller waits for events, and a lost event is no failure. */
  record(event: HubEvent): void;
  /** Resolves when what was taken is written. */
  stop(): Promise<void>;
}

export interface EventRecorderOptions {
  readonly hubApi: Pick<KubeApi, "create">;
  readonly clock: Clock;
  readonly log: Log;
  /** An equal event of the same object within this time is recorded once. Default 10 minutes. */
  readonly repeatMs?: number;
  /** Events a second of each kind of object, in the long run. Default 5. */
  readonly ratePerSecond?: number;
  /** Events of each kind of object at once. More are dropped. Default 50. */
  readonly burst?: number;
}

const component = "rollcall";

/** Events of one object a minute, and at once: its agent can have a condition change without an end. */
const mostAMinute = 2;
const mostAtOnce = 20;
/** Objects of a kind whose Events are counted; one that had none for longest is counted anew. */
const mostObjects = 4096;

interface KindBudget {
  readonly ofAll: RateBudget;
  readonly ofEach: BoundedCache<string, RateBudget>;
}

/**
 * Writes Events. Equal events are recorded once in a while, and all events at a bounded rate: when thousands of
 * clusters become unresponsive together, each has its condition, and the first ones have Events. Each kind of object has
 * its own rate, and of that one object gets a small share: no agent, and no flood of requests, takes the Events of others.
 */
export function startEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { hubApi, clock, log, repeatMs = 600_000, ratePerSecond = 5, burst = 50 } = options;
  // Only of Events that were written, so their rate bounds it.
  const reportedAtMs = new Map<string, number>();
  const kinds = new Map<string, KindBudget>();
  const writing = new Set<Promise<void>>();

  const isReported = (key: string, nowMs: number): boolean => {
    // In the order of their recording: the first recent one ends the search.
    for (const [old, atMs] of reportedAtMs) {
      if (nowMs - atMs < repeatMs) break;
      reportedAtMs.delete(old);
    }
    return reportedAtMs.has(key);
  };
  const isWithinRate = ({ apiVersion, kind, metadata }: KubeObject, nowMs: number): boolean => {
    const kindKey = `${apiVersion} ${kind}`;
    const budget = kinds.get(kindKey) ?? {
      ofAll: fullBudget({ ratePerSecond, burst }, nowMs),
      ofEach: new BoundedCache<string, RateBudget>({ limit: mostObjects }),
    };
    kinds.set(kindKey, budget);
    const object = `${metadata.namespace}/${metadata.name} ${metadata.uid}`;
    const ofObject =
      budget.ofEach.get(object) ?? fullBudget({ ratePerSecond: mostAMinute / 60, burst: mostAtOnce }, nowMs);
    budget.ofEach.set(object, ofObject);
    return spendOne(ofObject, nowMs) === 0 && spendOne(budget.ofAll, nowMs) === 0;
  };
  return {
    record: (event) => {
      const nowMs = clock.monotonicMs();
      const { kind, metadata } = event.regarding;
      const key = [kind, metadata.namespace, metadata.name, metadata.uid, event.reason, event.message].join("\n");
      if (isReported(key, nowMs)) return;
      if (!isWithinRate(event.regarding, nowMs)) {
        log.debug("an event was dropped: too many at once", { kind, name: metadata.name, reason: event.reason });
        return;
      }
      reportedAtMs.set(key, nowMs);
      const written = hubApi.create(renderEvent(event, clock.nowMs()), { fieldManager: component }).then(
        () => undefined,
        (error: unknown) => log.warn("writing an event failed", { kind, name: metadata.name, error }),
      );
      writing.add(written);
      void written.finally(() => writing.delete(written));
    },
    stop: async () => {
      await Promise.all(writing);
    },
  };
}

/**
 * The core kind, which every version of kubectl shows with the object. For an object without a namespace, the Event is in
 * `default`, where kubectl reads it. Source: Kubernetes API, core/v1 Event; client-go, tools/record.
 */
function renderEvent({ regarding, type, reason, message }: HubEvent, nowMs: number): KubeObject {
  const { apiVersion, kind, metadata } = regarding;
  const { name, namespace, uid } = metadata;
  const time = toTime(nowMs);
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "", generateName: `${eventNamePart(name)}-`, namespace: namespace ?? "default" },
    involvedObject: {
      apiVersion,
      kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid ? { uid } : {}),
    },
    type,
    reason,
    // Some of these messages contain names and texts of others.
    message: cleanRemoteText(message, { secrets: [], maximumLength: 1021 }),
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component },
    reportingComponent: component,
    reportingInstance: component,
  };
}

/** The Events of a change of a token's Ready condition: its end is near or reached, or all of its uses are taken. */
export function tokenTransitions(
  regarding: KubeObject,
  before: readonly Condition[] | undefined,
  after: readonly Condition[],
): HubEvent[] {
  const [was, now] = [before, after].map((conditions) => conditions?.find(({ type }) => type === "Ready"));
  if (now === undefined || now.reason === was?.reason) return [];
  const isReported = ["ExpiresSoon", "Expired", "UsedUp", "Revoked", "NotInGit", "NameExists"].includes(now.reason);
  return isReported ? [{ regarding, type: "Warning", reason: now.reason, message: now.message }] : [];
}

/**
 * The Events of a change of a Cluster's conditions: it joined, its agent became unresponsive or came back, its
 * credentials end.
 */
export function reportTransitions(
  regarding: KubeObject,
  before: readonly Condition[] | undefined,
  after: readonly Condition[],
): HubEvent[] {
  return after.flatMap((now) => {
    const was = before?.find(({ type }) => type === now.type);
    if (was?.status === now.status && was.reason === now.reason) return [];
    const transition = kindOfTransition(was, now);
    return transition === undefined ? [] : [{ regarding, type: transition, reason: now.reason, message: now.message }];
  });
}

function kindOfTransition(was: Condition | undefined, now: Condition): HubEvent["type"] | undefined {
  switch (now.type) {
    case "Joined":
      return now.status === "True" && was?.status !== "True" ? "Normal" : undefined;
    case "Healthy":
      // The first report comes with the join, which has its own Event.
      if (now.status === "True")
        return was?.status === "False" || was?.reason === "HeartbeatMissed" ? "Normal" : undefined;
      return was?.status === "True" ? "Warning" : undefined;
    case "Accepted":
      return now.status === "False" ? "Warning" : undefined;
    case "CredentialsValid":
    case "AgentUpToDate":
      return now.status === "False" && was?.status === "True" ? "Warning" : undefined;
    case "ClockSynced":
    case "Declared":
      return was === undefined ? "Warning" : undefined;
    case "Stalled":
      return now.status === "True" ? "Warning" : undefined;
    default:
      return undefined;
  }
}
