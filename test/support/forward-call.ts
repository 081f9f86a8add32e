import { request } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";

/** A call goes through to the API server as it is, and so does the answer, while it comes. */
export function forwardCall(
  { server, caPem }: { readonly server: string; readonly caPem: string },
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  onAnswer: (status: number) => void = () => undefined,
): void {
  const { host: _, ...headers } = incoming.headers;
  const passed = request(
    new URL(incoming.url ?? "/", server),
    { method: incoming.method, headers, ca: caPem },
    (reply) => {
      onAnswer(reply.statusCode ?? 502);
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      outgoing.flushHeaders();
      reply.pipe(outgoing);
      reply.on("error", () => outgoing.destroy());
    },
  );
  passed.on("error", () => outgoing.destroy());
  outgoing.on("close", () => passed.destroy());
  incoming.pipe(passed);
}
