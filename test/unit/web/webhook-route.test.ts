import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { readWebhook } from "../../../src/forge/read-webhook.ts";
import { webhookRoute } from "../../../src/web/webhook-route.ts";
import { startWebServer } from "../../../src/web/web.ts";

const secret = "s3cret-of-the-hook";
const body = JSON.stringify({ repository: "acme/fleet", ref: "refs/heads/main" });
const signatureOf = (text: string, key: string) => `sha256=${createHmac("sha256", key).update(text).digest("hex")}`;

describe("POST /webhook", () => {
  let server: Awaited<ReturnType<typeof startWebServer>>;
  let wakes = 0;
  beforeAll(async () => {
    const route = webhookRoute(async (headers, bytes) => {
      const verdict = readWebhook({ headers, body: bytes, secrets: [secret] });
      if (verdict.kind === "refused") return verdict.reason === "malformed" ? "malformed" : "unsigned";
      if (verdict.kind === "hint") wakes += 1;
      return verdict.kind === "hint" ? "taken" : "ignored";
    });
    server = await startWebServer({ host: "127.0.0.1", port: 0, routes: [route], log: silentLog });
  });
  afterAll(() => server.close());

  const post = async (text: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(`http://127.0.0.1:${server.port}/webhook`, { method: "POST", body: text, headers })).status;

  it("wakes for a signed push, and for nothing else", async () => {
    expect(await post(body, { "x-rollcall-signature": signatureOf(body, secret) })).toBe(202);
    expect(wakes).toBe(1);
    expect(await post(body, {})).toBe(401);
    expect(await post(body, { "x-rollcall-signature": signatureOf(body, "another") })).toBe(401);
    expect(await post("{", { "x-rollcall-signature": signatureOf("{", secret) })).toBe(400);
    expect(wakes).toBe(1);
  });

  it("A34 does not read a giant body", async () => {
    expect(await post("x".repeat(5 * 1024 * 1024), {})).toBe(413);
    expect(wakes).toBe(1);
  });
});
