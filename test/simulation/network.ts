import type { Peer, PeerIdentity } from "../../src/embedded-hub/http/peers.ts";
import type { Transport, TransportFailure, TransportRequest, TransportResponse } from "../../src/kube/transport.ts";
import { TransportError } from "../../src/kube/transport.ts";
import type { SimEvent } from "./event-heap.ts";
import { MemoryRequest, MemoryResponse } from "./memory-exchange.ts";
import type { Fate } from "./network-faults.ts";
import type { ReadCache } from "./read-cache.ts";
import type { Scheduler, SimNode } from "./scheduler.ts";

/** What answers requests; `serve` is undefined while its process is down. */
export interface Server {
  readonly node: SimNode;
  readonly url: string;
  serve: ((request: MemoryRequest, response: MemoryResponse, peer: Peer) => void) | undefined;
  /** Of a server whose every client is an administrator. Default: each request is served. */
  readonly reads?: ReadCache;
}

/** A request that was answered, as seen on the wire. */
export interface SeenCall {
  readonly client: SimNode;
  readonly server: Server;
  readonly request: TransportRequest;
  readonly sentAtMs: number;
  readonly status: number;
  /** False when a fault of the network keeps the answer from the client. */
  readonly isHeard: boolean;
}

export interface NetworkOptions {
  readonly scheduler: Scheduler;
  /** What becomes of a request. */
  readonly fateOf: (client: SimNode, server: Server, request: TransportRequest) => Fate;
  /** False while nothing passes between the two. */
  readonly isLinked: (client: SimNode, server: Server) => boolean;
  /** How much later than its answers the parts of a watch arrive. */
  readonly watchDelayMs: (client: SimNode, server: Server) => number;
  readonly onCall: (call: SeenCall) => void;
}

export interface Network {
  /** How a process reaches a server. `identity`: by which certificate; a token is in the headers of its requests. */
  transport(client: SimNode, server: Server, identity?: PeerIdentity): Transport;
  /** Every connection of this process ends: it was killed. */
  dropAll(node: SimNode): void;
  /** How many requests of this process have no end yet. */
  openOf(client: SimNode): number;
  /** When this process had a half-open connection last: now, while it has one. It receives nothing there, and cannot know so. */
  halfOpenAtMs(client: SimNode): number | undefined;
  /** Ends watches that this server serves. */
  cutWatches(server: Server): number;
}

/** Between two processes: the time that a message takes. */
const leastLatencyMs = 0.2;
const mostLatencyMs = 8;

/** Carries requests from processes to servers as events of the scheduler. */
export function createNetwork(options: NetworkOptions): Network {
  const open = new Set<Call>();
  /** When the last half-open connection of each process was given up. */
  const givenUpAtMs = new Map<SimNode, number>();
  return {
    transport: (client, server, identity = {}) => {
      const own = new Set<Call>();
      const session = {};
      return {
        server: server.url,
        send: (request) =>
          new Promise((resolve, reject) => {
            const call = new Call({ ...options, client, server, request, identity, session }, { resolve, reject });
            for (const calls of [open, own]) calls.add(call);
            call.onOver = () => {
              for (const calls of [open, own]) calls.delete(call);
              if (call.isHalfOpen) givenUpAtMs.set(client, options.scheduler.elapsedMs);
            };
            call.start();
          }),
        close: async () => {
          for (const call of [...own]) call.abort(new TransportError("closed", `${server.url}: the client closed`));
        },
      };
    },
    dropAll: (node) => {
      for (const call of [...open]) {
        if (call.client === node) call.abandon();
        else if (call.server.node === node) call.breakOff("closed");
      }
    },
    openOf: (client) => [...open].filter((call) => call.client === client).length,
    halfOpenAtMs: (client) =>
      [...open].some((call) => call.client === client && call.isHalfOpen)
        ? options.scheduler.elapsedMs
        : givenUpAtMs.get(client),
    cutWatches: (server) => {
      const watches = [...open].filter((call) => call.server === server && call.isWatch);
      for (const watch of watches) watch.breakOff("closed");
      return watches.length;
    },
  };
}

interface CallOptions extends NetworkOptions {
  readonly client: SimNode;
  readonly server: Server;
  readonly request: TransportRequest;
  readonly identity: PeerIdentity;
  readonly session: object;
}

interface Outcome {
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (error: Error) => void;
}

