import { describe, expect, it } from "vitest";
import type { Follow } from "../../../../src/embedded-hub/admission/taken-items.ts";
import { createTakenItems } from "../../../../src/embedded-hub/admission/taken-items.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const of = (uid: string, ...items: readonly number[]): KubeObject & { readonly items: readonly number[] } => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: uid, uid },
  items,
});

function start(...there: readonly KubeObject[]) {
  const listeners: Parameters<Follow>[0][] = [];
  const follow: Follow = (onChange) => {
    listeners.push(onChange);
    for (const object of there) onChange(object, false);
  };
  const taken = createTakenItems(follow, (object) => new Set((object as ReturnType<typeof of>).items));
  const change: Parameters<Follow>[0] = (object, isDeleted) => {
    for (const listener of listeners) listener(object, isDeleted);
  };
  return { taken, change, reads: () => listeners.length };
}

describe("what Services have", () => {
  it("A247 is read once, however many writes ask for it", () => {
    const { taken, reads } = start(of("a", 1));
    expect(reads()).toBe(0);
    for (let item = 0; item < 100; item += 1) taken.isTakenByOther("b", item);
    expect(reads()).toBe(1);
  });

  it("is taken for all others, as it was written last", () => {
    const { taken, change } = start(of("a", 1, 2));
    const outcome = () => [1, 2, 3].map((item) => ["a", "b", undefined].map((uid) => taken.isTakenByOther(uid, item)));
    const others = [false, true, true];
    const none = [false, false, false];
    expect(outcome()).toEqual([others, others, none]);
    change(of("a", 2, 3), false);
    expect(outcome()).toEqual([none, others, others]);
    change(of("b", 3), false);
    expect(outcome()[2]).toEqual([true, true, true]);
    change(of("a", 2, 3), true);
    expect(outcome()).toEqual([none, none, [true, false, true]]);
  });
});
