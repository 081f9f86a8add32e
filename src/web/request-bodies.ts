import type { IncomingMessage } from "node:http";
import { watchPieces } from "../core/body-pieces.ts";
import { collectBytes } from "../core/collect-bytes.ts";

/** Why a body was not read: the status of the answer. Not a fault of this process, so it is not logged as one. */
export class BodyRefusal extends Error {
  /** Undefined: the client is disconnected and takes no answer. */
  readonly status: 413 | 503 | undefined;

  constructor(status: 413 | 503 | undefined) {
    super("the body of a request was not read");
    this.status = status;
  }
}

/**
 * Reads bodies of requests and bounds the memory of all unfinished ones together. When they hold more than
 * `limitBytes`, the one of which nothing has arrived for longest is refused with 503: abandoned bodies make room for
 * those that arrive promptly. A class for this account.
 */
export class RequestBodies {
  private readonly limitBytes: number;
  /** What refuses each. The one that a piece arrived of last is last. */
  private readonly unfinished = new Set<(status: 503) => void>();
  private totalBytes = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** What unfinished bodies hold now. */
  get heldBytes(): number {
    return this.totalBytes;
  }

  /**
   * @throws BodyRefusal 413 beyond `maximumBytes`, 503 for lack of room, without a status when the client is
   * disconnected
   */
  read(request: IncomingMessage, maximumBytes: number): Promise<Uint8Array> {
    const declaredBytes = Number(request.headers["content-length"] ?? 0);
    if (declaredBytes > maximumBytes) return Promise.reject(new BodyRefusal(413));
    return new Promise((resolve, reject) => {
      const collected = collectBytes();
      const settle = (finish: () => void): void => {
        if (!this.unfinished.delete(refuse)) return;
        this.totalBytes -= collected.sizeBytes;
        request.off("data", take);
        finish();
        collected.take();
      };
      const refuse = (status: 413 | 503 | undefined): void => settle(() => reject(new BodyRefusal(status)));
      const isTooSmall = watchPieces();
      const take = (chunk: Buffer): void => {
        if (isTooSmall(chunk.length)) {
          request.destroy();
          return;
        }
        this.unfinished.delete(refuse);
        this.unfinished.add(refuse);
        this.totalBytes += chunk.length;
        collected.add(chunk);
        if (collected.sizeBytes > maximumBytes) refuse(413);
        else this.makeRoom();
      };
      this.unfinished.add(refuse);
      request.on("data", take);
      request.once("end", () => settle(() => resolve(collected.take())));
      request.once("error", () => refuse(undefined));
      request.once("close", () => refuse(undefined));
    });
  }

  private makeRoom(): void {
    for (const refuse of this.unfinished) {
      if (this.totalBytes <= this.limitBytes) return;
      refuse(503);
    }
  }
}

/**
 * Throws away what is left of a refused body so that the client gets its answer, and ends the connection when there is
 * more than `limitBytes` of it.
 */
export function discardBody(request: IncomingMessage, limitBytes: number): void {
  if (request.complete || request.destroyed) return;
  let discardedBytes = 0;
  const isTooSmall = watchPieces();
  request.on("data", (chunk: Buffer) => {
    discardedBytes += chunk.length;
    if (discardedBytes > limitBytes || isTooSmall(chunk.length)) request.destroy();
  });
  request.resume();
}
