import type { ClusterChanges, PartsChanged } from "../../../../model/generated/page-api.ts";
import type { Refused } from "./refusal.ts";
import { findRefusal } from "./refusal.ts";

export type LiveStatus = "connecting" | "live" | "lost";

/** What comes by the stream. */
export type LiveEvent =
  | { readonly kind: "clusters"; readonly changes: ClusterChanges }
  | { readonly kind: "changed"; readonly parts: PartsChanged["parts"] }
  | { readonly kind: "reset" }
  | { readonly kind: "status"; readonly status: LiveStatus }
  /** The viewer may read no more. Nothing comes behind it. */
  | ({ readonly kind: "out" } & Refused);

/** Messages between tabs: a new one asks for the current state; the one with the stream reports that it is alive. */
type Message = LiveEvent | { readonly kind: "hello" } | { readonly kind: "alive" };

const reopenAfterMs = 2_000;
/** The server sends an event every 15 s. */
const unresponsiveMs = 40_000;

/**
 * The stream of changes, one for all tabs of a viewer in this browser: the tab that holds a lock has the stream and forwards
 * it to the others, since a browser opens only six connections to a server. When that tab is closed or becomes unresponsive,
 * another one takes over from its cursor. Tabs of another viewer may see other clusters, and have a stream of their own.
 */
export class Live {
  readonly #listeners = new Set<(event: LiveEvent) => void>();
  /** Of the lock and the channel. */
  readonly #name: string;
  readonly #channel: BroadcastChannel;
  #source: EventSource | undefined;
  #cursor: string | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  /** Ends when the tab is left. */
  #stay = new AbortController();
  readonly #closed = new AbortController();
  readonly #readSession: () => Promise<unknown>;
  status: LiveStatus = "connecting";

  /** `readSession` asks who the viewer is, when the server refuses the stream. `user`: who it was when this began. */
  constructor(readSession: () => Promise<unknown>, user: string | undefined) {
    this.#readSession = readSession;
    this.#name = `rollcall-live ${user ?? ""}`;
    this.#channel = new BroadcastChannel(this.#name);
    const { signal } = this.#closed;
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data);
    // A page that is kept for the way back must not hold what others wait for.
    addEventListener("pagehide", () => this.#leave(), { signal });
    addEventListener("pageshow", ({ persisted }) => persisted && this.#join(), { signal });
    this.#join();
  }

  /** Ends it for good. */
  close(): void {
    this.#closed.abort();
    this.#leave();
    this.#channel.close();
  }

  /** Notifies this tab that an answer has refused its viewer. */
  refuse(refused: Refused): void {
    if (!this.#closed.signal.aborted) this.#deliver({ kind: "out", ...refused });
  }

  /** Returns what ends it. */
  subscribe(listener: (event: LiveEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #join(): void {
    this.#stay = new AbortController();
    this.#channel.postMessage({ kind: "hello" } satisfies Message);
    this.#recordMessage();
    // Without a lock (a page that came by plain http) each tab has a stream of its own.
    if (!("locks" in navigator)) this.#open();
    else this.#request({ signal: this.#stay.signal });
  }

  #leave(): void {
    this.#stay.abort();
    clearTimeout(this.#silence);
    this.#closeSource();
  }

  #closeSource(): void {
    this.#source?.close();
    this.#source = undefined;
  }

  /** Has the stream as long as it has the lock: after the tabs that asked before, or at once by `steal`. */
  #request(options: LockOptions): void {
    const { signal } = this.#stay;
    navigator.locks
      .request(this.#name, options, () => this.#hold(signal))
      .catch(() => {
        // The tab was left while it waited. Else another tab has stolen the lock, and has the stream now.
        if (signal.aborted) return;
        this.#closeSource();
        // The first request of a tab that stole waits still.
        if (options.steal !== true) this.#request(options);
      });
  }

  /** Holds the lock until the tab is left. */
  async #hold(stay: AbortSignal): Promise<void> {
    if (stay.aborted) return;
    this.#open();
    await new Promise<void>((resolve) => stay.addEventListener("abort", () => resolve()));
  }

  #open(): void {
    this.#source?.close();
    const from = this.#cursor === undefined ? "" : `?from=${encodeURIComponent(this.#cursor)}`;
    const source = new EventSource(`/api/v1/events${from}`);
    this.#source = source;
    source.onopen = () => this.#publish({ kind: "status", status: "live" });
    source.onerror = () => {
      this.#publish({ kind: "status", status: "lost" });
      // The browser tries again by itself, unless the server refused.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => void this.#reopen(source), reopenAfterMs);
    };
    source.addEventListener("clusters", (event: MessageEvent<string>) =>
      this.#publish({ kind: "clusters", changes: JSON.parse(event.data) as ClusterChanges }, event.lastEventId),
    );
    source.addEventListener("changed", (event: MessageEvent<string>) =>
      this.#publish({ kind: "changed", parts: (JSON.parse(event.data) as PartsChanged).parts }, event.lastEventId),
    );
    source.addEventListener("reset", (event: MessageEvent<string>) =>
      this.#publish({ kind: "reset" }, event.lastEventId),
    );
    source.addEventListener("alive", () => this.#publish({ kind: "alive" }));
  }

  /** Opens the stream again, unless the server refuses this viewer: a stream does not report why it was refused. */
  async #reopen(refused: EventSource): Promise<void> {
    if (this.#source !== refused) return;
    const refusal = await findRefusal(this.#readSession);
    if (this.#source !== refused) return;
    if (refusal) this.#publish({ kind: "out", ...refusal });
    else this.#open();
  }

  /**
   * A tab that receives nothing for too long opens the stream, and takes it from the tab that has it: all tabs find at the same
   * time that a server does not answer, and with a stream each they would use up the connections to it.
   */
  #recordMessage(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#deliver({ kind: "status", status: "lost" });
      if (this.#source) this.#open();
      else this.#request({ steal: true });
      this.#recordMessage();
    }, unresponsiveMs);
  }

  /** Sends it to this tab and the others. */
  #publish(message: Exclude<Message, { kind: "hello" }>, cursor?: string): void {
    if (cursor !== undefined) this.#cursor = cursor;
    this.#channel.postMessage(message);
    this.#take(message);
  }

  #receive(message: Message): void {
    if (message.kind !== "hello") this.#take(message);
    else if (this.#source) this.#channel.postMessage({ kind: "status", status: this.status } satisfies Message);
  }

  #take(message: Exclude<Message, { kind: "hello" }>): void {
    if (message.kind !== "status" || message.status === "live") this.#recordMessage();
    if (message.kind !== "alive") this.#deliver(message);
    else if (this.status !== "live") this.#deliver({ kind: "status", status: "live" });
  }

  #deliver(event: LiveEvent): void {
    if (event.kind === "status") this.status = event.status;
    if (event.kind === "clusters") this.#cursor = event.changes.to;
    for (const listener of this.#listeners) listener(event);
  }
}
