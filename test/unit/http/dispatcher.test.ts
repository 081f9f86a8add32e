import "reflect-metadata";
import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, createServer as createSocketServer } from "node:net";
import type { AddressInfo, Server as SocketServer } from "node:net";
import { networkInterfaces } from "node:os";
import type { TLSSocket } from "node:tls";
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDispatcher } from "../../../src/http/dispatcher.ts";
import type { DispatcherOptions } from "../../../src/http/dispatcher.ts";
import { exchange } from "../../../src/http/exchange.ts";
import { failureOf } from "../../../src/http/failure.ts";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";

async function listen(server: SocketServer, host = "127.0.0.1"): Promise<string> {
  await once(server.listen(0, host), "listening");
  onTestFinished(() => {
    (server as Partial<Server>).closeAllConnections?.();
    server.close();
  });
  return `${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
}

function open(options: Partial<DispatcherOptions> = {}) {
  const dispatcher = createDispatcher({ errorCode: "E_GIT_REMOTE", headMs: 600_000, idleMs: 600_000, ...options });
  onTestFinished(() => dispatcher.destroy());
  return async (url: string): Promise<string> => {
    const sent = { dispatcher, method: "GET", headers: {}, isRepeatable: () => false } as const;
    return (await exchange(new URL(url), sent)).body.text();
  };
}

/** An authority, and what a server needs that has its certificate. */
async function makeTls() {
  const ca = await makeCertificateAuthority("company");
  const tls = await ca.issue("CN=server", [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension([
      { type: "ip", value: "127.0.0.1" },
      { type: "ip", value: "::1" },
      { type: "dns", value: "localhost" },
    ]),
  ]);
  return { ca: ca.cert, tls };
}

describe("connections", () => {
  it("are four at most for an origin, and used again", async () => {
    let connections = 0;
    let asked = 0;
    let waiting: (() => void)[] = [];
    const server = createServer((_request, response) => {
      waiting.push(() => response.end("done"));
      asked += 1;
      if (waiting.length < 4 && asked < 10) return;
      const ready = waiting;
      waiting = [];
      for (const answer of ready) answer();
    });
    server.on("connection", () => (connections += 1));
    const [place, send] = [await listen(server), open()];
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(`http://${place}/`)));
    expect([new Set(answers), connections]).toEqual([new Set(["done"]), 4]);
  });

  const never: RequestListener = () => undefined;
  const begin: RequestListener = (_request, response) => void response.writeHead(200).write("begun");
  it.each([
    ["no answer begins", never, { headMs: 100 }, "UND_ERR_HEADERS_TIMEOUT"],
    ["an answer goes on no more", begin, { idleMs: 100 }, "UND_ERR_BODY_TIMEOUT"],
  ])("are given up where %s", async (_what, listener, limits, code) => {
    const place = await listen(createServer(listener));
    const failure: unknown = await open(limits)(`http://${place}/`).catch((error: unknown) => error);
    expect(failureOf(failure)).toMatchObject({ kind: "idle", code });
  });

  it("are given up where TLS does not begin in time", async () => {
    const place = await listen(createSocketServer((socket) => void socket.on("error", () => undefined)));
    const failure: unknown = await open({ connectMs: 100 })(`https://${place}/`).catch((error: unknown) => error);
    expect(failureOf(failure).root).toMatchObject({ message: expect.stringContaining("timeout: 100ms") as string });
  });
});

describe("a proxy", () => {
  /** A proxy that notes what it is asked for, and a server behind it; both have certificates of one authority. */
  async function setUp(scheme: "http" | "https", host?: string) {
    const { ca, tls } = await makeTls();
    const asked: unknown[] = [];
    const names: unknown[] = [];
    const proxy = scheme === "http" ? createServer() : createTlsServer(tls);
    proxy.on("secureConnection", ({ servername }: TLSSocket) => names.push(servername));
    proxy.on("connect", ({ url = "", headers }, socket) => {
      asked.push([url, headers["proxy-authorization"]]);
      const [host = "", port = ""] = url.split(":");
      const target = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        target.pipe(socket).pipe(target);
      });
      for (const end of [target, socket]) end.on("error", () => target.destroy());
      onTestFinished(() => void target.destroy());
    });
    const place = await listen(createTlsServer(tls, (_request, response) => response.end("behind")));
    return { ca, asked, names, place, proxyAt: `${scheme}://u:p%40@${await listen(proxy, host)}` };
  }

  it.each(["http", "https"] as const)(
    "of %s gets its credentials, and each side is trusted by the CA",
    async (scheme) => {
      const { ca, asked, place, proxyAt } = await setUp(scheme);
      expect(await open({ ca, proxyUrl: proxyAt })(`https://${place}/`)).toBe("behind");
      expect(asked).toEqual([[place, `Basic ${Buffer.from("u:p@").toString("base64")}`]]);
      const untrusting: unknown = await open({ proxyUrl: proxyAt })(`https://${place}/`).catch(
        (error: unknown) => error,
      );
      expect(failureOf(untrusting).kind).toBe("untrusted");
    },
  );

  const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
  it.each([
    { host: "localhost", name: "localhost" },
    { host: "127.0.0.1", name: false },
    ...(hasIPv6 ? [{ host: "::1", name: false }] : []),
  ])("at $host is asked by a name, never by an address, and verified as either", async ({ host, name }) => {
    const { ca, names, place, proxyAt } = await setUp("https", host);
    expect(await open({ ca, proxyUrl: proxyAt })(`https://${place}/`)).toBe("behind");
    expect(names).toEqual([name]);
  });

  it.each(["socks5://proxy.example.com", "ftp://proxy.example.com", "proxy.example.com:3128", ""])(
    "is no %j",
    (proxyUrl) => {
      expect(() => open({ proxyUrl })).toThrow(expect.objectContaining({ code: "E_GIT_REMOTE" }));
    },
  );
});

it.each(["no PEM", "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n", "\n"])(
  "a CA bundle without a certificate is refused: %j",
  (ca) => expect(() => open({ ca })).toThrow(expect.objectContaining({ code: "E_GIT_REMOTE" })),
);
