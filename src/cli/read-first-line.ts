import { createInterface } from "node:readline";

/** The first line of the input; empty where it has none. Rejects with the reason of `signal` when that is aborted before. */
export async function readFirstLine(input: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> {
  // The interface closes when the signal is aborted, which ends the loop.
  const lines = createInterface({ input, signal });
  try {
    for await (const line of lines) return line;
    signal.throwIfAborted();
    return "";
  } finally {
    lines.close();
  }
}
