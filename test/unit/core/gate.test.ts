import { describe, expect, it } from "vitest";
import { createGate, passThrough } from "../../../src/core/gate.ts";

/** Lets promises that are settled run what waits for them. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("createGate", () => {
  it("lets its limit pass, then the others in their order", async () => {
    const gate = createGate(2);
    const inside: number[] = [];
    for (const number of [1, 2, 3, 4]) void gate.enter().then(() => inside.push(number));
    await settled();
    expect(inside).toEqual([1, 2]);
    gate.leave();
    await settled();
    expect(inside).toEqual([1, 2, 3]);
    gate.leave();
    gate.leave();
    gate.leave();
    await settled();
    for (const number of [5, 6, 7]) void gate.enter().then(() => inside.push(number));
    await settled();
    expect(inside).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("lets no one in whose work was stopped, and gives the place to the next one", async () => {
    const gate = createGate(1);
    const stop = new AbortController();
    await gate.enter(stop.signal);
    const stopped = gate.enter(stop.signal);
    const next = gate.enter();
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    await expect(gate.enter(stop.signal)).rejects.toThrow("stopped");
    gate.leave();
    await next;
    gate.leave();
    // Nothing is inside now: the one that was stopped took no place.
    await gate.enter();
  });

  it("is not changed by a signal that is aborted after its work has entered", async () => {
    const gate = createGate(1);
    const stop = new AbortController();
    await gate.enter();
    const second = gate.enter(stop.signal);
    gate.leave();
    await second;
    stop.abort(new Error("stopped"));
    await expect(second).resolves.toBeUndefined();
    gate.leave();
    await gate.enter();
  });
});

describe("passThrough", () => {
  it("leaves the gate after work that failed, too", async () => {
    const gate = createGate(1);
    await expect(passThrough(gate, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await passThrough(gate, () => Promise.resolve("yes"))).toBe("yes");
  });
});
