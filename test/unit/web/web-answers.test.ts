import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Log } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { WebRequest, WebRoute, WebServer, WebSink } from "../../../src/web/web.ts";
import { startWebServer } from "../../../src/web/web.ts";
import { BodyRefusal } from "../../../src/web/request-bodies.ts";

const running: WebServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function serve(routes: readonly WebRoute[], log: Log = silentLog): Promise<string> {
  const server = await startWebServer({ host: "127.0.0.1", port: 0, routes, log });
  running.push(server);
  return `http://127.0.0.1:${server.port}`;
}

/** A route that answers with its own path. */
function routeAt(path: string, method: WebRoute["method"] = "GET"): WebRoute {
  return { method, path, answer: () => ({ body: `${method} ${path}` }) };
}

/** Sends a request as it is, and gives the whole answer. */
async function send(origin: string, head: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  let text = "";
  socket.on("data", (piece: Buffer) => (text += String(piece)));
  socket.write(`${head}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  await once(socket, "close");
  return text;
}

it("answers a client of HTTP/1.0, which names no host", async () => {
  const socket = connect(Number(new URL(await serve([routeAt("/a")])).port), "127.0.0.1");
  socket.write("GET /a HTTP/1.0\r\n\r\n");
  expect(String(await once(socket, "data"))).toMatch(/^HTTP\/1\.1 200 /u);
  socket.destroy();
});

it("refuses a request with two hosts, of which a proxy in front may read the other one", async () => {
  const origin = await serve([routeAt("/a")]);
  expect(await send(origin, "GET /a HTTP/1.1")).toMatch(/^HTTP\/1\.1 200 /u);
  expect(await send(origin, "GET /a HTTP/1.1\r\nHost: localhost")).toMatch(
    /^HTTP\/1\.1 400 [^]*too many Host headers\n$/u,
  );
});

describe("the route of a request", () => {
  const routes = [
    ...["/a", "/a/", "/a/b/", "/a/b/c", "/", "*"].map((path) => routeAt(path)),
    routeAt("/a", "POST"),
    { ...routeAt("/once"), isUsedUp: true },
  ];

  it.each([
    ["/", "GET /"],
    ["/a", "GET /a"],
    ["/a?b", "GET /a"],
    ["/a/", "GET /a/"],
    ["/a/x", "GET /a/"],
    ["/a/b", "GET /a/"],
    ["/a/b/x/y", "GET /a/b/"],
    ["/a/b/c", "GET /a/b/c"],
    ["/ab", "GET *"],
    ["/%61", "GET *"],
  ])("of %s is %s", async (path, body) => {
    expect(await (await fetch(`${await serve(routes)}${path}`)).text()).toBe(body);
  });

  it.each([
    ["POST", "/a", 200, null],
    ["HEAD", "/a", 200, null],
    ["HEAD", "/unknown", 200, null],
    ["HEAD", "/once", 405, "GET"],
    ["GET", "/once", 200, null],
    ["DELETE", "/a", 405, "GET, POST"],
    ["POST", "/a/b/c", 405, "GET"],
    ["POST", "/unknown", 404, null],
  ])("for %s %s has the status %d, and names what is allowed: %s", async (method, path, status, allow) => {
    const answer = await fetch(`${await serve(routes)}${path}`, { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([status, allow]);
  });

  it("is given the path as it was sent, the query behind the first mark, and the address of the client", async () => {
    const asked: Omit<WebRequest, "readBody">[] = [];
    const answer: WebRoute["answer"] = ({ readBody: _readBody, ...request }) => {
      asked.push(request);
      return { body: "" };
    };
    const origin = await serve([{ method: "GET", path: "/a/", answer }]);
    await send(origin, "GET /a/%2e%2e/b?c=d?e&f=%20 HTTP/1.1");
    expect(asked).toMatchObject([{ path: "/a/%2e%2e/b", remoteAddress: "127.0.0.1" }]);
    expect([...(asked[0]?.query ?? [])]).toEqual([
      ["c", "d?e"],
      ["f", " "],
    ]);
  });
});

describe("an answer", () => {
  it("is text that is not kept by default, with its size in bytes", async () => {
    const answer = await fetch(`${await serve([{ ...routeAt("/"), answer: () => ({ body: "ä" }) }])}/`);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-length": "2",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    expect([answer.status, await answer.text()]).toEqual([200, "ä"]);
  });

  it("has the status, the type and the headers of its route", async () => {
    const made = { status: 203, contentType: "text/css", headers: { "cache-control": "no-cache" }, body: "a{}" };
    const answer = await fetch(`${await serve([{ ...routeAt("/"), answer: () => made }])}/`);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      ...[203, "text/css", "no-cache"],
    ]);
  });

  it("that is a stream begins at once, and has no end for HEAD to wait for", async () => {
    let starts = 0;
    const stream: WebRoute["answer"] = () => ({
      contentType: "text/event-stream",
      start: (sink) => {
        starts += 1;
        sink.onClose(() => (starts -= 1));
      },
    });
    const origin = await serve([{ ...routeAt("/"), answer: stream }]);
    const head = await fetch(`${origin}/`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type"), starts]).toEqual([200, "text/event-stream", 0]);
    const open = await fetch(`${origin}/`);
    expect([open.headers.get("cache-control"), open.headers.get("x-content-type-options"), starts]).toEqual([
      ...["no-store", "nosniff", 1],
    ]);
    // A proxy such as nginx holds an answer back until it has some kilobytes of it.
    expect(open.headers.get("x-accel-buffering")).toBe("no");
    await open.body?.cancel();
    await expect.poll(() => starts).toBe(0);
  });

  it("to a body that is too large names the reason", async () => {
    const large: WebRoute = { ...routeAt("/", "POST"), answer: async ({ readBody }) => ({ body: await readBody(4) }) };
    const origin = await serve([large]);
    const refused = await fetch(`${origin}/`, { method: "POST", body: "12345" });
    expect([refused.status, await refused.text()]).toEqual([413, "too large\n"]);
  });

  it("to a body that there is no room for asks the client to come again", async () => {
    const refused = await fetch(
      `${await serve([{ ...routeAt("/"), answer: () => Promise.reject(new BodyRefusal(503)) }])}/`,
    );
    expect([refused.status, refused.headers.get("retry-after"), await refused.text()]).toEqual([
      ...[503, "5", "too many unfinished requests\n"],
    ]);
  });

  it("that is a stream continues when a client that was slow reads again", async () => {
    const text = "a".repeat(1024 * 1024);
    let lengthSent = 0;
    const start = (sink: WebSink): void => {
      const write = (): void => {
        do lengthSent += text.length;
        while (sink.write(text));
      };
      write();
      sink.onDrain(() => sink.end());
    };
    const origin = await serve([{ ...routeAt("/"), answer: () => ({ contentType: "text/event-stream", start }) }]);
    expect((await (await fetch(`${origin}/`)).text()).length).toBe(lengthSent);
  });

  it("of a route that throws is logged with its path alone", async () => {
    const lines: unknown[] = [];
    const log: Log = { ...silentLog, warn: (message, fields) => void lines.push([message, fields]) };
    const error = new Error("of the route");
    const origin = await serve([{ ...routeAt("/a"), answer: () => Promise.reject(error) }], log);
    expect((await fetch(`${origin}/a?token=t`)).status).toBe(500);
    expect(lines).toEqual([["answering a request failed", { path: "/a", error }]]);
  });
});

describe("the server", () => {
  it("does not start where another one listens", async () => {
    const { port } = new URL(await serve([]));
    const second = startWebServer({ host: "127.0.0.1", port: Number(port), routes: [], log: silentLog });
    await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it("refuses heads beyond 16 KiB", async () => {
    const origin = await serve([routeAt("/")]);
    expect(await send(origin, `GET / HTTP/1.1\r\nx: ${"a".repeat(15_000)}`)).toMatch(/^HTTP\/1.1 200 /u);
    expect(await send(origin, `GET / HTTP/1.1\r\nx: ${"a".repeat(17_000)}`)).toMatch(/^HTTP\/1.1 431 /u);
  });
});
