import type { Writable } from "node:stream";
import type { Exchange } from "./exchange.ts";
import { startReply } from "./reply.ts";
import { openWebSocket, wantsWebSocket } from "./web-socket.ts";

/** The destination of a watch's frames: the body of an answer, or the messages of a WebSocket. */
export interface WatchSink {
  /** `onTaken` is called when the frame has left this process. */
  write(frame: Uint8Array, onTaken: () => void): void;
  end(): void;
  /** Breaks off. */
  destroy(): void;
}

/** Begins the answer. `onClose` is called once, when the client is disconnected or the watch has ended. */
export function openWatchSink(exchange: Exchange, contentType: string, onClose: () => void): WatchSink {
  const { request, response, warnings, audit } = exchange;
  if ("detachSocket" in response && wantsWebSocket(request)) {
    const form = contentType.startsWith("application/json") ? "text" : "binary";
    const socket = openWebSocket(request, response, onClose);
    audit?.started(101);
    return {
      write: (frame, onTaken) => socket.send(frame, form, onTaken),
      end: () => socket.end(),
      destroy: () => socket.destroy(),
    };
  }
  audit?.started(200);
  response.once("close", onClose);
  startReply(response, { statusCode: 200, contentType, warnings, headers: {} });
  if ("flushHeaders" in response) response.flushHeaders();
  else response.writeHead(200);
  const sink: Writable = response;
  return {
    write: (frame, onTaken) => {
      if (!response.destroyed) sink.write(frame, onTaken);
    },
    end: () => {
      if (!response.destroyed) response.end();
    },
    destroy: () => void response.destroy(),
  };
}
