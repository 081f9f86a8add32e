import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { constants } from "node:http2";

/**
 * Ends the connection that a request came on. What else its client has sent is not read either. A session of HTTP/2 whose client
 * takes nothing more ends as an unresponsive one.
 */
export function endConnection(request: IncomingMessage | Http2ServerRequest): void {
  if ("stream" in request) request.stream.session?.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  else request.socket.destroy();
}
