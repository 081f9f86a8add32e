// A request and its answer as the hub's handlers know them from node:http2, without a connection.
import { EventEmitter } from "node:events";
import type { HubRequest, HubResponse } from "../../src/embedded-hub/http/http-server.ts";
import type { TransportRequest } from "../../src/kube/transport.ts";

export interface AnswerSink {
  onHead(statusCode: number, headers: ReadonlyMap<string, string>): void;
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  /** Broken off. */
  onDestroy(): void;
}

export class MemoryRequest extends EventEmitter {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: string[];
  readonly stream: { readonly session: object; readonly endAfterHeaders: boolean; readonly close: () => void };
  complete = false;
  readonly #body: Buffer;

  constructor({ method, path, headers, body = "" }: TransportRequest, session: object) {
    super();
    this.method = method;
    this.url = path;
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    this.rawHeaders = Object.entries(this.headers).flat();
    this.stream = { session, endAfterHeaders: body.length === 0, close: () => undefined };
    this.#body = Buffer.from(body);
  }

  override on(event: string, listener: (...args: unknown[]) => void): this {
    super.on(event, listener);
    if (event === "data") queueMicrotask(() => this.#deliver());
    return this;
  }

  pause(): this {
    return this;
  }

  resume(): this {
    return this;
  }

  /** As the handlers see it. */
  asHubRequest(): HubRequest {
    return this as unknown as HubRequest;
  }

  #deliver(): void {
    if (this.complete) return;
    if (this.#body.length > 0) this.emit("data", this.#body);
    this.complete = true;
    this.emit("end");
  }
}

export class MemoryResponse extends EventEmitter {
  statusCode = 200;
  headersSent = false;
  destroyed = false;
  readonly closed = false;
  /** What is written is taken at once. */
  readonly writableLength = 0;
  readonly writableEnded = false;
  readonly writableFinished = false;
  readonly #headers = new Map<string, string>();
  readonly #sink: AnswerSink;

  constructor(sink: AnswerSink) {
    super();
    this.#sink = sink;
  }

  setHeader(name: string, value: string | readonly string[]): void {
    this.#headers.set(name.toLowerCase(), typeof value === "string" ? value : (value[0] ?? ""));
  }

  flushHeaders(): void {
    if (this.headersSent) return;
    this.headersSent = true;
    this.#sink.onHead(this.statusCode, this.#headers);
  }

  writeHead(statusCode: number): void {
    this.statusCode = statusCode;
    this.flushHeaders();
  }

  write(chunk: Buffer, onTaken?: () => void): boolean {
    this.flushHeaders();
    this.#sink.onChunk(chunk);
    if (onTaken !== undefined) queueMicrotask(onTaken);
    return true;
  }

  end(chunk?: Buffer): void {
    if (this.destroyed) return;
    this.flushHeaders();
    if (chunk !== undefined && chunk.length > 0) this.#sink.onChunk(chunk);
    this.#sink.onEnd();
    this.#close();
  }

  destroy(): this {
    if (this.destroyed) return this;
    this.#sink.onDestroy();
    this.#close();
    return this;
  }

  /** The client has disconnected. */
  abandon(): void {
    if (!this.destroyed) this.#close();
  }

  asHubResponse(): HubResponse {
    return this as unknown as HubResponse;
  }

  #close(): void {
    this.destroyed = true;
    queueMicrotask(() => this.emit("close"));
  }
}
