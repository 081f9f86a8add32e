import "reflect-metadata";
import { getDiffieHellman, webcrypto } from "node:crypto";
import { createServer } from "node:https";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TLSSocket, TlsOptions } from "node:tls";
import { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createDispatcher } from "../../../src/http/dispatcher.ts";
import { exchange } from "../../../src/http/exchange.ts";
import { fixedConnection } from "../../../src/kube/connection.ts";
import { createHttpsTransport } from "../../../src/kube/https-transport.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import type { Transport } from "../../../src/kube/transport.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { CertificateAndKey } from "../../support/control-plane-keys.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { der, derInteger } from "../../support/rsa-key-pem.ts";

/** A server for 127.0.0.1 with TLS 1.2 and a key of RSA, which DHE needs. */
let identity: CertificateAndKey;

beforeAll(async () => {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048 };
  const exponent = { publicExponent: new Uint8Array([1, 0, 1]) };
  const keys = await webcrypto.subtle.generateKey({ ...algorithm, ...exponent }, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=hostile",
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    extensions: [new SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }])],
  });
  const key = PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  identity = { cert: certificate.toString("pem"), key };
});

interface HostileServer {
  readonly url: string;
  /** Of connections that were made: the first of each. */
  readonly handshakes: number;
}

async function startServer(
  options: TlsOptions,
  onRequest: (response: ServerResponse, socket: TLSSocket) => void,
): Promise<HostileServer> {
  let handshakes = 0;
  const server = createServer({ ...identity, maxVersion: "TLSv1.2", ...options }, ({ socket }, response) => {
    socket.on("error", () => undefined); // the client may end it
    onRequest(response, socket as TLSSocket);
  });
  server.on("secureConnection", () => (handshakes += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get handshakes() {
      return handshakes;
    },
  };
}

type Read = (server: HostileServer) => Promise<unknown>;

const readBy =
  (createTransport: (connection: ReturnType<typeof fixedConnection>) => Transport): Read =>
  async ({ url }) => {
    const transport = createTransport(fixedConnection({ server: url, caPem: identity.cert }));
    const api = createKubeApi({ transport, clock: realClock, random: realRandom, timeoutMs: 10_000 });
    onTestFinished(() => api.close());
    return api.get({ type: resourceTypes.configMap, namespace: "a", name: "b" });
  };

const clients: readonly { readonly client: string; readonly read: Read }[] = [
  { client: "the daemon's client of API servers", read: readBy(createUndiciTransport) },
  { client: "an agent's client of its hub", read: readBy(createHttpsTransport) },
  {
    client: "the client of git servers and forges",
    read: async ({ url }) => {
      const limits = { headMs: 10_000, idleMs: 10_000 };
      const dispatcher = createDispatcher({ ca: identity.cert, errorCode: "E_GIT_REMOTE", ...limits });
      onTestFinished(() => dispatcher.destroy());
      const request = { dispatcher, method: "GET", headers: {}, isRepeatable: () => false } as const;
      return (await exchange(new URL(url), request)).body.text();
    },
  },
];

/** A proxy is not asked for a request before its handshake. */
const throughProxy: typeof clients = [
  {
    client: "the client of API servers behind a proxy",
    read: async ({ url }) => {
      const connection = fixedConnection({ server: "https://192.0.2.1", proxyUrl: url });
      const api = createKubeApi({ transport: createUndiciTransport(connection), clock: realClock, random: realRandom });
      onTestFinished(() => api.close());
      return api.get({ type: resourceTypes.configMap, namespace: "a", name: "b" });
    },
  },
  {
    client: "the client of git servers and forges behind a proxy",
    read: async ({ url: proxyUrl }) => {
      const limits = { headMs: 10_000, idleMs: 10_000 };
      const dispatcher = createDispatcher({ ca: identity.cert, errorCode: "E_GIT_REMOTE", proxyUrl, ...limits });
      onTestFinished(() => dispatcher.destroy());
      const request = { dispatcher, method: "GET", headers: {}, isRepeatable: () => false } as const;
      return exchange(new URL("https://192.0.2.1"), request);
    },
  },
];

describe("A113 the handshakes of a server whose administrator is hostile", () => {
  it.each([...clients, ...throughProxy])(
    "A113 no key of a group that the server chooses is computed by $client",
    async ({ read }) => {
      const options = { dhparam: groupOf(getDiffieHellman("modp14").getPrime()), ciphers: "DHE-RSA-AES128-GCM-SHA256" };
      const server = await startServer(options, (response) => void response.end("{}"));
      await expect(read(server)).rejects.toThrow(/handshake failure/u);
      expect(server.handshakes).toBe(0);
    },
  );

  it.each(clients)("A113 one handshake for a connection is computed by $client", async ({ read }) => {
    let renewed = 0;
    const server = await startServer({}, (response, socket) => {
      socket.renegotiate({}, () => {
        renewed += 1;
        response.end('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b"}}');
      });
    });
    await expect(read(server)).rejects.toThrow();
    expect(server.handshakes).toBeGreaterThan(0);
    expect(renewed).toBe(0);
  });
});

describe("a server that has one group of elliptic curves, or the hybrid one alone", () => {
  const groups = ["X25519", "P-256", "P-384", "P-521"];
  // The hybrid group came with OpenSSL 3.5, which Node.js has since version 24.
  if (Number.parseFloat(process.versions.openssl) >= 3.5) groups.push("X25519MLKEM768");
  it.each(groups.flatMap((group) => clients.map((client) => ({ group, ...client }))))(
    "is read by $client: $group",
    async ({ group, read }) => {
      const server = await startServer({ maxVersion: "TLSv1.3", ecdhCurve: group }, (response) => {
        response.setHeader("content-type", "application/json");
        response.end('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b"}}');
      });
      await read(server);
      expect(server.handshakes).toBe(1);
    },
  );
});

/** The parameters of a group with the generator 2, in PEM. Source: PKCS #3, DHParameter. */
function groupOf(prime: Buffer): string {
  const group = der(0x30, derInteger(prime), derInteger(Buffer.from([2])));
  return PemConverter.encode(new Uint8Array(group), "DH PARAMETERS");
}
