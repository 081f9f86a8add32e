import { createInflate, inflateSync } from "node:zlib";
import { protocolError } from "./pkt-line.ts";
import type { Turns } from "./take-turns.ts";

/** Larger objects are unpacked in slices, off the main thread, and not held. */
const slicedBytes = 256 * 1024;
const sliceBytes = 64 * 1024;

export interface InflateSink {
  /** Is given the content piece by piece, in its order. */
  readonly onPiece: (piece: Buffer) => void;
  readonly turns: Turns;
}

/**
 * Unpacks the object at the start of `compressed`, which must have exactly `sizeBytes`. Returns how many compressed bytes
 * it took.
 * @throws E_GIT_PROTOCOL when it cannot be unpacked or has another size, which is noticed before more is unpacked
 */
export async function inflateObject(compressed: Buffer, sizeBytes: number, sink: InflateSink): Promise<number> {
  return sizeBytes > slicedBytes
    ? inflateInSlices(compressed, sizeBytes, sink)
    : inflateAtOnce(compressed, sizeBytes, sink);
}

function inflateAtOnce(compressed: Buffer, sizeBytes: number, { onPiece }: InflateSink): number {
  let inflated: { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
  try {
    // `info` makes node report how much of the input it used, which is the only way to find the next object.
    const chunkSize = Math.min(Math.max(sizeBytes, 64), 65_536);
    const options = { info: true, maxOutputLength: Math.max(sizeBytes, 1), chunkSize };
    const result: unknown = inflateSync(compressed, options);
    inflated = result as typeof inflated;
  } catch (cause) {
    throw protocolError("the pack has an object that cannot be unpacked", cause);
  }
  if (inflated.buffer.length !== sizeBytes) throw anotherSize();
  onPiece(inflated.buffer);
  return inflated.engine.bytesWritten;
}

async function inflateInSlices(
  compressed: Buffer,
  sizeBytes: number,
  { onPiece, turns }: InflateSink,
): Promise<number> {
  const inflate = createInflate({ chunkSize: sliceBytes });
  const failed = new Promise<never>((_, reject) => inflate.once("error", reject));
  failed.catch(() => undefined); // the caller that races with it gets the error
  const ended = new Promise<void>((resolve) => inflate.once("end", resolve));
  let unpackedBytes = 0;
  inflate.on("data", (piece: Buffer) => {
    unpackedBytes += piece.length;
    if (unpackedBytes > sizeBytes) inflate.destroy(new Error("it is larger than its header declares"));
    else onPiece(piece);
  });
  try {
    let isEnded = false;
    for (let position = 0; position < compressed.length && !isEnded; position += sliceBytes) {
      await turns.pass();
      const slice = compressed.subarray(position, position + sliceBytes);
      const written = new Promise<"more">((resolve) => inflate.write(slice, () => resolve("more")));
      isEnded = (await Promise.race([written, ended, failed])) !== "more";
    }
    if (!isEnded) inflate.end();
    await Promise.race([ended, failed]);
  } catch (cause) {
    throw protocolError("the pack has an object that cannot be unpacked", cause);
  } finally {
    inflate.destroy();
  }
  if (unpackedBytes !== sizeBytes) throw anotherSize();
  return inflate.bytesWritten;
}

function anotherSize(): Error {
  return protocolError("the pack has an object of another size than its header declares");
}
