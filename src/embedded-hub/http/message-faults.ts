import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest } from "../failures/failures.ts";
import type { HubRequest } from "./http-server.ts";

const hostCharacters = /^[\w!$%&()*+,\-.:;='[\]~]*$/u;

/**
 * Throws for a message of HTTP/1 that a proxy in front of the hub could read otherwise: 400 without one sound Host header,
 * and for a body beside an Upgrade, which Node does not read; 501 for a transfer encoding besides chunked, 505 for another
 * version. Source: Go, net/http readRequest.
 */
export function checkMessage(request: HubRequest): void {
  if ("stream" in request) return;
  const { httpVersion } = request;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    throw new ApiFailure(505, "", "HTTP Version Not Supported: unsupported protocol version");
  }
  const hosts = valuesOf(request, "host");
  if (hosts.length > 1) throw badRequest("too many Host headers");
  const [host] = hosts;
  if (host === undefined && httpVersion === "1.1") throw badRequest("missing required Host header");
  if (host !== undefined && !hostCharacters.test(host)) throw badRequest("malformed Host header");
  if (isUpgrade(request) && hasBody(request)) {
    throw badRequest("a request that asks for another protocol may not have a body");
  }
  const encodings = valuesOf(request, "transfer-encoding");
  if (encodings.length > 1 || encodings.some((encoding) => encoding.toLowerCase() !== "chunked")) {
    throw new ApiFailure(501, "", "Unsupported transfer encoding");
  }
}

/** Node joins headers that occur twice, or drops the second. */
function valuesOf({ rawHeaders }: HubRequest, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

function hasBody({ headers }: HubRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? "0") !== 0;
}

/** As Node decides whether to emit `upgrade`. */
function isUpgrade({ headers }: HubRequest): boolean {
  return headers.upgrade !== undefined && /(?:^|[\s,])upgrade(?:[\s,]|$)/iu.test(headers.connection ?? "");
}
