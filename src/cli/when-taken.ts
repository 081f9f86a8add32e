import type { Writable } from "node:stream";
import { whenAborted } from "../system/when-aborted.ts";

/**
 * Resolves when the readers of the streams have taken all that was written, or stopped to read, and at once when the signal is
 * aborted. Never rejects.
 */
export async function whenTaken(streams: readonly Writable[], signal: AbortSignal): Promise<void> {
  const taken = streams.map(
    (stream) =>
      new Promise<void>((resolve) => {
        // What is written is taken in order; of a stream that has failed, a write may never be answered.
        stream.once("close", () => resolve());
        stream.write("", () => resolve());
      }),
  );
  const over = new AbortController();
  await Promise.race([Promise.all(taken), whenAborted(signal, over.signal)]);
  over.abort();
}
