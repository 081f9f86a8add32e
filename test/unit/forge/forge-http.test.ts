import { afterEach, describe, expect, it } from "vitest";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AppError } from "../../../src/core/errors.ts";
import { createForgeHttp, segment } from "../../../src/forge/forge-http.ts";
import type { ForgeHttp, ForgeHttpOptions, ForgeRequest } from "../../../src/forge/forge-http.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import {
  answerJson,
  closedPort,
  startScriptedProxy,
  startScriptedServer,
  startTcpServer,
} from "../kube/scripted-server.ts";
import type { ScriptedServer, Script } from "../kube/scripted-server.ts";

const token = "s3cr3t-t0ken-of-the-forge";
const get: ForgeRequest = { action: "read it", method: "GET", path: "/thing" };
const post: ForgeRequest = { action: "write it", method: "POST", path: "/thing", body: { a: 1 } };

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

interface PlainServer {
  readonly url: string;
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
  readonly lines: string[];
}

/** A server without TLS, whose certificates would cost more than all the rest. */
async function startServer(script: (response: ServerResponse, path: string) => void): Promise<PlainServer> {
  const requests: { headers: IncomingHttpHeaders; body: string }[] = [];
  const lines: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
      lines.push(`${request.method} ${request.url}`);
      script(response, request.url ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, lines };
}

/** A server with an unknown certificate. */
async function startTlsServer(script: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  stops.push(() => server.stop());
  return server;
}

function open(apiUrl: string, options: Partial<ForgeHttpOptions> = {}): ForgeHttp {
  const http = createForgeHttp({
    apiUrl,
    headers: { authorization: `Bearer ${token}` },
    token,
    clock: createManualClock(),
    ...options,
  });
  stops.push(() => http.close());
  return http;
}

async function failure(promise: Promise<unknown>): Promise<AppError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error(`no AppError: ${String(error)}`);
  return error;
}