/** One request on its way. A class for its state: both ends may have ended at any time. */
class Call {
  readonly client: SimNode;
  readonly server: Server;
  readonly isWatch: boolean;
  onOver: () => void = () => undefined;
  isHalfOpen = false;
  readonly #options: CallOptions;
  readonly #outcome: Outcome;
  readonly #chunks: Buffer[] = [];
  #wake: (() => void) | undefined;
  #state: "waiting" | "answering" | "ended" | "failed" = "waiting";
  #failure: Error | undefined;
  #lastArrivalMs = 0;
  #late: SimEvent | undefined;
  #responses: MemoryResponse[] = [];
  #onAbort: (() => void) | undefined;
  /** What the server has sent and the client has not received; so many of them are due. */
  readonly #sent: (() => void)[] = [];
  #dueCount = 0;

  constructor(options: CallOptions, outcome: Outcome) {
    this.#options = options;
    this.#outcome = outcome;
    this.client = options.client;
    this.server = options.server;
    this.isWatch = options.request.pool === "watch";
  }

  start(): void {
    const { request, scheduler, fateOf } = this.#options;
    const { signal } = request;
    if (signal?.aborted) return this.abort(reasonOf(signal));
    this.#onAbort = () => this.abort(reasonOf(signal));
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#expect(request.headTimeoutMs);
    const fate = fateOf(this.client, this.server, request);
    if (fate.kind === "unreachable") return this.breakOff("unreachable");
    if (fate.kind === "lost-request") return this.breakOff("closed", scheduler.between(1, fate.afterMs));
    if (fate.kind === "refused") return this.#refuse(fate);
    const delayMs = scheduler.between(leastLatencyMs, mostLatencyMs) + (fate.kind === "delayed" ? fate.byMs : 0);
    this.#deliver(delayMs, fate);
    if (fate.kind === "doubled") this.#deliver(delayMs + scheduler.between(0, fate.againWithinMs), { kind: "unheard" });
  }

