import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { whenTaken } from "../../../src/cli/when-taken.ts";

/** A stream whose reader has taken nothing of much that was written. */
function unreadStream(): PassThrough {
  const stream = new PassThrough({ highWaterMark: 1 });
  stream.on("error", () => undefined);
  for (const part of ["first", "second"]) stream.write(part);
  return stream;
}

/** Whether `work` is done when all that is ready has run. */
async function isDone(work: Promise<void>): Promise<boolean> {
  let done = false;
  void work.then(() => (done = true));
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe("whenTaken", () => {
  it("waits until the reader of the last stream has taken everything", async () => {
    const [slow, quick] = [unreadStream(), unreadStream()];
    quick.resume();
    const taken = whenTaken([slow, quick], new AbortController().signal);
    expect(await isDone(taken)).toBe(false);
    slow.resume();
    await taken;
  });

  it("does not wait for a reader who has stopped to read", async () => {
    const stream = unreadStream();
    const taken = whenTaken([stream], new AbortController().signal);
    stream.destroy(new Error("EPIPE"));
    await taken;
    await whenTaken([stream], new AbortController().signal);
  });

  it("ends with the signal, and leaves no listener on it", async () => {
    const stopping = new AbortController();
    const taken = whenTaken([unreadStream()], stopping.signal);
    expect(await isDone(taken)).toBe(false);
    stopping.abort();
    await taken;
    await whenTaken([unreadStream()], stopping.signal);
  });
});
