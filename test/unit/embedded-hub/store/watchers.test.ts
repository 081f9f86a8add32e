import { describe, expect, it } from "vitest";
import { Watchers } from "../../../../src/embedded-hub/store/watchers.ts";

const keyOf = (name: string, namespace = "fleet") => `//configmaps/${namespace}/${name}`;

describe("Watchers", () => {
  it("finds for a write those that follow its object, its namespace, its kind or everything", () => {
    const watchers = new Watchers();
    const names = new Map<() => void, string>();
    for (const prefix of ["/", "//configmaps/", "//configmaps/fleet/", keyOf("a"), keyOf("ab"), "//secrets/"]) {
      const listener = (): void => undefined;
      names.set(listener, prefix);
      watchers.add(prefix, listener);
    }
    const found = (key: string) => Array.from(watchers.of(key), (listener) => names.get(listener as () => void));
    expect(found(keyOf("a"))).toEqual([keyOf("a"), "//configmaps/fleet/", "//configmaps/", "/"]);
    expect(found(keyOf("abc"))).toEqual(["//configmaps/fleet/", "//configmaps/", "/"]);
    expect(found(keyOf("a", "other"))).toEqual(["//configmaps/", "/"]);
  });

  it("visits one of 10,000 that follow one object each", () => {
    const watchers = new Watchers();
    for (let index = 0; index < 10_000; index += 1) watchers.add(keyOf(`report-${index}`), () => undefined);
    expect([...watchers.of(keyOf("report-77"))]).toHaveLength(1);
  });

  it("forgets what is taken away, and keeps the others of the same key", () => {
    const watchers = new Watchers();
    const end = watchers.add(keyOf("a"), () => undefined);
    const stay = (): void => undefined;
    watchers.add(keyOf("a"), stay);
    end();
    end();
    expect([...watchers.of(keyOf("a"))]).toEqual([stay]);
  });
});

describe("the last watcher of a key", () => {
  it("leaves room for one that comes later, and does not take that one away again", () => {
    const watchers = new Watchers();
    const end = watchers.add(keyOf("a"), () => undefined);
    end();
    expect([...watchers.of(keyOf("a"))]).toEqual([]);
    const later = (): void => undefined;
    watchers.add(keyOf("a"), later);
    end();
    expect([...watchers.of(keyOf("a"))]).toEqual([later]);
    watchers.clear();
    expect([...watchers.of(keyOf("a"))]).toEqual([]);
  });
});
