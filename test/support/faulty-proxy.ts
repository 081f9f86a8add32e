// A proxy in front of an API server that answers itself where a test wants it: 429s, slow answers.
import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { makeControlPlaneKeys } from "./control-plane-keys.ts";
import { forwardCall } from "./forward-call.ts";

export interface Fault {
  /** Answer this instead of asking the server. */
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** Wait for it before anything else. */
  readonly until?: Promise<void>;
}

export interface FaultyProxy {
  readonly server: string;
  readonly caPem: string;
  /** From now on each request is looked up here; undefined goes through. Default: all go through. */
  setFault(faultOf: (method: string, path: string) => Fault | undefined): void;
  /** When each request was answered by a fault. */
  readonly faultTimesMs: readonly number[];
  close(): Promise<void>;
}

export async function startFaultyProxy(target: {
  readonly server: string;
  readonly caPem: string;
}): Promise<FaultyProxy> {
  const keys = await makeControlPlaneKeys();
  const faultTimesMs: number[] = [];
  let faultOf: (method: string, path: string) => Fault | undefined = () => undefined;
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const fault = faultOf(incoming.method ?? "GET", incoming.url ?? "/");
    if (fault) faultTimesMs.push(Date.now());
    await fault?.until;
    if (fault?.status === undefined) return forwardCall(target, incoming, outgoing);
    incoming.resume();
    const retry = fault.retryAfterSeconds === undefined ? {} : { "retry-after": String(fault.retryAfterSeconds) };
    outgoing.writeHead(fault.status, { "content-type": "application/json", ...retry });
    outgoing.end(JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: fault.status }));
  };
  const listener = createServer({ cert: keys.server.cert, key: keys.server.key }, (incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    server: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    caPem: keys.ca.cert,
    setFault: (next) => (faultOf = next),
    faultTimesMs,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        listener.closeAllConnections();
      }),
  };
}
