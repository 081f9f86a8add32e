import { createHmac } from "node:crypto";
import { once } from "node:events";
import { request as sendRequest } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Log } from "../../../src/core/log.ts";
import { mayBeSigned, readWebhook } from "../../../src/forge/read-webhook.ts";
import { webhookRoute } from "../../../src/web/webhook-route.ts";
import { startWebServer } from "../../../src/web/web.ts";
import { heldBytes } from "../../support/held-bytes.ts";

const secret = "s3cret-of-the-hook";
const body = JSON.stringify({ repository: "acme/fleet", ref: "refs/heads/main" });
const signatureOf = (text: string, key: string) => `sha256=${createHmac("sha256", key).update(text).digest("hex")}`;

describe("POST /webhook", () => {
  let server: Awaited<ReturnType<typeof startWebServer>>;
  let wakes = 0;
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
  beforeAll(async () => {
    const route = webhookRoute(
      async (headers, bytes) => {
        const result = readWebhook({ headers, body: bytes, secrets: [secret] });
        if (result.kind === "refused") return result.reason === "malformed" ? "malformed" : "unsigned";
        if (result.kind === "hint") wakes += 1;
        return result.kind === "hint" ? "taken" : "ignored";
      },
      (headers) => mayBeSigned(headers, [secret]),
    );
    server = await startWebServer({ host: "127.0.0.1", port: 0, routes: [route], log });
  });
  afterAll(() => server.close());

  const post = async (text: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(`http://127.0.0.1:${server.port}/webhook`, { method: "POST", body: text, headers })).status;

  it("enqueues a run for a signed push, and for nothing else", async () => {
    expect(await post(body, { "x-rollcall-signature": signatureOf(body, secret) })).toBe(202);
    expect(wakes).toBe(1);
    expect(await post(body, {})).toBe(401);
    expect(await post(body, { "x-rollcall-signature": signatureOf(body, "another") })).toBe(401);
    expect(await post("{", { "x-rollcall-signature": signatureOf("{", secret) })).toBe(400);
    expect(wakes).toBe(1);
  });

  it("A34 does not read a giant body", async () => {
    const giant = "x".repeat(5 * 1024 * 1024);
    const before = wakes;
    expect(await post(giant, {})).toBe(401);
    expect(await post(giant, { "x-rollcall-signature": signatureOf("other", "another") })).toBe(413);
    expect(wakes).toBe(before);
  });

  /** A request whose body is announced and begun, never completed. */
  const begin = async (headers: Record<string, string>, sent: Buffer): Promise<ClientRequest> => {
    const request = sendRequest({ host: "127.0.0.1", port: server.port, method: "POST", path: "/webhook", headers });
    request.on("error", () => undefined); // the server may end it
    await new Promise<void>((resolve) => request.write(sent, () => resolve()));
    return request;
  };
  const fewBytes = Buffer.alloc(1_000, "x");
  const manyBytes = Buffer.alloc(Number(process.env["ROLLCALL_WEBHOOK_BYTES"] ?? 500_000), "x");
  const unfinished = { "content-length": String(4 * 1024 * 1024) };

  it("A34 refuses a body by its declared length, before any of it has arrived", async () => {
    const signature = signatureOf("other", "another");
    const request = await begin(
      { "content-length": String(5 * 1024 * 1024), "x-rollcall-signature": signature },
      fewBytes,
    );
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(413);
    request.destroy();
  });

  it("A54 answers a request without a signature before its body has arrived", async () => {
    const request = await begin(unfinished, fewBytes);
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(401);
    request.destroy();
  });

  it("A54 refuses a token that is none of ours before the body has arrived", async () => {
    const request = await begin({ ...unfinished, "x-gitlab-token": "guess" }, fewBytes);
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(401);
    request.destroy();
  });

  it("A54 serves signed pushes within bounded memory while 400 bodies with forged signatures wait, and lets the oldest of them go", async () => {
    const forged = { ...unfinished, "x-rollcall-signature": signatureOf("other", "another") };
    const requests: ClientRequest[] = [];
    const refused: number[] = [];
    const heldBefore = heldBytes();
    const before = wakes;
    for (let index = 1; index <= 400; index += 1) {
      const request = await begin(forged, manyBytes);
      request.on("response", (answer) => refused.push(answer.statusCode ?? 0));
      requests.push(request);
      if (index % 100 > 0) continue;
      expect(await post(body, { "x-rollcall-signature": signatureOf(body, secret) })).toBe(202);
      expect(heldBytes() - heldBefore).toBeLessThan(128 * 1024 * 1024);
    }
    expect(wakes).toBe(before + 4);
    const kept = Math.ceil((32 * 1024 * 1024) / manyBytes.length);
    await expect.poll(() => refused.length).toBeGreaterThanOrEqual(400 - kept);
    expect(new Set(refused)).toEqual(new Set([503]));
    for (const request of requests) request.destroy();
  });

  it("A54 writes no line for a request that breaks off", async () => {
    lines.length = 0;
    const socket = connect(server.port, "127.0.0.1");
    const signature = signatureOf("other", "another");
    socket.write(
      `POST /webhook HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\nx-rollcall-signature: ${signature}\r\n\r\nxx`,
    );
    await once(socket, "connect");
    expect(await post(body, { "x-rollcall-signature": signatureOf(body, secret) })).toBe(202);
    socket.resetAndDestroy();
    await once(socket, "close");
    expect(await post(body, { "x-rollcall-signature": signatureOf(body, secret) })).toBe(202);
    expect(lines).toEqual([]);
  });
});
