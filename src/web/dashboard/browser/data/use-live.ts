import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { ClusterList, ClusterRow, PartsChanged } from "../../../../model/generated/page-api.ts";
import { AskError, ask } from "./ask.ts";
import { FleetStore, keyOf } from "./fleet-store.ts";
import type { Live, LiveEvent, LiveStatus } from "./live.ts";
import { isPassing, refusedBy } from "./refusal.ts";

/** The stream for all views; made once, after sign-in. */
export const LiveContext = createContext<Live | undefined>(undefined);

/** Calls `listener` with what comes by the stream, as long as the component is shown. */
function useLiveEvents(listener: (event: LiveEvent) => void): void {
  const live = useContext(LiveContext);
  const newest = useRef(listener);
  newest.current = listener;
  useEffect(() => live?.subscribe((event) => newest.current(event)), [live]);
}

export function useLiveStatus(): LiveStatus {
  const live = useContext(LiveContext);
  const [status, setStatus] = useState<LiveStatus>(live?.status ?? "connecting");
  // It may have opened between the first drawing and this.
  useEffect(() => setStatus(live?.status ?? "connecting"), [live]);
  useLiveEvents((event) => {
    if (event.kind === "status") setStatus(event.status);
  });
  return status;
}

/** An answer as far as it is known: the newest that came, and why there is no newer one. */
export interface Known<T> {
  readonly value: T | undefined;
  readonly error: AskError | undefined;
}

/** An answer that can be asked for again at once. */
export interface Asked<T> extends Known<T> {
  readonly askAgain: () => void;
}

interface AnswerOptions {
  /** Parts whose change makes it worth asking again. */
  readonly parts?: readonly PartsChanged["parts"][number][];
  /** Ask again when a cluster changed: any, or (`workspace/name`) this one. */
  readonly cluster?: string;
  /** With the part `fleet`: ask again when a row of any cluster changed. Default true. */
  readonly hasRows?: boolean;
  /** Ask again after so long anyway. */
  readonly everyMs?: number;
}

/** The stream that is already open continues although its cookie is deleted. */
function endSession(live: Live | undefined, failure: AskError): void {
  const refused = refusedBy(failure);
  if (refused?.code === "SignIn") live?.refuse(refused);
}

/** The least time between two questions for the same answer. */
const pauseMs = 1_000;
/** After a failure that may pass, since there may be no event when it has. */
const retryMs = 15_000;

/** An answer of the server that is asked for again when something in it changed. */
export function useAnswer<T>(path: string, options: AnswerOptions = {}): Asked<T> {
  const { everyMs } = options;
  const live = useContext(LiveContext);
  const [known, setKnown] = useState<Known<T> & { readonly path: string }>({
    path,
    value: undefined,
    error: undefined,
  });
  const again = useRef<() => void>(() => undefined);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isAsking = false;
    let isDue = false;
    const run = async (): Promise<void> => {
      isAsking = true;
      isDue = false;
      let waitMs = everyMs;
      try {
        setKnown({ path, value: await ask<T>(path, { signal: stop.signal }), error: undefined });
      } catch (error) {
        if (stop.signal.aborted) return;
        const failure = error instanceof AskError ? error : new AskError("Failed", String(error));
        endSession(live, failure);
        if (isPassing(failure.code)) waitMs = Math.min(retryMs, everyMs ?? retryMs);
        setKnown((before) => ({ ...(before.path === path ? before : { path, value: undefined }), error: failure }));
      }
      clearTimeout(timer);
      timer = setTimeout(() => {
        isAsking = false;
        if (isDue) void run();
        else if (waitMs !== undefined) timer = setTimeout(() => again.current(), waitMs);
      }, pauseMs);
    };
    again.current = () => {
      isDue = true;
      if (!isAsking && !stop.signal.aborted) void run();
    };
    void run();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [path, everyMs]);
  useLiveEvents((event) => {
    if (concerns(event, options)) again.current();
  });
  const askAgain = (): void => again.current();
  return known.path === path
    ? { value: known.value, error: known.error, askAgain }
    : { value: undefined, error: undefined, askAgain };
}

function concerns(event: LiveEvent, { parts = [], cluster, hasRows = true }: AnswerOptions): boolean {
  switch (event.kind) {
    case "reset":
      return true;
    case "status":
      return event.status === "live";
    case "out":
      return false;
    case "changed":
      return event.parts.some((part) => parts.includes(part));
    case "clusters": {
      const { items, gone } = event.changes;
      if (cluster === undefined) return hasRows && parts.includes("fleet") && items.length + gone.length > 0;
      return items.some((row) => keyOf(row) === cluster) || gone.includes(cluster);
    }
  }
}

/** Every cluster, kept current by the stream; a gap in it makes the list be read again. */
export function useClusters(): Known<readonly ClusterRow[]> {
  const live = useContext(LiveContext);
  const store = useRef(new FleetStore());
  const [known, setKnown] = useState<Known<readonly ClusterRow[]>>({ value: undefined, error: undefined });
  const reading = useRef<Promise<void> | undefined>(undefined);
  const isShown = useRef(true);
  /** Rights have changed since the list was asked for. */
  const isStale = useRef(false);
  const read = (): void => {
    if (!isShown.current) return;
    reading.current ??= ask<ClusterList>("clusters")
      .then((list) => {
        const isCurrent = store.current.replace(list);
        setKnown({ value: store.current.all(), error: undefined });
        if (!isCurrent) setTimeout(read, pauseMs);
      })
      .catch((error: unknown) => {
        const failure = error instanceof AskError ? error : new AskError("Failed", String(error));
        setKnown(({ value }) => ({ value, error: failure }));
        endSession(live, failure);
        if (isPassing(failure.code)) setTimeout(read, retryMs);
      })
      .finally(() => {
        reading.current = undefined;
        if (isStale.current) read();
        isStale.current = false;
      });
  };
  useEffect(() => {
    isShown.current = true;
    read();
    return () => {
      isShown.current = false;
    };
  }, []);
  useLiveEvents((event) => {
    isStale.current ||= event.kind === "reset" && reading.current !== undefined;
    if (event.kind === "reset" || (event.kind === "status" && event.status === "live")) read();
    if (event.kind !== "clusters") return;
    if (!store.current.apply(event.changes)) read();
    else
      setKnown(({ value, error }) => (value === undefined ? { value, error } : { value: store.current.all(), error }));
  });
  return known;
}
