import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { boundConnections, boundPipelines, refuseExpectations } from "../core/bound-connections.ts";
import type { AgentState } from "./agent-state.ts";

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

const mostConnections = 100;
const headerLimitBytes = 8 * 1024;
/** A probe that never ends its request must not keep a socket for ever. */
const deadlines = { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 };

/** Answers probes: /livez while the process runs, /readyz when the agent has reported. */
export async function startHealthServer(
  { host, port }: { readonly host: string; readonly port: number },
  state: Readonly<AgentState>,
): Promise<HealthServer> {
  const isToAnswer = boundPipelines();
  const server = createServer({ ...deadlines, maxHeaderSize: headerLimitBytes }, (request, response) => {
    if (!isToAnswer(request, response)) return;
    const path = request.url?.split("?")[0];
    const isOk = path === "/livez" || path === "/healthz" || (path === "/readyz" && state.hasReported);
    response.writeHead(isOk ? 200 : path === "/readyz" ? 503 : 404, { "content-type": "text/plain" });
    response.end(isOk ? "ok\n" : path === "/readyz" ? "has not reported yet\n" : "not found\n");
  });
  refuseExpectations(server, isToAnswer);
  boundConnections(server, mostConnections);
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