describe("createForgeHttp", () => {
  it.each([
    { link: ['</thing?page=2>; rel="next"'], hasNextPage: true },
    { link: ['</thing?page=1>; rel="prev"'], hasNextPage: false },
    { link: ['</style.css>; rel="preload"'], hasNextPage: undefined },
    { link: ['</style.css>; rel="preload"', '</thing?page=2>; rel="next"'], hasNextPage: true },
  ])("reads whether a list continues from all links of an answer: $link", async ({ link, hasNextPage }) => {
    const { url } = await startServer((response) =>
      response.writeHead(200, { "content-type": "application/json", link }).end("[]"),
    );
    const http = createForgeHttp({ apiUrl: url, headers: {}, token, clock: createManualClock() });
    stops.push(() => http.close());
    expect(await http.send(get)).toEqual({ json: [], hasNextPage });
  });

  it("sends token, query and JSON, and gives the answer's JSON", async () => {
    const server = await startServer((response) => answerJson(response, 200, { ok: true }));
    const http = open(`${server.url}/api`);
    const answer = await http.send({ ...post, query: { page: 2, name: "a b&c" } });
    expect(answer).toEqual({ json: { ok: true }, hasNextPage: undefined });
    expect(server.lines).toEqual(["POST /api/thing?page=2&name=a+b%26c"]);
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${token}`,
      "user-agent": "rollcall",
      accept: "application/json",
      "content-type": "application/json",
    });
    expect(server.requests[0]?.body).toBe('{"a":1}');
  });

  it("gives nothing for an answer without content", async () => {
    const server = await startServer((response) => response.writeHead(204).end());
    expect(await open(server.url).send(get)).toEqual({
      json: undefined,
      hasNextPage: undefined,
    });
  });

  it.each([
    { status: 400, code: "E_FORGE_REFUSED", recovery: "stalled" },
    { status: 401, code: "E_FORGE_AUTH", recovery: "stalled" },
    { status: 403, code: "E_FORGE_FORBIDDEN", recovery: "stalled" },
    { status: 404, code: "E_FORGE_NOT_FOUND", recovery: "stalled" },
    { status: 409, code: "E_FORGE_REFUSED", recovery: "stalled" },
    { status: 410, code: "E_FORGE_NOT_FOUND", recovery: "stalled" },
    { status: 422, code: "E_FORGE_REFUSED", recovery: "stalled" },
    { status: 429, code: "E_FORGE_THROTTLED", recovery: "transient" },
    { status: 500, code: "E_FORGE_SERVER", recovery: "transient" },
    { status: 502, code: "E_FORGE_SERVER", recovery: "transient" },
    { status: 503, code: "E_FORGE_SERVER", recovery: "transient" },
  ])("$status is $code, with the forge's reason", async ({ status, code, recovery }) => {
    const server = await startServer((response) => answerJson(response, status, { message: "because\nI say so" }));
    const error = await failure(open(server.url).send(get));
    expect(error).toMatchObject({ code, recovery, data: { statusCode: status } });
    expect(error.message).toMatch(/^read it: http:\/\/127\.0\.0\.1:\d+ .* \(HTTP \d+\): because I say so$/u);
  });

  it.each([
    {
      shape: { errors: [{ message: "one" }, { code: "two" }], message: "Validation Failed" },
      said: "Validation Failed; one; two",
    },
    { shape: { message: ["in a list"] }, said: "in a list" },
    { shape: { error: "insufficient_scope", error_description: "needs api" }, said: "needs api" },
    { shape: { error: "alone" }, said: "alone" },
    { shape: ["no object"], said: "" },
    { shape: { message: { deep: true } }, said: "" },
    { shape: { message: `${"x".repeat(400)}` }, said: `${"x".repeat(300)}...` },
    { shape: { message: "\u001b[31mred\u202e" }, said: "[31mred" },
  ])("reads the reason from $shape", async ({ shape, said }) => {
    const server = await startServer((response) => answerJson(response, 422, shape));
    const error = await failure(open(server.url).send(get));
    expect(error.message.split("(HTTP 422)")[1]).toBe(said === "" ? "" : `: ${said}`);
  });

  it.each([200, 401, 403, 404, 500, 502])("shows nothing of a page of HTML (%d)", async (status) => {
    const server = await startServer((response) =>
      response.writeHead(status, { "content-type": "text/html" }).end("<html><script>alert(1)</script> Sign in</html>"),
    );
    const error = await failure(open(server.url).send(get));
    expect(error.code).toMatch(/^E_FORGE_/u);
    if (status === 200) expect(error.code).toBe("E_FORGE_PROTOCOL");
    expect(JSON.stringify(error)).not.toMatch(/script|Sign in/u);
  });

  it.each([
    { reason: "no JSON though it declares it", type: "application/json", body: "{" },
    { reason: "JSON that does not declare it", type: "text/plain", body: "{}" },
  ])("does not take $reason", async ({ type, body }) => {
    const server = await startServer((response) => response.writeHead(200, { "content-type": type }).end(body));
    expect(await failure(open(server.url).send(get))).toMatchObject({
      code: "E_FORGE_PROTOCOL",
    });
  });

  it("stops reading an answer that is too long", async () => {
    const server = await startServer((response) => answerJson(response, 200, "x".repeat(5000)));
    const error = await failure(open(server.url, { maximumBytes: 1000 }).send(get));
    expect(error).toMatchObject({ code: "E_FORGE_PROTOCOL" });
  });

  it("reports that nothing listens, the certificate is unknown, or nothing is answered in time", async () => {
    const nobody = await failure(open(`https://127.0.0.1:${await closedPort()}`).send(get));
    expect(nobody).toMatchObject({
      code: "E_FORGE_UNREACHABLE",
      recovery: "transient",
      data: { reason: "ECONNREFUSED" },
    });
    const server = await startTlsServer(() => undefined);
    const untrusted = await failure(open(server.url).send(get));
    expect(untrusted).toMatchObject({ code: "E_FORGE_UNREACHABLE", recovery: "stalled" });
    expect(untrusted.message).toContain("its certificate is not trusted");
    expect(untrusted.remedy).toContain("NODE_EXTRA_CA_CERTS");
    const silent = await failure(open(server.url, { caBundle: server.caPem, timeouts: { answerMs: 50 } }).send(get));
    expect(silent).toMatchObject({ code: "E_FORGE_UNREACHABLE", data: { reason: "UND_ERR_HEADERS_TIMEOUT" } });
  });

  it("tries a read again when the connection was closed meanwhile, and a write never", async () => {
    let connections = 0;
    const server = await startTcpServer((socket) => {
      connections++;
      if (connections % 2 === 1) return void socket.destroy();
      socket.end(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
      );
    });
    stops.push(server.stop);
    const http = open(`http://127.0.0.1:${server.port}`);
    expect((await http.send(get)).json).toEqual({});
    expect(connections).toBe(2);
    expect(await failure(http.send(post))).toMatchObject({ code: "E_FORGE_UNREACHABLE" });
    expect(connections).toBe(3);
  });

  it("stops with its signal", async () => {
    let received: () => void = () => undefined;
    const isReceived = new Promise<void>((resolve) => (received = resolve));
    const server = await startServer(() => received());
    const abort = new AbortController();
    const running = open(server.url).send({ ...get, signal: abort.signal });
    await isReceived;
    abort.abort(new Error("stopped by the test"));
    await expect(running).rejects.toThrow("stopped by the test");
  });

  it("is sent through a proxy with the proxy's credentials", async () => {
    const server = await startTlsServer((_, response) => answerJson(response, 200, {}));
    const proxy = await startScriptedProxy();
    stops.push(proxy.stop);
    const proxyUrl = proxy.url.replace("http://", "http://user:p%40ss@");
    await open(server.url, { caBundle: server.caPem, proxyUrl }).send(get);
    expect(proxy.asked[0]).toContain(`CONNECT 127.0.0.1:${server.port}`);
    expect(proxy.asked[0]).toContain(`Basic ${Buffer.from("user:p@ss").toString("base64")}`);
    expect(server.requests[0]?.headers["proxy-authorization"]).toBeUndefined();
  });
});

