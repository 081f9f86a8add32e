// A proxy in front of an API server that keeps what was asked of it: what an agent of another project sends, and with which
// of its tokens.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeControlPlaneKeys } from "./control-plane-keys.ts";
import { forwardCall } from "./forward-call.ts";

/** One call that was answered. */
export interface SeenCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  /** Of `Authorization: Bearer`. */
  readonly token: string;
  readonly body: string;
  readonly status: number;
  readonly atMs: number;
}

export interface RecordingProxy {
  readonly server: string;
  readonly caPem: string;
  /** In the order of their answers; a watch counts when it has begun. */
  readonly calls: readonly SeenCall[];
  close(): Promise<void>;
}

export async function startRecordingProxy(target: {
  readonly server: string;
  readonly caPem: string;
}): Promise<RecordingProxy> {
  const keys = await makeControlPlaneKeys();
  const calls: SeenCall[] = [];
  const listener = createServer({ cert: keys.server.cert, key: keys.server.key }, (incoming, outgoing) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    let body = "";
    incoming.on("data", (piece: Buffer) => (body += piece.toString("utf8")));
    const token = (headers.authorization ?? "").replace(/^Bearer /u, "");
    const said = { method, path, contentType: headers["content-type"], accept: headers.accept, token };
    forwardCall(target, incoming, outgoing, (status) => calls.push({ ...said, body, status, atMs: Date.now() }));
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    server: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    caPem: keys.ca.cert,
    calls,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        listener.closeAllConnections();
      }),
  };
}
