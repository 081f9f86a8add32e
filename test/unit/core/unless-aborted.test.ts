import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { unlessAborted } from "../../../src/core/unless-aborted.ts";

const never = (): Promise<never> => new Promise(() => undefined);

describe("unlessAborted", () => {
  it.each([
    ["without a signal", undefined],
    ["with a signal that is not aborted", new AbortController().signal],
  ])("settles as the work does %s", async (_, signal) => {
    await expect(unlessAborted(Promise.resolve(7), signal)).resolves.toBe(7);
    await expect(unlessAborted(Promise.reject(new Error("failed")), signal)).rejects.toThrow("failed");
  });

  it("rejects with the reason of a signal that is aborted meanwhile, or was before", async () => {
    const controller = new AbortController();
    const reason = new Error("no longer wanted");
    const waiting = unlessAborted(never(), controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(unlessAborted(never(), controller.signal)).rejects.toBe(reason);
    await expect(unlessAborted(Promise.reject(new Error("failed")), controller.signal)).rejects.toBe(reason);
  });

  it("makes an error of a reason that is none", async () => {
    await expect(unlessAborted(never(), AbortSignal.abort("enough"))).rejects.toMatchObject({
      message: "stopped",
      cause: "enough",
    });
  });

  it("has one listener while it waits, and none afterwards", async () => {
    const { signal } = new AbortController();
    let finish = (): void => undefined;
    const waiting = unlessAborted(new Promise<void>((resolve) => (finish = resolve)), signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    finish();
    await waiting;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});
