import type { Clock } from "../../core/clock.ts";
import { createGate, passThrough } from "../../core/gate.ts";
import { writePrintable } from "../../core/printable.ts";
import type { ClusterChanges, ClusterRow, PartsChanged } from "../../model/generated/page-api.ts";
import type { WebRequest, WebSink } from "../web.ts";
import type { Access, Viewer } from "./access.ts";
import type { FleetReader } from "./dashboard-options.ts";
import type { FleetFeed } from "./fleet-feed.ts";

/** Changes within this time are sent together. */
const gatherMs = 250;
const tickMs = 5_000;
/** A line now and then, so that both ends notice a dead connection. */
const keepAliveMs = 15_000;
/** A reader that takes nothing for so long is let go. */
const patienceMs = 60_000;
/** How often the access of a viewer is checked again. */
const readmitMs = 30_000;
/** Checks of access at the same time: the hub has other work. */
const readmitsAtOnce = 4;
const mostFollowers = 500;
/** Of one user: with all seats of the page taken, the pages of the others would not stay current. */
const mostOfUser = 50;

interface Follower {
  readonly sink: WebSink;
  readonly request: WebRequest;
  viewer: Viewer;
  cursor: string;
  /** Since when it takes no more; undefined while it does. */
  blockedSinceMs: number | undefined;
  writtenAtMs: number;
  admittedAtMs: number;
  /** While its access is checked again. */
  isAsked: boolean;
}

export interface EventHubOptions {
  readonly reader: FleetReader;
  readonly feed: FleetFeed;
  readonly access: Access;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Sends changes to every open page. A follower is a cursor into the feed and no queue: a slow one is skipped until it
 * drains, and then gets the newest state. The text for followers at the same cursor is made once.
 */
export class EventHub {
  readonly #options: EventHubOptions;
  readonly #followers = new Set<Follower>();
  readonly #asking = createGate(readmitsAtOnce);
  #isGathering = false;
  #isTicking = false;

  constructor(options: EventHubOptions) {
    this.#options = options;
    options.feed.subscribe(() => this.#gather());
  }

  /** Streams to one page, from the cursor that it sends. */
  follow(sink: WebSink, { viewer, request }: { readonly viewer: Viewer; readonly request: WebRequest }): void {
    const { feed, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const asked = request.headers["last-event-id"] ?? request.query.get("from") ?? feed.cursor();
    const follower: Follower = {
      sink,
      request,
      viewer,
      cursor: String(asked),
      blockedSinceMs: undefined,
      writtenAtMs: nowMs,
      admittedAtMs: nowMs,
      isAsked: false,
    };
    if (this.#followers.size >= mostFollowers || this.#countOf(viewer.user) >= mostOfUser) {
      sink.write("retry: 30000\n\n");
      sink.end();
      return;
    }
    this.#followers.add(follower);
    sink.onClose(() => this.#followers.delete(follower));
    sink.onDrain(() => {
      follower.blockedSinceMs = undefined;
      // What it was sent before its end may be taken after it.
      if (this.#followers.has(follower)) this.#send(follower, new Map());
    });
    this.#write(follower, "retry: 1000\n\n");
    this.#send(follower, new Map());
    void this.#tick();
  }

  /** Open pages of a user. 0 where the page has no users: it is for this machine alone then. */
  #countOf(user: string | undefined): number {
    return user === undefined ? 0 : [...this.#followers].filter(({ viewer }) => viewer.user === user).length;
  }

  #gather(): void {
    if (this.#isGathering || this.#followers.size === 0) return;
    this.#isGathering = true;
    const { clock, signal } = this.#options;
    clock.sleep(gatherMs, signal).then(
      () => {
        this.#isGathering = false;
        const texts = new Map<string, string>();
        for (const follower of this.#followers) this.#send(follower, texts);
      },
      () => undefined, // the page is being closed: the only reason for sleep to reject
    );
  }

  #send(follower: Follower, texts: Map<string, string>): void {
    const cursor = this.#options.feed.cursor();
    if (follower.blockedSinceMs !== undefined || follower.cursor === cursor) return;
    const key = `${follower.cursor} ${follower.viewer.sightKey}`;
    const text = texts.get(key) ?? this.#textSince(follower, cursor);
    texts.set(key, text);
    follower.cursor = cursor;
    if (text !== "") this.#write(follower, text);
  }

  #textSince({ cursor: from, viewer }: Follower, to: string): string {
    const { feed, reader } = this.#options;
    const changes = feed.since(from);
    if (!changes) return eventText("reset", to, {});
    const items: ClusterRow[] = [];
    const gone: string[] = [];
    for (const key of changes.clusters) {
      const [workspace = "", name = ""] = key.split("/");
      if (!viewer.canSee(workspace)) continue;
      const row = reader.cluster(workspace, name);
      if (row) items.push(row);
      else gone.push(key);
    }
    // Sent even if no visible cluster changed: the cursor moves, so that the next event is not taken for a gap.
    const clusters = eventText("clusters", to, { from, to, items, gone } satisfies ClusterChanges);
    const parts = [...changes.parts].filter((part) => part !== "repository" || viewer.canSeeRepository);
    return parts.length === 0 ? clusters : clusters + eventText("changed", to, { parts } satisfies PartsChanged);
  }

  #write(follower: Follower, text: string): void {
    const nowMs = this.#options.clock.monotonicMs();
    follower.writtenAtMs = nowMs;
    if (!follower.sink.write(text)) follower.blockedSinceMs ??= nowMs;
  }

  /** Its connection may be open for a while yet: what it was sent is on the way. */
  #letGo(follower: Follower): void {
    this.#followers.delete(follower);
    follower.sink.end();
  }

  async #tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    const { clock, signal } = this.#options;
    try {
      while (this.#followers.size > 0) {
        await clock.sleep(tickMs, signal);
        for (const follower of this.#followers) this.#checkFollower(follower);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#isTicking = false;
    }
  }

  #checkFollower(follower: Follower): void {
    const nowMs = this.#options.clock.monotonicMs();
    const { blockedSinceMs, writtenAtMs } = follower;
    if (blockedSinceMs !== undefined && nowMs - blockedSinceMs > patienceMs) return this.#letGo(follower);
    if (blockedSinceMs === undefined && nowMs - writtenAtMs >= keepAliveMs)
      this.#write(follower, "event: alive\ndata: {}\n\n");
    if (nowMs - follower.admittedAtMs <= readmitMs || follower.isAsked) return;
    follower.isAsked = true;
    passThrough(this.#asking, () => this.#readmit(follower))
      // Its page asks for the stream again, and that request fails with a line in the log.
      .catch(() => this.#letGo(follower))
      .finally(() => (follower.isAsked = false));
  }

  /** Ends the stream of a viewer without access; an unreachable hub ends none. */
  async #readmit(follower: Follower): Promise<void> {
    const isThere = (): boolean => this.#followers.has(follower);
    if (!isThere()) return;
    const admission = await this.#options.access.admit(follower.request);
    if (!isThere()) return;
    follower.admittedAtMs = this.#options.clock.monotonicMs();
    if (admission.kind === "refused") {
      if (admission.code !== "HubAway") this.#letGo(follower);
      return;
    }
    const isSame = admission.viewer.sightKey === follower.viewer.sightKey;
    follower.viewer = admission.viewer;
    if (!isSame) this.#write(follower, eventText("reset", follower.cursor, {}));
  }
}

function eventText(event: string, id: string, value: object): string {
  return `event: ${event}\nid: ${id}\ndata: ${writePrintable(value)}\n\n`;
}
