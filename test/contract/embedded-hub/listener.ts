import { silentLog } from "../../../src/core/log.ts";
import type { HttpServer, HttpServerOptions } from "../../../src/embedded-hub/http/http-server.ts";
import { startHttpServer } from "../../../src/embedded-hub/http/http-server.ts";
import type { ConnectionLimits } from "../../../src/embedded-hub/http/stranger-bound.ts";
import { connectionLimits } from "../../../src/embedded-hub/http/stranger-bound.ts";
import { realClock } from "../../support/real-time.ts";
import type { ClientTls } from "./hub-client.ts";

/** A listener alone, with limits of its own. It answers `x` by default. */
export function startListener(
  { ca, cert, key }: ClientTls,
  limits: Partial<ConnectionLimits>,
  onRequest: HttpServerOptions["onRequest"] = (_, response) => void response.end("x"),
): Promise<HttpServer> {
  return startHttpServer({
    host: "127.0.0.1",
    port: 0,
    certPem: cert,
    keyPem: key,
    clientCaPem: ca,
    clock: realClock,
    limits: { ...connectionLimits, ...limits },
    log: silentLog,
    onRequest,
  });
}
