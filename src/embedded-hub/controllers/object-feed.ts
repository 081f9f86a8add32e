import type { KubeObject } from "../../model/kubernetes.ts";
import type { Store, StoredObject } from "../store/store.ts";

/** A change of any stored object. */
export interface FeedEvent {
  readonly group: string;
  readonly plural: string;
  readonly kind: "added" | "modified" | "deleted";
  /** True for an object that was there when the feed began. */
  readonly isFirst: boolean;
  /** As it is now, or as it was last. Parsed when it is first asked for: ask only when needed. */
  readonly object: KubeObject;
  /** What it was before, of a modified one. Parsed when it is first asked for. */
  readonly previous: KubeObject | undefined;
  /** True when the object's JSON text has `text`; cheaper than to read an object that may not be parsed. */
  mentions(text: string): boolean;
}

export type FeedListener = (event: FeedEvent) => void;

/** Every change of the store, once, for the listeners of its kind. One watch serves all controllers. */
export interface ObjectFeed {
  /** Events of one kind; ask before start. */
  on(group: string, plural: string, listener: FeedListener): void;
  onAny(listener: FeedListener): void;
  /** Reports every existing object as added, then every change. Returns the function that ends it. */
  start(): () => void;
}

export function createObjectFeed(store: Store): ObjectFeed {
  const byKind = new Map<string, FeedListener[]>();
  const listeners: FeedListener[] = [];

  const emit = (kind: FeedEvent["kind"], stored: StoredObject, more: Before) => {
    const event = feedEvent(kind, stored, more);
    for (const listener of listeners) listener(event);
    for (const listener of byKind.get(`${event.group}/${event.plural}`) ?? []) listener(event);
  };

  return {
    on: (group, plural, listener) => {
      const key = `${group}/${plural}`;
      byKind.set(key, [...(byKind.get(key) ?? []), listener]);
    },
    onAny: (listener) => {
      listeners.push(listener);
    },
    start: () => {
      const { items, revision } = store.list("/");
      for (const stored of items) emit("added", stored, { isFirst: true });
      return store.watch("/", revision, ({ kind, current, previous }) => {
        emit(kind === "delete" ? "deleted" : previous === undefined ? "added" : "modified", current, {
          previous,
          isFirst: false,
        });
      });
    },
  };
}

interface Before {
  readonly isFirst: boolean;
  readonly previous?: StoredObject | undefined;
}

function feedEvent(kind: FeedEvent["kind"], stored: StoredObject, { isFirst, previous }: Before): FeedEvent {
  const [, group = "", plural = ""] = stored.key.split("/");
  const { json } = stored;
  return {
    group,
    plural,
    kind,
    isFirst,
    get object() {
      return stored.object;
    },
    get previous() {
      return kind === "modified" ? previous?.object : undefined;
    },
    mentions: (text) => Buffer.from(json.buffer, json.byteOffset, json.byteLength).includes(text),
  };
}
