import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";

/** A way to a server that a test can close and open. */
export interface Gate {
  readonly url: string;
  /** No client gets through, and those that are connected are cut off. */
  close(): Promise<void>;
  /** Opens again on the same port. */
  open(): Promise<void>;
  /** Connections that came through since the start. */
  readonly connections: number;
  stop(): Promise<void>;
}

/** A TCP gate: the bytes go through as they are, so the server's own certificate is seen. */
export async function openGate(serverUrl: string): Promise<Gate> {
  return makeGate(serverUrl, (onSocket) => createServer(onSocket), plainTo);
}

/** A gate that ends TLS with a certificate of its own, as a hub with a new CA or a man in the middle does. */
export async function openTlsGate(
  serverUrl: string,
  tls: { readonly cert: string; readonly key: string; readonly serverCa: string },
): Promise<Gate> {
  const { cert, key, serverCa } = tls;
  return makeGate(
    serverUrl,
    (onSocket) => createTlsServer({ cert, key, ALPNProtocols: ["http/1.1"] }, onSocket),
    (url) => connectTls({ host: url.hostname, port: Number(url.port), ca: serverCa, ALPNProtocols: ["http/1.1"] }),
  );
}

async function makeGate(
  serverUrl: string,
  createListener: (onSocket: (socket: Socket) => void) => Server,
  connectOn: (url: URL) => Socket,
): Promise<Gate> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let connections = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const makeServer = () =>
    createListener((incoming) => {
      connections++;
      const outgoing = connectOn(target);
      for (const socket of [incoming, outgoing]) keep(socket);
      incoming.pipe(outgoing);
      outgoing.pipe(incoming);
      incoming.once("close", () => outgoing.destroy());
      outgoing.once("close", () => incoming.destroy());
    });
  let server = makeServer();
  const port = await listen(server, 0);
  const shut = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: `https://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    close: shut,
    open: async () => {
      server = makeServer();
      await listen(server, port);
    },
    stop: async () => {
      if (server.listening) await shut();
    },
  };
}

function plainTo(url: URL): Socket {
  return connect({ host: url.hostname, port: Number(url.port) });
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.on("tlsClientError", () => undefined); // the client did not like the certificate: that is what is tested
    server.listen(port, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}
