import type { Body } from "./render.ts";

/** A body as parts. */
export function partsOf(body: Body): Iterable<Uint8Array> {
  if (typeof body === "string") return [Buffer.from(body, "utf8")];
  return body instanceof Uint8Array ? [body] : body;
}

export function sizeOf(body: Body): number {
  if (typeof body === "string") return Buffer.byteLength(body, "utf8");
  if (body instanceof Uint8Array) return body.length;
  return "sizeBytes" in body ? body.sizeBytes : body.reduce((sum, { length }) => sum + length, 0);
}

/** The whole body as text, for what records it. */
export function textOf(body: Body): string {
  return typeof body === "string" ? body : Buffer.concat([...partsOf(body)]).toString("utf8");
}

/** The same bytes in chunks of `chunkBytes`, the last one excepted; each is made when it is asked for. */
export function* chunksOf(parts: Iterable<Uint8Array>, chunkBytes: number): Iterable<Uint8Array> {
  let chunk: Uint8Array[] = [];
  let sizeBytes = 0;
  for (const part of parts) {
    for (let start = 0; start < part.length;) {
      const piece = part.subarray(start, start + chunkBytes - sizeBytes);
      chunk.push(piece);
      start += piece.length;
      sizeBytes += piece.length;
      if (sizeBytes < chunkBytes) continue;
      yield Buffer.concat(chunk);
      chunk = [];
      sizeBytes = 0;
    }
  }
  if (sizeBytes > 0) yield Buffer.concat(chunk);
}