describe("A30 the token", () => {
  it("does not follow a redirect to another origin", async () => {
    const evil = await startServer((response) => answerJson(response, 200, {}));
    const server = await startServer((response) => response.writeHead(301, { location: `${evil.url}/thing` }).end());
    const http = open(server.url);
    const error = await failure(http.send(get));
    expect(error).toMatchObject({ code: "E_FORGE_PROTOCOL", data: { redirectOrigin: evil.url } });
    expect(evil.requests).toEqual([]);
  });

  it.each([301, 302, 307, 308])("follows a redirect within its origin for a read (%d)", async (status) => {
    const server = await startServer((response, path) =>
      path === "/thing"
        ? void response.writeHead(status, { location: "/repositories/7/thing" }).end()
        : answerJson(response, 200, { path }),
    );
    const answer = await open(server.url).send(get);
    expect(answer.json).toEqual({ path: "/repositories/7/thing" });
  });

  it("repeats a write only where the redirect declares that it is still a write", async () => {
    let status = 302;
    const server = await startServer((response, path) =>
      path === "/thing" ? void response.writeHead(status, { location: "/other" }).end() : answerJson(response, 201, {}),
    );
    const http = open(server.url);
    expect(await failure(http.send(post))).toMatchObject({ code: "E_FORGE_PROTOCOL" });
    status = 307;
    await http.send(post);
    expect(server.lines).toEqual(["POST /thing", "POST /thing", "POST /other"]);
    expect(server.requests[2]?.body).toBe('{"a":1}');
  });

  it("writes to a repository that was renamed: Gitea answers each request by its old name with 301", async () => {
    const server = await startServer((response, path) =>
      path === "/thing" ? void response.writeHead(301, { location: "/other" }).end() : answerJson(response, 201, {}),
    );
    await open(server.url).send(post);
    expect(server.requests.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}']);
    expect(server.lines).toEqual(["POST /thing", "POST /other"]);
  });

  it("does not run in circles", async () => {
    const server = await startServer((response) => response.writeHead(302, { location: "/thing" }).end());
    expect(await failure(open(server.url).send(get))).toMatchObject({
      code: "E_FORGE_PROTOCOL",
    });
    expect(server.requests.length).toBeLessThan(6);
  });

  it("A35 shows in no error, even when the forge sends it back", async () => {
    const server = await startServer((response) =>
      answerJson(response, 422, { message: `bad token ${token}`, errors: [{ message: token }] }),
    );
    const http = open(server.url);
    const errors = [
      await failure(http.send(get)),
      await failure(open(`https://127.0.0.1:${await closedPort()}`).send(get)),
    ];
    for (const error of errors) {
      const causes = [error.message, JSON.stringify(error), String(error.stack), String(error.cause)].join("\n");
      expect(causes).not.toContain(token);
    }
  });
});

