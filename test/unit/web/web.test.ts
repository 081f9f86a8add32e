import { request } from "node:http";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { arrivalLimits } from "../../../src/core/arrivals.ts";
import { silentLog } from "../../../src/core/log.ts";
import { healthRoutes } from "../../../src/web/health-routes.ts";
import type { WebRoute, WebServer, WebServerOptions, WebSink } from "../../../src/web/web.ts";
import { startWebServer } from "../../../src/web/web.ts";

const running: WebServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function serve(
  routes: readonly WebRoute[],
  bounds: Pick<WebServerOptions, "stalledMs" | "mostConnections"> = {},
): Promise<string> {
  const server = await startWebServer({
    host: "127.0.0.1",
    port: 0,
    routes,
    log: silentLog,
    ...bounds,
  });
  running.push(server);
  return `http://127.0.0.1:${server.port}`;
}

async function openIdle(port: number, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let opened = 0; opened < count; opened += 1) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined).resume();
    sockets.push(socket);
    await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
  }
  return sockets;
}

describe("startWebServer", () => {
  const hello: WebRoute = {
    method: "GET",
    path: "/hello",
    answer: ({ query }) => ({ body: `hello ${query.get("name") ?? "you"}` }),
  };
  const echo: WebRoute = {
    method: "POST",
    path: "/echo",
    answer: async ({ readBody }) => ({ body: await readBody(8) }),
  };

  it("answers the routes it was given, with query and body", async () => {
    const origin = await serve([hello, echo]);
    expect(await (await fetch(`${origin}/hello?name=eu-1`)).text()).toBe("hello eu-1");
    expect(await (await fetch(`${origin}/echo`, { method: "POST", body: "12345678" })).text()).toBe("12345678");
  });

  it.each([
    ["GET", "/nothing", 404, "a path that no route has"],
    ["GET", "/hello/", 404, "a path that only resembles a route's"],
    ["DELETE", "/hello", 405, "a method that the path has not"],
    ["POST", "/echo", 413, "a body over its limit"],
  ])("refuses %s %s with %i: %s", async (method, path, status) => {
    const origin = await serve([hello, echo]);
    const body = method === "POST" ? { body: "123456789" } : {};
    const answer = await fetch(`${origin}${path}`, { method, ...body });
    expect(answer.status).toBe(status);
    if (status === 405) expect(answer.headers.get("allow")).toBe("GET");
  });

  it.each([
    ["GET", "/nothing", 404, "here is nothing"],
    ["POST", "/nothing", 404, "not found\n"],
    ["GET", "/hello", 200, "hello you"],
    ["DELETE", "/hello", 405, "not allowed\n"],
  ])("answers %s %s with %i where a route has all other paths", async (method, path, status, body) => {
    const elsewhere: WebRoute = { method: "GET", path: "*", answer: () => ({ status: 404, body: "here is nothing" }) };
    const answer = await fetch(`${await serve([elsewhere, hello])}${path}`, { method });
    expect([answer.status, await answer.text()]).toEqual([status, body]);
  });

  it("sends nothing of an error's text", async () => {
    const origin = await serve([
      {
        method: "GET",
        path: "/bad",
        answer: () => {
          throw new Error("password=hunter2");
        },
      },
    ]);
    const answer = await fetch(`${origin}/bad`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).toBe("internal error\n");
  });

  it("answers HEAD with the head alone", async () => {
    const origin = await serve([hello]);
    const answer = await fetch(`${origin}/hello`, { method: "HEAD" });
    expect(answer.headers.get("content-length")).toBe("9");
    expect(await answer.text()).toBe("");
  });

  it("A92 writes nothing behind the end of a streamed answer, which would end the process", async () => {
    let start: (sink: WebSink) => void = () => undefined;
    const opened = new Promise<WebSink>((resolve) => {
      start = resolve;
    });
    const origin = await serve([
      { method: "GET", path: "/events", answer: () => ({ contentType: "text/event-stream", start }) },
    ]);
    const answer = await fetch(`${origin}/events`);
    const sink = await opened;
    sink.write("first");
    sink.end();
    expect(sink.write("late")).toBe(false);
    expect(await answer.text()).toBe("first");
  });

  it("A92 disconnects a client that reads nothing of its answer", async () => {
    let note: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      note = resolve;
    });
    const start = (sink: WebSink): void => {
      sink.onClose(note);
      sink.write("x".repeat(16 * 1024 * 1024));
      sink.end();
    };
    const origin = await serve(
      [{ method: "GET", path: "/events", answer: () => ({ contentType: "text/event-stream", start }) }],
      { stalledMs: 100 },
    );
    const socket = connect(Number(new URL(origin).port), "127.0.0.1");
    socket.pause();
    socket.write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await ended;
    socket.destroy();
  });

  it("A135 asks a route for 16 answers at most when one packet asks two thousand times, and serves others", async () => {
    let asked = 0;
    const counted: WebRoute = {
      method: "GET",
      path: "/counted",
      answer: () => {
        asked += 1;
        return { body: "answer" };
      },
    };
    const origin = await serve([counted, hello]);
    const socket = connect(Number(new URL(origin).port), "127.0.0.1");
    socket.on("error", () => undefined).resume();
    socket.write("GET /counted HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(2_000));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(asked).toBeLessThanOrEqual(16);
    expect((await fetch(`${origin}/hello`)).status).toBe(200);
  });

  it("A135 ends a connection that asks two thousand times at once with an expectation", async () => {
    const socket = connect(Number(new URL(await serve([hello])).port), "127.0.0.1");
    let text = "";
    socket.on("error", () => undefined).on("data", (bytes: Buffer) => (text += bytes.toString()));
    socket.write("GET /hello HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n\r\n".repeat(2_000));
    await expect.poll(() => socket.destroyed).toBe(true);
    expect(text.split("HTTP/1.1 417 ").length - 1).toBeLessThanOrEqual(16);
  });

  it("A167 lets others have their turn while two hundred clients ask sixteen times in one packet each", async () => {
    let begun = 0;
    let asked = 0;
    let mostInTurn = 0;
    const counted: WebRoute = {
      method: "GET",
      path: "/counted",
      answer: () => {
        begun += 1;
        asked += 1;
        return { body: "answer" };
      },
    };
    const origin = await serve([counted]);
    const clients = await openIdle(Number(new URL(origin).port), 200);
    const endTurn = (): void => {
      mostInTurn = Math.max(mostInTurn, begun);
      begun = 0;
      turn = setImmediate(endTurn);
    };
    let turn = setImmediate(endTurn);
    for (const client of clients) client.write("GET /counted HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(16));
    await expect.poll(() => asked).toBe(3200);
    clearImmediate(turn);
    for (const client of clients) client.destroy();
    // A turn ends here before it ends there, or after it.
    expect(mostInTurn).toBeLessThanOrEqual(2 * arrivalLimits.perTurn);
  });

  it("A136 ends no stream and no answer that is being made when a client opens more connections than there may be", async () => {
    let open: (sink: WebSink) => void = () => undefined;
    const opened = new Promise<WebSink>((resolve) => (open = resolve));
    let ask: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (ask = resolve));
    let make: () => void = () => undefined;
    const made = new Promise<void>((resolve) => (make = resolve));
    const slow: WebRoute = {
      method: "GET",
      path: "/slow",
      answer: async () => {
        ask();
        await made;
        return { body: "made" };
      },
    };
    const events: WebRoute = {
      method: "GET",
      path: "/events",
      answer: () => ({ contentType: "text/event-stream", start: open }),
    };
    const origin = await serve([events, slow], { mostConnections: 20 });
    const stream = await fetch(`${origin}/events`);
    const answer = fetch(`${origin}/slow`);
    const sink = await opened;
    await asked;
    const idle = await openIdle(Number(new URL(origin).port), 40);
    await expect.poll(() => idle.filter(({ destroyed }) => destroyed).length).toBeGreaterThanOrEqual(20);
    for (const socket of idle) socket.destroy();
    make();
    sink.write("still there");
    sink.end();
    expect(await Promise.allSettled([answer.then((one) => one.text()), stream.text()])).toEqual([
      { status: "fulfilled", value: "made" },
      { status: "fulfilled", value: "still there" },
    ]);
  });

  it.each([
    ["without a body", "\r\n"],
    ["with a body", "Content-Length: 1\r\n\r\nx"],
  ])("A136 serves a client while others take nothing of answers to requests %s on all connections", async (_, rest) => {
    const body = new Uint8Array(16 * 1024 * 1024);
    const large: WebRoute = { method: "GET", path: "/large", answer: () => ({ body }) };
    const origin = await serve([hello, large], { mostConnections: 20 });
    const unread = await openIdle(Number(new URL(origin).port), 20);
    const begun = unread.map(async (socket) => {
      socket.write(`GET /large HTTP/1.1\r\nHost: localhost\r\n${rest}`);
      await new Promise((resolve) => socket.once("data", resolve));
      socket.pause();
    });
    await Promise.all(begun);
    expect((await fetch(`${origin}/hello`)).status).toBe(200);
    for (const socket of unread) socket.destroy();
  });

  it.each([
    ["Content-Length: 8", "x"],
    ["Transfer-Encoding: chunked", "1\r\nx\r\n"],
  ])("A136 serves a client while bodies with %s do not end on all connections", async (framing, part) => {
    let [asked, ask] = [0, (): void => undefined];
    const allAsked = new Promise<void>((resolve) => (ask = resolve));
    const answer: WebRoute["answer"] = async (received) => {
      asked += 1;
      if (asked === 20) ask();
      return echo.answer(received);
    };
    const origin = await serve([hello, { ...echo, answer }], { mostConnections: 20 });
    const unfinished = await openIdle(Number(new URL(origin).port), 20);
    for (const socket of unfinished)
      socket.write(`POST /echo HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n${part}`);
    await allAsked;
    expect((await fetch(`${origin}/hello`)).status).toBe(200);
    for (const socket of unfinished) socket.destroy();
  });

  it("waits for an answer that takes longer to be made than a client may take to read", async () => {
    const slow: WebRoute = {
      method: "GET",
      path: "/slow",
      answer: async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        return { body: "made" };
      },
    };
    const origin = await serve([slow], { stalledMs: 10 });
    expect(await (await fetch(`${origin}/slow`)).text()).toBe("made");
  });

  it("ends open connections when it is closed", async () => {
    const origin = await serve([hello]);
    const half = request(`${origin}/echo`, { method: "POST", headers: { "content-length": "5" } });
    const ended = new Promise((resolve) => half.once("error", resolve).once("close", resolve));
    await new Promise<void>((resolve) => half.once("socket", (socket) => socket.once("connect", () => resolve())));
    await Promise.all(running.splice(0).map((server) => server.close()));
    await ended;
  });
});

describe("healthRoutes", () => {
  it("lives and is ready by its checks, and names the one that fails", async () => {
    const state = { failure: "the lists are not complete" as string | undefined };
    const origin = await serve(
      healthRoutes({ live: { process: () => undefined }, ready: { hub: () => state.failure, git: () => undefined } }),
    );
    for (const path of ["/livez", "/healthz"]) expect((await fetch(`${origin}${path}`)).status).toBe(200);
    const before = await fetch(`${origin}/readyz`);
    expect(before.status).toBe(503);
    expect(await before.text()).toBe("[-] hub: the lists are not complete\n[+] git ok\nnot ok\n");
    state.failure = undefined;
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  });
});
