import { Dispatcher } from "undici";
import type { Connect } from "../../../src/forge/forge-http.ts";
import type { Transport, TransportFailure, TransportRequest } from "../../../src/kube/transport.ts";
import { TransportError } from "../../../src/kube/transport.ts";

/** What Node.js and undici report of a connection that failed. */
const codes: Readonly<Record<TransportFailure, string>> = {
  closed: "ECONNRESET",
  idle: "UND_ERR_HEADERS_TIMEOUT",
  tls: "ECONNREFUSED",
  outdated: "ECONNREFUSED",
  unreachable: "ECONNREFUSED",
};

const passedHeaders = ["content-type", "link", "location", "retry-after"];

/** Connections over the simulated network, in place of sockets: undici does the rest. */
export function connectOver(transport: () => Transport): Connect {
  return ({ headMs, idleMs }) => new SimulatedDispatcher(transport(), { headTimeoutMs: headMs, idleTimeoutMs: idleMs });
}

class SimulatedDispatcher extends Dispatcher {
  readonly #transport: Transport;
  readonly #limits: Pick<TransportRequest, "headTimeoutMs" | "idleTimeoutMs">;

  constructor(transport: Transport, limits: Pick<TransportRequest, "headTimeoutMs" | "idleTimeoutMs">) {
    super();
    this.#transport = transport;
    this.#limits = limits;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#exchange(options, handler).catch((error: unknown) => handler.onError?.(asNetworkError(error)));
    return true;
  }

  override destroy(): Promise<void> {
    return this.#transport.close();
  }

  async #exchange(
    { method, path, headers, body }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): Promise<void> {
    const ending = new AbortController();
    handler.onConnect?.((error) => ending.abort(error));
    const answer = await this.#transport.send({
      method: method as TransportRequest["method"],
      path,
      headers: headers as Record<string, string>,
      ...(typeof body === "string" ? { body } : {}),
      pool: "work",
      ...this.#limits,
      signal: ending.signal,
    });
    const raw = passedHeaders.flatMap((name) => {
      const value = answer.header(name);
      return value === undefined ? [] : [Buffer.from(name), Buffer.from(value)];
    });
    handler.onHeaders?.(answer.status, raw, () => undefined, "");
    for await (const chunk of answer.body) handler.onData?.(Buffer.from(chunk));
    handler.onComplete?.([]);
  }
}

function asNetworkError(error: unknown): Error {
  if (error instanceof TransportError) return Object.assign(new Error(error.message), { code: codes[error.failure] });
  return error instanceof Error ? error : new Error(String(error));
}
