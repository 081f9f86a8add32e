import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest } from "../failures/failures.ts";
import type { HubRequest } from "./http-server.ts";
import { encodeFrame, readFrames } from "./web-socket-frames.ts";

/** The sending end of a WebSocket; what the client sends is thrown away. Source: RFC 6455. */
export interface WebSocketSender {
  /** `onSent` is called when the message has left this process. */
  send(message: Uint8Array, form: "text" | "binary", onSent: () => void): void;
  /** Closes with a close frame. */
  end(): void;
  /** Closes without a close frame: the connection breaks. */
  destroy(): void;
}

const acceptanceSalt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const version = "13";
const bearerPrefix = "base64url.bearer.authorization.k8s.io.";
const normalClosure = 1000;

/** True for a request to upgrade to a WebSocket. */
export function wantsWebSocket(request: HubRequest): boolean {
  const { connection = "", upgrade = "" } = request.headers;
  const isUpgrade = connection.split(",").some((token) => token.trim().toLowerCase() === "upgrade");
  return request.httpVersionMajor === 1 && isUpgrade && upgrade.toLowerCase() === "websocket";
}

/**
 * Switches the connection of a request to the WebSocket protocol. Throws 400 for a handshake that is none, 403 without
 * an Origin, as kube-apiserver does.
 */
export function openWebSocket(request: HubRequest, response: ServerResponse, onClose: () => void): WebSocketSender {
  const { headers } = request;
  const key = headers["sec-websocket-key"];
  if (headers["sec-websocket-version"] !== version) throw badRequest(`Sec-WebSocket-Version must be ${version}`);
  if (typeof key !== "string" || key === "") throw badRequest("Sec-WebSocket-Key is missing");
  if ((headers.origin ?? "") === "") throw new ApiFailure(403, "Forbidden", "Forbidden: a WebSocket needs an Origin");
  const accept = createHash("sha1").update(`${key}${acceptanceSalt}`).digest("base64");
  const protocol = protocolOf(headers["sec-websocket-protocol"]);
  response.writeHead(101, {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-accept": accept,
    ...(protocol === undefined ? {} : { "sec-websocket-protocol": protocol }),
  });
  response.flushHeaders();
  // The response is that of the connection until it closes, and reports that.
  return senderOf(request.socket, onClose);
}

function senderOf(socket: Socket, onClose: () => void): WebSocketSender {
  let hasSentClose = false;
  const sendClose = (payload: Uint8Array): void => {
    if (hasSentClose) return;
    hasSentClose = true;
    socket.end(encodeFrame("close", payload));
  };
  const frames = readFrames({
    onPing: answerLatest((payload, onSent) => {
      if (!hasSentClose && !socket.destroyed) socket.write(encodeFrame("pong", payload), onSent);
    }),
    onClose: sendClose,
  });
  socket.on("data", (chunk: Buffer) => {
    if (!frames.take(chunk)) socket.destroy();
  });
  socket.once("close", onClose);
  return {
    send: (message, form, onSent) => {
      if (!hasSentClose && !socket.destroyed) socket.write(encodeFrame(form, message), onSent);
    },
    end: () => {
      const code = Buffer.alloc(2);
      code.writeUInt16BE(normalClosure);
      sendClose(code);
    },
    destroy: () => socket.destroy(),
  };
}

/** While an answer has not left this process, only the latest ping waits: RFC 6455 section 5.5.3 asks for no more. */
function answerLatest(send: (payload: Uint8Array, onSent: () => void) => void): (payload: Uint8Array) => void {
  let latest: Uint8Array | undefined;
  let isSending = false;
  const sendNext = (): void => {
    const payload = latest;
    latest = undefined;
    isSending = payload !== undefined;
    if (payload !== undefined) send(payload, sendNext);
  };
  return (payload) => {
    latest = payload;
    if (!isSending) sendNext();
  };
}

/** The first that the client offers; one that carries a token is not a protocol. */
function protocolOf(header: string | string[] | undefined): string | undefined {
  const offered = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",").map((name) => name.trim());
  return offered.find((name) => /^[\w.!#$%&'*+^`|~-]+$/u.test(name) && !name.startsWith(bearerPrefix));
}
