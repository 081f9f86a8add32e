import type { Clock } from "../../core/clock.ts";
import type { KubeStatus } from "../../model/kubernetes.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import type { Selection, ServedEvent } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { Exchange, HttpScope } from "./exchange.ts";
import { whileAllowed } from "./still-allowed.ts";
import type { WatchFrames } from "./watch-frames.ts";
import type { HubRequest } from "./http-server.ts";
import type { WatchBacklog } from "./watch-backlogs.ts";
import type { WatchSink } from "./watch-sink.ts";
import { openWatchSink } from "./watch-sink.ts";

export interface WatchRequest extends Selection {
  readonly definition: ResourceDefinition;
  /** Undefined or 0: what is there now comes first. */
  readonly afterRevision: number | undefined;
  /** Undefined: not asked; then it follows from `afterRevision`. */
  readonly sendsInitialEvents: boolean | undefined;
  readonly wantsBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly frames: WatchFrames;
  /** How long its selectors are. */
  readonly selectorCharacters: number;
}

/** The last bookmark comes this long before the end. */
const lastBookmarkMs = 2_000;
const shortestDefaultMs = 1_800_000;
/** Events of the past that a watch reads before others have their turn. */
const replayedAtOnce = 20;
/** While its client leaves too much unread, the state that a watch begins with waits so long, and asks so often. */
const roomPatienceMs = 60_000;
const roomPollMs = 50;

/**
 * A watch until its time is over, the client disconnects or falls behind: it is then cut off and resumes where it was. It ends
 * before it sends anything to a client that would not be admitted any more.
 */
export async function serveWatch(scope: HttpScope, exchange: Exchange, watch: WatchRequest): Promise<void> {
  const { request, user } = exchange;
  const end = new AbortController();
  const backlog = scope.watchBacklogs.open(user, connectionOf(request), watch.selectorCharacters);
  let stop: (() => void) | undefined;
  let stopWaiting: (() => void) | undefined;
  let sink: WatchSink | undefined;
  try {
    const open = openWatchSink(exchange, watch.frames.contentType, () => end.abort());
    sink = open;
    stopWaiting = scope.operations.whenReplaced(watch.definition, () => end.abort());
    const isAllowed = whileAllowed(exchange.confirmAdmission, () => scope.clock.monotonicMs());
    const write = (frame: Uint8Array): void => {
      if (!isAllowed()) end.abort();
      if (end.signal.aborted) return;
      const isKept = backlog.add(frame.length);
      open.write(frame, () => backlog.take(frame.length));
      if (isKept) return;
      end.abort();
      open.destroy();
    };
    const whenRoomy = async (): Promise<void> => {
      if (await waitForRoom(scope.clock, backlog, end.signal)) return;
      end.abort();
      open.destroy();
    };
    const output: WatchOutput = {
      write,
      signal: end.signal,
      whenRoomy: () => (backlog.hasRoom() ? undefined : whenRoomy()),
    };
    stop = await startEvents(scope, watch, output);
    backlog.begin();
    if (stop !== undefined) await keepUp(scope, watch, output);
  } finally {
    stop?.();
    stopWaiting?.();
    sink?.end();
    backlog.end();
  }
}

/** What the streams of one client share. */
function connectionOf(request: HubRequest): object {
  return ("stream" in request ? request.stream.session : undefined) ?? request.socket;
}

interface WatchOutput {
  readonly write: (frame: Uint8Array) => void;
  readonly signal: AbortSignal;
  /** Undefined when more may be written at once. Resolves when it may be, or the watch was cut off. */
  readonly whenRoomy: () => Promise<void> | undefined;
}

/** False when the client took nothing for too long, and when it disconnected. */
async function waitForRoom(clock: Clock, backlog: WatchBacklog, signal: AbortSignal): Promise<boolean> {
  const untilMs = clock.monotonicMs() + roomPatienceMs;
  try {
    while (!backlog.hasRoom()) {
      if (clock.monotonicMs() >= untilMs) return false;
      await clock.sleep(roomPollMs, signal);
    }
    return true;
  } catch (error) {
    if (!signal.aborted) throw error;
    return false;
  }
}

/** Sends what exists and begins with what comes; undefined when the watch cannot begin: the client receives the failure. */
async function startEvents(
  scope: HttpScope,
  watch: WatchRequest,
  output: WatchOutput,
): Promise<(() => void) | undefined> {
  try {
    return await beginEvents(scope, watch, output);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    output.write(watch.frames.failure(error.status satisfies KubeStatus));
    return undefined;
  }
}

async function beginEvents(
  { operations, turns }: HttpScope,
  watch: WatchRequest,
  { write, signal, whenRoomy }: WatchOutput,
): Promise<(() => void) | undefined> {
  const { definition, frames, matches, namespace, name, afterRevision = 0, sendsInitialEvents } = watch;
  const takeTurn = turns.begin();
  const startsWithState = sendsInitialEvents ?? afterRevision === 0;
  let sent = startsWithState || afterRevision === 0 ? operations.revision() : afterRevision;
  if (startsWithState) {
    // What was asked for is a state that is not older.
    await operations.whenReached(afterRevision);
    const { items, revision } = await operations.currentState(definition, watch);
    for (const served of items) {
      await takeTurn();
      await whenRoomy();
      if (signal.aborted) return undefined;
      write(frames.event("ADDED", served));
    }
    if (sendsInitialEvents === true && watch.wantsBookmarks) write(frames.bookmark(revision, true));
    sent = revision;
  }
  const selection = {
    ...(matches === undefined ? {} : { matches }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
  const send = ({ type, served, revision }: ServedEvent): void => {
    // A revision of the future: what comes before it was not asked for.
    if (revision > sent) write(frames.event(type, served));
  };
  let replayed = Math.min(sent, operations.revision());
  while (operations.revision() - replayed > replayedAtOnce) {
    await takeTurn();
    await whenRoomy();
    if (signal.aborted) return undefined;
    const range = { afterRevision: replayed, limit: replayedAtOnce };
    replayed = operations.replay(definition, { ...selection, ...range }, send);
  }
  return operations.watch(definition, { ...selection, afterRevision: replayed }, send);
}

/**
 * Bookmarks each period and shortly before the end, none before the revision that the watch is after. Resolves at the end,
 * whatever brings it.
 */
async function keepUp(
  { clock, operations, randomPart, bookmarkPeriodMs }: HttpScope,
  watch: WatchRequest,
  { write, signal }: WatchOutput,
): Promise<void> {
  const { timeoutSeconds = 0, wantsBookmarks, frames, afterRevision = 0 } = watch;
  const lifeMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 : shortestDefaultMs * (1 + randomPart());
  const endMs = clock.monotonicMs() + lifeMs;
  try {
    for (let leftMs = lifeMs; leftMs > 0; leftMs = endMs - clock.monotonicMs()) {
      const untilLastMs = leftMs - lastBookmarkMs;
      const waitMs = wantsBookmarks && untilLastMs > 0 ? Math.min(bookmarkPeriodMs, untilLastMs) : leftMs;
      await clock.sleep(waitMs, signal);
      const revision = operations.revision();
      if (wantsBookmarks && waitMs < leftMs && revision >= afterRevision) write(frames.bookmark(revision, false));
    }
  } catch (error) {
    // The client disconnected: most watches end so.
    if (!signal.aborted) throw error;
  }
}
