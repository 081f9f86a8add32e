import { HttpMethod, IsomorphicFetchHttpLibrary, KubeConfig, RequestContext, Watch } from "@kubernetes/client-node";
import type { KubeConnection, TlsMaterial } from "../../src/kube/connection.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../src/kube/transport.ts";

/**
 * Requests by the library @kubernetes/client-node: the comparison of decision 37. It has no limits of time, no connections of
 * their own for Leases, and a new connection for each request.
 */
export function createClientNodeTransport(connection: KubeConnection): Transport {
  const { server, getTls, getToken } = connection;
  return {
    server,
    ...(getToken === undefined ? {} : { getToken }),
    send: async (request) => {
      const config = configOf(server, await getTls(), request.headers["authorization"]);
      return request.pool === "watch" ? watch(config, request) : exchange(config, server, request);
    },
    close: async () => undefined,
  };
}

function configOf(server: string, tls: TlsMaterial, authorization: string | undefined): KubeConfig {
  const encode = (pem: string): string => Buffer.from(pem).toString("base64");
  const config = new KubeConfig();
  const token = authorization?.replace(/^Bearer /u, "");
  config.loadFromClusterAndUser(
    { name: "hub", server, skipTLSVerify: false, ...(tls.caPem === undefined ? {} : { caData: encode(tls.caPem) }) },
    {
      name: "user",
      ...(token === undefined ? {} : { token }),
      ...(tls.certPem === undefined ? {} : { certData: encode(tls.certPem) }),
      ...(tls.keyPem === undefined ? {} : { keyData: encode(tls.keyPem) }),
    },
  );
  return config;
}

async function exchange(config: KubeConfig, server: string, request: TransportRequest): Promise<TransportResponse> {
  const context = new RequestContext(`${server}${request.path}`, HttpMethod[request.method]);
  for (const [name, value] of Object.entries(request.headers)) context.setHeaderParam(name, value);
  context.setBody(request.body);
  if (request.signal !== undefined) context.setSignal(request.signal);
  await config.applySecurityAuthentication(context);
  const { httpStatusCode, headers, body } = await new IsomorphicFetchHttpLibrary().send(context).toPromise();
  return {
    status: httpStatusCode,
    header: (name) => headers[name.toLowerCase()],
    body: (async function* () {
      yield await body.binary();
    })() as unknown as AsyncIterable<Uint8Array>,
  };
}

async function watch(config: KubeConfig, { path, signal }: TransportRequest): Promise<TransportResponse> {
  const lines = new TransformStream<Uint8Array, Uint8Array>();
  const writer = lines.writable.getWriter();
  let status = 200;
  const take = (_kind: string, _object: unknown, event: unknown): void =>
    void writer.write(Buffer.from(`${JSON.stringify(event)}\n`)).catch(() => undefined);
  const ended = new AbortController();
  const end = (error: unknown): void => {
    ended.abort();
    if (error instanceof Error && "statusCode" in error) {
      status = Number(error.statusCode);
      // The library drops the words of a refusal; its reason phrase is left.
      void writer.write(Buffer.from(JSON.stringify({ kind: "Status", reason: error.message, code: status })));
    }
    void writer.close().catch(() => undefined);
  };
  const controller = await new Watch(config).watch(path, {}, take, end);
  if (signal?.aborted === true) controller.abort();
  signal?.addEventListener("abort", () => controller.abort(), { once: true, signal: ended.signal });
  return { status, header: () => undefined, body: lines.readable };
}