  /** The client wants no answer any more. */
  abort(error: Error): void {
    if (this.#state === "ended" || this.#state === "failed") return;
    this.#settle(error);
    const { scheduler, server } = this.#options;
    if (!server.node.isAlive) return;
    scheduler.send(server.node, scheduler.between(leastLatencyMs, mostLatencyMs), "client gone", () => this.#forget());
  }

  /** The client is dead. */
  abandon(): void {
    const { scheduler, server } = this.#options;
    this.#state = "failed";
    this.#over();
    if (server.node.isAlive) scheduler.send(server.node, mostLatencyMs, "client gone", () => this.#forget());
  }

  /** The client learns that the connection has ended. */
  breakOff(failure: TransportFailure, afterMs = 0): void {
    const { scheduler, server, client, request } = this.#options;
    const delayMs = afterMs + scheduler.between(leastLatencyMs, mostLatencyMs);
    scheduler.send(client, delayMs, `${failure} ${request.method} ${request.path}`, () => {
      this.abort(new TransportError(failure, `${server.url}: ${failure}`));
    });
  }

  #deliver(delayMs: number, fate: Fate): void {
    const { scheduler, server, request, isLinked, client, identity, session, onCall } = this.#options;
    const sentAtMs = scheduler.elapsedMs;
    const { life } = server.node;
    const what = `${request.method} ${request.path}`;
    scheduler.send(server.node, delayMs, what, () => {
      // No process listens: the client receives that answer.
      if (server.serve === undefined || life !== server.node.life) return this.breakOff("unreachable");
      if (!isLinked(client, server)) return;
      const isUnheard = fate.kind === "unheard";
      const isHeard = !isUnheard && fate.kind !== "lost-answer";
      // The answer of a request that is no watch arrives as a whole: its parts would follow each other at once.
      const parts: (() => void)[] = [];
      const reads = request.method === "GET" && !this.isWatch ? server.reads : undefined;
      const known = reads?.get(request.path);
      const version = reads?.version ?? 0;
      const chunks: Buffer[] = [];
      let answerHeaders: ReadonlyMap<string, string> = new Map();
      const give = (part: string, then: () => void): void => {
        if (this.isWatch) this.#arrive(part, then);
        else parts.push(then);
      };
      const response = new MemoryResponse({
        onHead: (status, headers) => {
          answerHeaders = new Map(headers);
          onCall({ client, server, request, sentAtMs, status, isHeard });
          if (isUnheard) return;
          if (fate.kind === "lost-answer") {
            if (fate.isClosed) this.breakOff("closed");
            return;
          }
          give(`${status} ${what}`, () => this.#takeHead(status, answerHeaders));
        },
        onChunk: (chunk) => {
          if (!this.isWatch) chunks.push(chunk);
          if (isHeard) give("data", () => this.#takeChunk(chunk));
        },
        onEnd: () => {
          reads?.put(request.path, { status: response.statusCode, headers: answerHeaders, chunks }, version);
          if (!isHeard) return;
          give("end", () => this.#settle(undefined));
          if (!this.isWatch) this.#arrive(`${response.statusCode} ${what}`, () => parts.forEach((take) => take()));
        },
        onDestroy: () => {
          if (!isUnheard) this.breakOff("closed");
        },
      });
      this.#responses.push(response);
      if (known !== undefined) {
        response.statusCode = known.status;
        for (const [name, value] of known.headers) response.setHeader(name, value);
        for (const chunk of known.chunks) response.write(chunk);
        return response.end();
      }
      const peer: Peer = { identity, remoteAddress: undefined, isAuthenticated: () => undefined };
      server.serve(new MemoryRequest(request, session), response, peer);
    });
  }

  /**
   * What the server sends arrives in its order. While the two are cut off from each other it is sent again later, or the
   * connection is half-open from then on: nothing of it arrives any more. No part is lost between two that arrive.
   */
  #arrive(what: string, then: () => void): void {
    const { scheduler, client, server, watchDelayMs } = this.#options;
    const lateMs = this.isWatch ? watchDelayMs(client, server) : 0;
    const dueMs = scheduler.elapsedMs + scheduler.between(leastLatencyMs, mostLatencyMs) + lateMs;
    this.#lastArrivalMs = Math.max(dueMs, this.#lastArrivalMs + 0.001);
    if (!client.isAlive) return;
    this.#sent.push(then);
    scheduler.send(client, this.#lastArrivalMs - scheduler.elapsedMs, what, () => {
      this.#dueCount += 1;
      this.#receive();
    });
  }

  #receive(): void {
    const { scheduler, client, server, isLinked } = this.#options;
    if (this.isHalfOpen) return;
    if (isLinked(client, server)) {
      for (; this.#dueCount > 0; this.#dueCount--) this.#sent.shift()?.();
      return;
    }
    this.isHalfOpen = scheduler.dice() < 0.5;
    if (!this.isHalfOpen) scheduler.send(client, scheduler.between(1000, 15_000), "sent again", () => this.#receive());
  }

  #takeHead(status: number, headers: ReadonlyMap<string, string>): void {
    if (this.#state !== "waiting") return;
    this.#state = "answering";
    this.#expect(this.#options.request.idleTimeoutMs);
    this.#outcome.resolve({ status, header: (name) => headers.get(name.toLowerCase()), body: this.#read() });
  }

  #takeChunk(chunk: Buffer): void {
    if (this.#state !== "answering") return;
    this.#expect(this.#options.request.idleTimeoutMs);
    this.#chunks.push(chunk);
    this.#wake?.();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (this.#state === "failed") throw this.#failure ?? new Error("broken off");
        else if (this.#state === "ended") return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      if (this.#state === "waiting" || this.#state === "answering")
        this.abort(new TransportError("closed", "the reader left"));
    }
  }

  #refuse({ status, retryAfterSeconds }: Extract<Fate, { kind: "refused" }>): void {
    const { request } = this.#options;
    const reasons: Readonly<Record<number, string>> = {
      401: "Unauthorized",
      403: "Forbidden",
      409: "Conflict",
      410: "Expired",
      413: "RequestEntityTooLarge",
      422: "Invalid",
      429: "TooManyRequests",
      500: "InternalError",
      507: "InsufficientStorage",
    };
    const text = { kind: "Status", apiVersion: "v1", status: "Failure", reason: reasons[status] ?? "", code: status };
    const headers: [string, string][] =
      retryAfterSeconds === undefined ? [] : [["retry-after", `${retryAfterSeconds}`]];
    this.#arrive(`${status} ${request.method} ${request.path}`, () => {
      this.#takeHead(status, new Map(headers));
      this.#takeChunk(Buffer.from(JSON.stringify({ ...text, message: "simulated" })));
      this.#settle(undefined);
    });
  }

  #settle(error: Error | undefined): void {
    if (this.#state === "ended" || this.#state === "failed") return;
    const wasWaiting = this.#state === "waiting";
    this.#state = error === undefined ? "ended" : "failed";
    this.#failure = error;
    this.#over();
    if (wasWaiting) this.#outcome.reject(error ?? new TransportError("closed", "ended without an answer"));
    this.#wake?.();
  }

  #over(): void {
    if (this.#late !== undefined) this.#late.isCancelled = true;
    if (this.#onAbort !== undefined) this.#options.request.signal?.removeEventListener("abort", this.#onAbort);
    this.onOver();
  }

  #expect(withinMs: number): void {
    const { scheduler, client, server } = this.#options;
    if (this.#late !== undefined) this.#late.isCancelled = true;
    this.#late = scheduler.startTimer(client, withinMs, () => {
      this.abort(new TransportError("idle", `${server.url}: nothing came for ${withinMs} ms`));
    });
  }

  #forget(): void {
    for (const response of this.#responses) response.abandon();
  }
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error("aborted", { cause: reason });
}
