import { constants } from "node:http2";
import { watchPieces } from "../../core/body-pieces.ts";
import { endConnection } from "./end-connection.ts";
import type { HubRequest, HubResponse } from "./http-server.ts";
import { bodyLimitBytes } from "./read-body.ts";

/**
 * Throws away a body that no verb reads, or its rest: by HTTP/2 a client may send a window of it to each of its
 * streams, which would stay here until the stream ends. It ends with the answer, or when more comes than a request may have.
 */
export function dropBody(request: HubRequest, response: HubResponse): void {
  // Of HTTP/1, Node stops reading a connection with an unread body.
  if (!("stream" in request)) return;
  const { stream } = request;
  if (stream.endAfterHeaders || stream.readableEnded || stream.destroyed) return;
  let leftBytes = bodyLimitBytes;
  const isTooSmall = watchPieces();
  request.on("data", (chunk: Buffer) => {
    leftBytes -= chunk.length;
    if (isTooSmall(chunk.length)) endConnection(request);
    if (leftBytes < 0) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
  request.resume();
  response.once("finish", () => stream.close(constants.NGHTTP2_NO_ERROR));
}