describe("F19 rate limits", () => {
  const startMs = 1_700_000_000_000;

  it.each<{ reason: string; status: number; headers: Record<string, string>; waitMs: number }>([
    {
      reason: "GitHub's primary limit",
      status: 403,
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(startMs / 1000 + 60) },
      waitMs: 60_000,
    },
    {
      reason: "a reset far away",
      status: 429,
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9999999999" },
      waitMs: 3_600_000,
    },
    { reason: "a secondary limit", status: 403, headers: { "retry-after": "7" }, waitMs: 7000 },
    {
      reason: "a date",
      status: 429,
      headers: { "retry-after": new Date(startMs + 30_000).toUTCString() },
      waitMs: 30_000,
    },
    { reason: "no time", status: 429, headers: {}, waitMs: 60_000 },
    { reason: "nonsense", status: 429, headers: { "retry-after": "soon" }, waitMs: 60_000 },
    { reason: "no wait at all", status: 429, headers: { "retry-after": "0" }, waitMs: 1000 },
    { reason: "an outage that names a time", status: 503, headers: { "retry-after": "20" }, waitMs: 20_000 },
  ])("after $reason nothing is sent until the time has come", async ({ status, headers, waitMs }) => {
    const clock = createManualClock();
    await clock.advance(startMs - clock.nowMs());
    let isWell = false;
    const server = await startServer((response) =>
      answerJson(response, isWell ? 200 : status, {}, isWell ? {} : headers),
    );
    const http = open(server.url, { clock });
    const code = status === 503 ? "E_FORGE_SERVER" : "E_FORGE_THROTTLED";
    expect(await failure(http.send(get))).toMatchObject({ code, data: { retryAfterMs: waitMs } });
    isWell = true;
    await clock.advance(waitMs - 1);
    expect(await failure(http.send(get))).toMatchObject({ code: "E_FORGE_THROTTLED", data: { retryAfterMs: 1 } });
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await http.send(get);
    expect(server.requests).toHaveLength(2);
  });

  it("waits already when an answer declares that it was the last", async () => {
    const server = await startServer((response) =>
      answerJson(response, 200, {}, { "ratelimit-remaining": "0", "ratelimit-reset": "5" }),
    );
    const http = open(server.url);
    await http.send(get);
    expect(await failure(http.send(get))).toMatchObject({ code: "E_FORGE_THROTTLED", data: { retryAfterMs: 5000 } });
    expect(server.requests).toHaveLength(1);
  });

  it("knows GitHub's secondary limit by the page that it names", async () => {
    const documentation_url =
      "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits";
    const server = await startServer((response) =>
      answerJson(response, 403, { message: "slow down", documentation_url }),
    );
    const http = open(server.url);
    expect(await failure(http.send(get))).toMatchObject({ code: "E_FORGE_THROTTLED", data: { retryAfterMs: 60_000 } });
    expect(await failure(http.send(get))).toMatchObject({ code: "E_FORGE_THROTTLED" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("segment", () => {
  it.each([
    ["main", "main"],
    ["a/b", "a%2Fb"],
    ["..", "%2E%2E"],
    [".", "%2E"],
    ["a?b#c", "a%3Fb%23c"],
  ])("%s becomes %s", (text, expected) => {
    expect(segment(text)).toBe(expected);
  });
});
