import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rootCertificates } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HttpRoute, HttpTransportOptions } from "../../../../src/git/wire/http-transport.ts";
import { openHttpTransport, readRoute } from "../../../../src/git/wire/http-transport.ts";

const refs = { service: "git-upload-pack", isVersion2: true, maximumBytes: 1_000_000 } as const;
const advertisement = "application/x-git-upload-pack-advertisement";
const packRequest = { ...refs, body: Buffer.from("0000") };

interface Sent {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A server that answers each request by its path and query, and a transport to `/fleet.git/` of it. */
async function serve(
  answerOf: (target: string, response: ServerResponse) => Sent | undefined,
  options: Partial<HttpTransportOptions> = {},
) {
  const asked: Pick<IncomingMessage, "method" | "url" | "headers">[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const answer = answerOf(request.url ?? "", response);
    if (answer === undefined) return;
    const { status = 200, headers = { "content-type": advertisement }, body = "" } = answer;
    request.resume().once("end", () => response.writeHead(status, headers).end(body));
  });
  // Neither side ends a connection by itself.
  server.keepAliveTimeout = 600_000;
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = openHttpTransport({ url: `${origin}/fleet.git/`, ...options });
  onTestFinished(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  return { origin, transport, asked, targets: () => asked.map(({ url }) => url) };
}

async function textOf(answer: Promise<AsyncIterable<Uint8Array>>): Promise<string> {
  let text = "";
  for await (const piece of await answer) text += Buffer.from(piece).toString("latin1");
  return text;
}

const redirectTo = (location?: string): Sent => ({ status: 302, headers: location === undefined ? {} : { location } });

describe("a request", () => {
  it("for refs, and one with a body, have the headers of git", async () => {
    const result = {
      headers: { "content-type": "application/x-git-receive-pack-result ; charset=utf-8" },
      body: "done",
    };
    const { transport, asked } = await serve((target) => (target.includes("info/refs") ? { body: "refs" } : result));
    expect(transport.secrets).toEqual([]);
    expect(await textOf(transport.send(refs))).toBe("refs");
    const push = { service: "git-receive-pack", body: Buffer.from("0000"), maximumBytes: 4 } as const;
    expect(await textOf(transport.send(push))).toBe("done");
    expect(asked.map(({ method, url }) => [method, url])).toEqual([
      ["GET", "/fleet.git/info/refs?service=git-upload-pack"],
      ["POST", "/fleet.git/git-receive-pack"],
    ]);
    expect(asked.map(({ headers }) => [headers["git-protocol"], headers.accept, headers["content-type"]])).toEqual([
      ["version=2", "*/*", undefined],
      [undefined, "application/x-git-receive-pack-result", "application/x-git-receive-pack-request"],
    ]);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it("has the credentials as they are now, which are secrets then", async () => {
    let count = 0;
    const credentials = () => Promise.resolve({ kind: "basic" as const, username: "u", secret: `p${(count += 1)}` });
    const { transport, asked } = await serve(() => ({}), { credentials });
    for (const _time of [1, 2]) await textOf(transport.send(refs));
    const basicOf = (password: string) => Buffer.from(`u:${password}`).toString("base64");
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${basicOf("p1")}`,
      `Basic ${basicOf("p2")}`,
    ]);
    expect(transport.secrets).toContain("p2");
  });

  it.each([[{}], [{ caBundle: "ca" }], [{ proxyUrl: "http://p" }], [{ caBundle: "ca", proxyUrl: "http://p" }]])(
    "takes the route %j, or asks for it",
    async (route: HttpRoute) => {
      expect(await readRoute({ url: "", ...route })).toStrictEqual(route);
      expect(await readRoute({ url: "", caBundle: "other", route: () => Promise.resolve(route) })).toEqual(route);
    },
  );
});

describe("the route", () => {
  it.each(["socks5://127.0.0.1:1080", "no address"])(
    "is used again after a proxy of %s, which is refused",
    async (proxyUrl) => {
      let now: HttpRoute = {};
      const { transport } = await serve(() => ({ body: "refs" }), { route: () => Promise.resolve(now) });
      expect(await textOf(transport.send(refs))).toBe("refs");
      now = { proxyUrl };
      await expect(transport.send(refs)).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
      now = {};
      expect(await textOf(transport.send(refs))).toBe("refs");
    },
  );
});

it("a connection ends with its route, or when the transport is closed", async () => {
  let now: HttpRoute = {};
  let open = 0;
  const count = (_target: string, { req }: ServerResponse): Sent => {
    if (!seen.has(req.socket)) {
      open += 1;
      req.socket.once("close", () => (open -= 1));
    }
    seen.add(req.socket);
    return { body: "refs" };
  };
  const seen = new Set<unknown>();
  const { transport } = await serve(count, { route: () => Promise.resolve(now) });
  for (const caBundle of [undefined, rootCertificates[0] ?? ""]) {
    now = caBundle === undefined ? {} : { caBundle };
    expect(await textOf(transport.send(refs))).toBe("refs");
  }
  expect(seen.size).toBe(2);
  await expect.poll(() => open).toBe(1);
  await transport.close();
  await expect.poll(() => open).toBe(0);
});

describe("a redirect", () => {
  it("still moves a request that is sent while refs are asked for again", async () => {
    const packResult = { headers: { "content-type": "application/x-git-upload-pack-result" } };
    const answer = redirectTo("/renamed.git/info/refs");
    let meanwhile: (() => Promise<string>) | undefined;
    const { origin, transport, targets } = await serve((target, response) => {
      if (!target.startsWith("/fleet.git/")) return target.includes("info/refs") ? {} : packResult;
      const send = meanwhile;
      meanwhile = undefined;
      if (send === undefined) return answer;
      void send().finally(() => response.writeHead(302, answer.headers).end());
      return undefined;
    });
    await textOf(transport.send(refs));
    let effectiveUrl = "";
    const packed = new Promise((resolve, reject) => {
      meanwhile = () => {
        ({ effectiveUrl } = transport);
        const pack = textOf(transport.send(packRequest));
        pack.then(resolve, reject);
        return pack;
      };
    });
    await Promise.all([textOf(transport.send(refs)), packed]);
    expect(effectiveUrl).toBe(`${origin}/renamed.git`);
    expect(targets()).toContain("/renamed.git/git-upload-pack");
  });

  it("of a request for refs moves the requests after it, until refs are asked for again", async () => {
    const packResult = { headers: { "content-type": "application/x-git-upload-pack-result" } };
    const { origin, transport, targets } = await serve((target) => {
      if (target.startsWith("/fleet.git/")) return redirectTo("/renamed.git/info/refs?service=git-upload-pack");
      return target.includes("info/refs") ? {} : packResult;
    });
    await textOf(transport.send(refs));
    expect(transport.effectiveUrl).toBe(`${origin}/renamed.git`);
    await textOf(transport.send(packRequest));
    await textOf(transport.send(refs));
    const query = "info/refs?service=git-upload-pack";
    expect(targets()).toEqual([
      ...[`/fleet.git/${query}`, `/renamed.git/${query}`, "/renamed.git/git-upload-pack"],
      ...[`/fleet.git/${query}`, `/renamed.git/${query}`],
    ]);
    expect(transport.url).toBe(`${origin}/fleet.git/`);
  });

  it.each([
    [5, 6, undefined],
    [6, 6, "E_GIT_PROTOCOL"],
  ])("is followed five times: of %i", async (count, requests, code) => {
    const { transport, targets } = await serve((target) => {
      const step = Number(/^\/r(\d)/u.exec(target)?.[1] ?? 0);
      return step < count ? redirectTo(`/r${step + 1}/info/refs`) : {};
    });
    const outcome = await textOf(transport.send(refs)).catch((error: { readonly code: string }) => error.code);
    expect([outcome, targets().length]).toEqual([code ?? "", requests]);
  });

  it.each([
    ["without an address", refs, undefined, "E_GIT_PROTOCOL", "without an address"],
    ["to another server", refs, "https://elsewhere.example.com/info/refs", "E_GIT_URL", "gets no credentials"],
    ["to a page", refs, "/sign-in", "E_GIT_PROTOCOL", "something that is no repository"],
    ["of a body", packRequest, "/renamed.git/info/refs", "E_GIT_PROTOCOL", "something that is no repository"],
  ])("%s is refused", async (...[, request, location, code, text]) => {
    const { transport, targets } = await serve(() => redirectTo(location));
    const failed = textOf(transport.send(request));
    await expect(failed).rejects.toMatchObject({ code });
    await expect(failed).rejects.toThrow(text);
    expect(targets().length).toBe(1);
  });
});

describe("an answer", () => {
  const push = { ...refs, service: "git-receive-pack" } as const;
  const signIn = { "content-type": "text/html; charset=utf-8" };
  it.each([
    ["of another type", refs, { headers: signIn }, "E_GIT_PROTOCOL", "(text/html)"],
    ["without a type", refs, { headers: {} }, "E_GIT_PROTOCOL", "(no content type)"],
    ["of the type of a result", packRequest, {}, "E_GIT_PROTOCOL", `(${advertisement})`],
    ["that is too large", { ...refs, maximumBytes: 3 }, { body: "refs" }, "E_UNSUPPORTED", "more than 3 bytes"],
    ["that asks for credentials", refs, { status: 401 }, "E_GIT_AUTH", "none are given"],
    ["that refuses to read", refs, { status: 403 }, "E_GIT_AUTH", "may not read it"],
    ["that refuses a push", push, { status: 403 }, "E_GIT_PUSH_DENIED", "not allowed"],
  ])("%s is refused", async (...[, request, answer, code, text]) => {
    const { transport } = await serve(() => answer);
    const failed = textOf(transport.send(request));
    await expect(failed).rejects.toMatchObject({ code });
    await expect(failed).rejects.toThrow(text);
  });

  it("that refuses the credentials is named so", async () => {
    const { transport } = await serve(() => ({ status: 401 }), {
      credentials: { kind: "basic", username: "u", secret: "p" },
    });
    await expect(transport.send(refs)).rejects.toThrow("it refused the credentials");
  });

  it.each([[{ slowMs: -1_000_000 }], [{ totalMs: -1 }]])("that is too slow for %j is given up", async (timeouts) => {
    const { transport } = await serve(() => ({ body: "refs" }), { timeouts });
    await expect(textOf(transport.send(refs))).rejects.toMatchObject({
      code: "E_GIT_REMOTE",
      data: { reason: "slow", sizeBytes: 4 },
    });
  });

  it("that is long may take longer", async () => {
    const body = "x".repeat(1_000_000);
    const { transport } = await serve(() => ({ body }), { timeouts: { slowMs: -50 } });
    expect((await textOf(transport.send(refs))).length).toBe(body.length);
  });

  it("that breaks off fails", async () => {
    const breakOff = (_target: string, response: ServerResponse): undefined => {
      response.writeHead(200, { "content-type": advertisement, "content-length": 9 });
      response.write("refs", () => response.destroy());
    };
    const broken = textOf((await serve(breakOff)).transport.send(refs));
    await expect(broken).rejects.toMatchObject({
      code: "E_GIT_REMOTE",
      message: expect.stringMatching(/^reach /u) as string,
    });
  });

  it.each([
    ["a question is asked once more", refs, 2],
    ["a push is not sent again, since it may have arrived", push, 1],
  ])("is none where the server closes the connection: %s", async (_what, request, count) => {
    const { transport, asked } = await serve((_target, response) => void response.destroy());
    await expect(transport.send(request)).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    expect(asked.length).toBe(count);
  });

  it.each(["before its head", "within its body"])(
    "that is not awaited any more %s has the reason of its signal",
    async (when) => {
      const controller = new AbortController();
      const reason = new Error("stopped");
      const { transport } = await serve((_target, response) => {
        if (when === "before its head") return void controller.abort(reason);
        response.writeHead(200, { "content-type": advertisement }).write("refs", () => controller.abort(reason));
        return undefined;
      });
      await expect(textOf(transport.send({ ...refs, signal: controller.signal }))).rejects.toBe(reason);
    },
  );
});
