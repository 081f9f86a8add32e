import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createForgeHttp } from "../../../src/forge/forge-http.ts";
import { createHttpsTransport } from "../../../src/kube/https-transport.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { startScriptedServer } from "../../unit/kube/scripted-server.ts";

const mebibyte = 1024 * 1024;
/** More than any client reads before its deadline. */
const mostSentBytes = 1024 * mebibyte;

interface Hostile {
  readonly what: string;
  /** Bytes of HTTP that come first. */
  readonly head: string;
  /** What is sent again and again for as long as the client reads. */
  readonly piece: string;
  /** The deadline of the call ends it, not a number of bytes; none of them is kept. */
  readonly isEndedByDeadline?: boolean;
}

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;
const hostiles: readonly Hostile[] = [
  { what: "a header without an end", head: `${head}x-a: `, piece: "a".repeat(65_536) },
  { what: "headers without an end", head, piece: `x-a: ${"b".repeat(100)}\r\n`.repeat(600) },
  {
    what: "a status line without an end",
    head: "HTTP/1.1 200 ",
    piece: "a".repeat(65_536),
    isEndedByDeadline: true,
  },
  {
    what: "early hints without an end",
    head: "",
    piece: "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(1600),
  },
  {
    what: "the extension of a chunk without an end",
    head: `${chunked}1;a=`,
    piece: "a".repeat(65_536),
    isEndedByDeadline: true,
  },
  {
    what: "trailers without an end",
    head: `${chunked}2\r\n{}\r\n0\r\n`,
    piece: `x-a: ${"b".repeat(100)}\r\n`.repeat(600),
  },
  { what: "a body of chunks of one byte", head: chunked, piece: "1\r\n \r\n".repeat(10_000), isEndedByDeadline: true },
  {
    what: "a body that is longer than its content-length",
    head: `${head}content-length: 2\r\n\r\n{`,
    piece: "x".repeat(65_536),
  },
];

/** Sends for as long as the client reads; returns how many bytes the server sent. */
function flood(response: ServerResponse, { head, piece }: Hostile): () => number {
  const { socket } = response;
  if (socket === null) throw new Error("the response has no socket");
  let sentBytes = 0;
  socket.on("error", () => undefined);
  socket.write(head);
  const send = (): void => {
    while (sentBytes < mostSentBytes && socket.writable) {
      sentBytes += piece.length;
      if (!socket.write(piece)) return void socket.once("drain", send);
    }
    socket.destroy();
  };
  send();
  return () => sentBytes;
}

describe("A64 the API server of a member with a hostile administrator", () => {
  for (const [name, createTransport] of Object.entries({ createUndiciTransport, createHttpsTransport })) {
    it.each(hostiles)(`A64 is given up by ${name} for $what`, async (hostile) => {
      const sent: (() => number)[] = [];
      const server = await startScriptedServer((_request, response) => void sent.push(flood(response, hostile)));
      onTestFinished(() => server.stop());
      const transport = createTransport(server.connection());
      const api = createKubeApi({ transport, clock: realClock, random: realRandom, timeoutMs: 1500 });
      onTestFinished(() => api.close());
      const beforeBytes = process.memoryUsage().rss;
      const read = api.get({ type: resourceTypes.configMap, namespace: "a", name: "b" });
      await expect(read).rejects.toMatchObject({ code: expect.stringMatching(/^E_KUBE_/u) as string });
      const sentBytes = sent.reduce((sum, bytes) => sum + bytes(), 0);
      expect(sentBytes).toBeLessThan(hostile.isEndedByDeadline === true ? mostSentBytes : 16 * mebibyte);
      expect(process.memoryUsage().rss - beforeBytes).toBeLessThan(128 * mebibyte);
    });

    it(`A64 sends nothing to where a redirect leads: ${name}`, async () => {
      const other = await startScriptedServer((_request, response) => void response.end("{}"));
      onTestFinished(() => other.stop());
      const server = await startScriptedServer((_request, response) => {
        response.writeHead(307, { location: `${other.url}/api/v1` }).end();
      });
      onTestFinished(() => server.stop());
      const transport = createTransport(server.connection());
      const api = createKubeApi({ transport, clock: realClock, random: realRandom, timeoutMs: 1500 });
      onTestFinished(() => api.close());
      const read = api.get({ type: resourceTypes.configMap, namespace: "a", name: "b" });
      await expect(read).rejects.toMatchObject({ code: expect.stringMatching(/^E_KUBE_/u) as string });
      expect(other.requests).toEqual([]);
    });
  }
});

it("A64 early hints without an end are given up by a forge", async () => {
  const hints = hostiles.find(({ what }) => what.startsWith("early hints"));
  if (hints === undefined) throw new Error("there are no early hints");
  const sent: (() => number)[] = [];
  const server = createServer((_request, response) => void sent.push(flood(response, hints)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const timeouts = { answerMs: 60_000, totalMs: 10_000 };
  const http = createForgeHttp({ apiUrl, token: "t0ken-of-the-forge", headers: {}, clock: realClock, timeouts });
  onTestFinished(() => http.close());
  const read = http.send({ action: "read it", method: "GET", path: "/x" });
  await expect(read).rejects.toMatchObject({ code: "E_FORGE_UNREACHABLE" });
  expect(sent.reduce((sum, bytes) => sum + bytes(), 0)).toBeLessThan(16 * mebibyte);
});
