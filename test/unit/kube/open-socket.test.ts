import "reflect-metadata"; // needed by @peculiar/x509
import { SubjectAlternativeNameExtension } from "@peculiar/x509";
import { createServer } from "node:tls";
import type { AddressInfo, LookupFunction } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { KubeConnection } from "../../../src/kube/connection.ts";
import { createOpenSocket, createTlsMemory } from "../../../src/kube/open-socket.ts";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";
import { closedPort, startScriptedProxy, startTcpServer } from "./scripted-server.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function connectionTo(server: string, more: Partial<KubeConnection> = {}): KubeConnection {
  return { server, getTls: () => Promise.resolve({}), isUnverified: true, ...more };
}

const toThisMachine: LookupFunction = (_name, _options, callback) =>
  callback(null, [{ address: "127.0.0.1", family: 4 }]);
const lookups = { server: toThisMachine, proxy: toThisMachine };

/** A TLS server that records by which name it is asked for. */
async function startNamedServer() {
  const authority = await makeCertificateAuthority("named-ca");
  const names: (string | false | null)[] = [];
  const addresses = new SubjectAlternativeNameExtension([
    { type: "ip", value: "10.0.0.1" },
    { type: "dns", value: "named.example" },
  ]);
  const server = createServer({ ...(await authority.issue("CN=named", [addresses])) }, (socket) => {
    names.push(socket.servername);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  stops.push(() => new Promise((done) => server.close(done)));
  const { port } = server.address() as AddressInfo;
  return { port, names, authority: authority.cert, certificate: await authority.issue("CN=agent", []) };
}

describe("createOpenSocket", () => {
  it.each([
    { host: "127.0.0.1", asked: false, more: {}, reason: "an address is no name" },
    { host: "localhost", asked: "localhost", more: {}, reason: "a load balancer may choose the server by it" },
    { host: "hub.example.", asked: "hub.example", more: { lookups }, reason: "names have no dot of the root there" },
    {
      host: "127.0.0.1",
      asked: "api.example",
      more: { tlsServerName: "api.example" },
      reason: "the kubeconfig names it",
    },
  ])("asks $host for the server $asked: $reason", async ({ host, asked, more }) => {
    const { port, names } = await startNamedServer();
    const socket = await createOpenSocket(connectionTo(`https://${host}:${port}`, more))();
    await expect.poll(() => names, { interval: 5 }).toEqual([asked]);
    socket.destroy();
  });

  it.each([
    { name: "10.0.0.1", asked: false },
    { name: "named.example", asked: "named.example" },
  ])("A29 verifies a server behind another address as $name, and asks it for $asked", async ({ name, asked }) => {
    const { port, names, authority } = await startNamedServer();
    const getTls = () => Promise.resolve({ caPem: authority });
    const connection = { server: `https://127.0.0.1:${port}`, getTls, tlsServerName: name };
    const socket = await createOpenSocket(connection)();
    await expect.poll(() => names, { interval: 5 }).toEqual([asked]);
    socket.destroy();
    for (const other of ["10.0.0.2", "other.example", undefined])
      await expect(createOpenSocket({ ...connection, tlsServerName: other })()).rejects.toMatchObject({
        code: "E_KUBE_TLS",
      });
  });

  it("A29 shows no client certificate to a server that it does not verify", async () => {
    const { port, names, certificate } = await startNamedServer();
    const getTls = () => Promise.resolve({ certPem: certificate.cert, keyPem: certificate.key });
    const open = createOpenSocket(connectionTo(`https://127.0.0.1:${port}`, { getTls }));
    await expect(open()).rejects.toMatchObject({ code: "E_BUG" });
    expect(names).toEqual([]);
  });

  it("reports for how long it tried", async () => {
    const mute = await startTcpServer(() => undefined);
    stops.push(mute.stop);
    const server = `https://127.0.0.1:${mute.port}`;
    await expect(createOpenSocket(connectionTo(server), { connectTimeoutMs: 30 })()).rejects.toMatchObject({
      failure: "unreachable",
      message: `${server}: no connection within 30 ms`,
    });
  });

  it("names the proxy that it does not reach", async () => {
    const proxyUrl = `http://127.0.0.1:${await closedPort()}`;
    const open = createOpenSocket(connectionTo("https://hub.example", { proxyUrl }));
    await expect(open()).rejects.toMatchObject({
      failure: "unreachable",
      message: expect.stringContaining(`https://hub.example by proxy ${new URL(proxyUrl).host}: `) as string,
    });
  });

  it.each([
    { server: "https://[2001:db8::1]:6443", asked: "CONNECT [2001:db8::1]:6443" },
    { server: "https://hub.example", asked: "CONNECT hub.example:443" },
  ])("asks a proxy for $server: $asked", async ({ server, asked }) => {
    const proxy = await startScriptedProxy({ refuseWith: 403 });
    stops.push(proxy.stop);
    const open = createOpenSocket(connectionTo(server, { proxyUrl: proxy.url }));
    await expect(open()).rejects.toMatchObject({
      message: `${server}: proxy ${new URL(proxy.url).host} answered 403 to CONNECT`,
    });
    expect(proxy.asked).toEqual([asked]);
  });

  it.each([
    { host: "localhost", asked: ["localhost"] },
    { host: "127.0.0.1", asked: [] },
  ])("A229 asks a proxy at https://$host by its own name, not by the server's", async ({ host, asked }) => {
    const authority = await makeCertificateAuthority("proxy-ca");
    const names: string[] = [];
    const SNICallback = (name: string, done: (error: null) => void) => void (names.push(name), done(null));
    const proxy = createServer({ ...(await authority.issue("CN=proxy", [])), SNICallback });
    await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
    stops.push(() => new Promise((done) => proxy.close(done)));
    const proxyUrl = `https://${host}:${(proxy.address() as AddressInfo).port}`;
    const open = createOpenSocket(connectionTo("https://hub.example", { proxyUrl }));
    await expect(open()).rejects.toMatchObject({ code: "E_KUBE_TLS" });
    expect(names).toEqual(asked);
  });

  it("remembers ten credentials at most, with the sessions of each: renewed ones do not pile up", async () => {
    const tlsMemory = createTlsMemory();
    tlsMemory.sessions.set("of an old one", Buffer.from("session"));
    const { cert: caPem } = await makeCertificateAuthority("ca");
    let count = 0;
    const getTls = () => Promise.resolve({ caPem: `# ${count}\n${caPem}` });
    const server = `https://127.0.0.1:${await closedPort()}`;
    const open = createOpenSocket({ server, getTls }, { tlsMemory });
    const tryWith = async (number: number) => {
      count = number;
      await expect(open()).rejects.toMatchObject({ code: "E_KUBE_UNREACHABLE" });
      return [tlsMemory.contexts.size, tlsMemory.sessions.size];
    };
    for (let number = 1; number <= 10; number++) expect(await tryWith(number)).toEqual([number, 1]);
    expect(await tryWith(10)).toEqual([10, 1]);
    expect(await tryWith(11)).toEqual([1, 0]);
  });
});
