import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AgentState } from "./agent-state.ts";

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Answers probes: /livez while the process runs, /readyz when the agent has reported. */
export async function startHealthServer(
  { host, port }: { readonly host: string; readonly port: number },
  state: Readonly<AgentState>,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0];
    const isOk = path === "/livez" || path === "/healthz" || (path === "/readyz" && state.hasReported);
    response.writeHead(isOk ? 200 : path === "/readyz" ? 503 : 404, { "content-type": "text/plain" });
    response.end(isOk ? "ok\n" : path === "/readyz" ? "has not reported yet\n" : "not found\n");
  });
  // A probe that never ends its request must not keep a socket for ever.
  server.requestTimeout = 5000;
  server.headersTimeout = 5000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return {
    port: portOf(server.address()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}
