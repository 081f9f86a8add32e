import { createInflate, inflateSync } from "node:zlib";
import { protocolError } from "./pkt-line.ts";

/** What became of the compressed bytes of one object of a pack. */
export interface InflatedObject {
  /** Its first bytes, at most {@link keptBytes}. */
  readonly start: Buffer;
  /** How many compressed bytes it took. */
  readonly compressedBytes: number;
}

/** The two numbers at the start of a delta are within this. */
const keptBytes = 64;
/** Larger objects are unpacked in slices, off the main thread, and not held. */
const slicedBytes = 256 * 1024;
const sliceBytes = 64 * 1024;

/**
 * Unpacks the object at the start of `compressed`, which must have exactly `sizeBytes`.
 * @throws E_GIT_PROTOCOL when it cannot be unpacked or has another size, which is noticed before more is unpacked
 */
export async function inflateObject(compressed: Buffer, sizeBytes: number): Promise<InflatedObject> {
  return sizeBytes > slicedBytes ? inflateInSlices(compressed, sizeBytes) : inflateAtOnce(compressed, sizeBytes);
}

function inflateAtOnce(compressed: Buffer, sizeBytes: number): InflatedObject {
  try {
    // `info` makes node say how much of the input it used, which is the only way to find the next object.
    const chunkSize = Math.min(Math.max(sizeBytes, 64), 65_536);
    const options = { info: true, maxOutputLength: Math.max(sizeBytes, 1), chunkSize };
    const result: unknown = inflateSync(compressed, options);
    const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
    if (buffer.length === sizeBytes)
      return { start: buffer.subarray(0, keptBytes), compressedBytes: engine.bytesWritten };
  } catch (cause) {
    throw protocolError("the pack has an object that cannot be unpacked", cause);
  }
  throw anotherSize();
}

async function inflateInSlices(compressed: Buffer, sizeBytes: number): Promise<InflatedObject> {
  const inflate = createInflate({ chunkSize: sliceBytes });
  const failed = new Promise<never>((_, reject) => inflate.once("error", reject));
  failed.catch(() => undefined); // whoever races with it is told
  const ended = new Promise<void>((resolve) => inflate.once("end", resolve));
  let start = Buffer.alloc(0);
  let unpackedBytes = 0;
  inflate.on("data", (piece: Buffer) => {
    unpackedBytes += piece.length;
    if (start.length < keptBytes) start = Buffer.concat([start, piece.subarray(0, keptBytes - start.length)]);
    if (unpackedBytes > sizeBytes) inflate.destroy(new Error("it is larger than it says"));
  });
  try {
    let isEnded = false;
    for (let position = 0; position < compressed.length && !isEnded; position += sliceBytes) {
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
  return { start, compressedBytes: inflate.bytesWritten };
}

function anotherSize(): Error {
  return protocolError("the pack has an object of another size than it says");
}
