import type { Readable } from "node:stream";

/**
 * The pieces of an answer, up to `maximumBytes` together. At any end of the reading, the body is dropped.
 * @throws the error of `tooLarge`, before the piece that exceeds the bound is passed on
 */
export async function* boundedBody(
  body: Readable,
  maximumBytes: number,
  tooLarge: () => Error,
): AsyncGenerator<Uint8Array, void, undefined> {
  let sizeBytes = 0;
  try {
    for await (const piece of body) {
      const bytes: unknown = piece;
      if (!(bytes instanceof Uint8Array)) continue;
      sizeBytes += bytes.byteLength;
      if (sizeBytes > maximumBytes) throw tooLarge();
      yield bytes;
    }
  } finally {
    dropBody(body);
  }
}

/** Ends an answer that nothing reads. Without a listener, Node.js would report its last error as unhandled. */
export function dropBody(body: Readable): void {
  body.on("error", () => undefined);
  body.destroy();
}
