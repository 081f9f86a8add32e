import type { KubeObject } from "../../model/kubernetes.ts";

/** An address or a node port. */
export type Item = string | number;

/** Calls back with each object that is there, then with each that is written or deleted. */
export type Follow = (onChange: (object: KubeObject, isDeleted: boolean) => void) => void;

/** What all Services have. */
export interface TakenItems {
  isTakenByOther(uid: string | undefined, item: Item): boolean;
}

/** Follows the objects from the first question on: to read all of them for each write would take as long as they are. */
export function createTakenItems(follow: Follow, itemsOf: (object: KubeObject) => ReadonlySet<Item>): TakenItems {
  const items = new Map<string, ReadonlySet<Item>>();
  const holders = new Map<Item, Set<string>>();
  let isFollowing = false;

  const forget = (uid: string): void => {
    for (const item of items.get(uid) ?? []) {
      const uids = holders.get(item);
      uids?.delete(uid);
      if (uids?.size === 0) holders.delete(item);
    }
    items.delete(uid);
  };

  const start = (): void => {
    follow((object, isDeleted) => {
      const { uid = "" } = object.metadata;
      forget(uid);
      if (isDeleted) return;
      const own = itemsOf(object);
      items.set(uid, own);
      for (const item of own) holders.set(item, (holders.get(item) ?? new Set()).add(uid));
    });
    isFollowing = true;
  };

  return {
    isTakenByOther: (uid, item) => {
      if (!isFollowing) start();
      return [...(holders.get(item) ?? [])].some((holder) => holder !== uid);
    },
  };
}
