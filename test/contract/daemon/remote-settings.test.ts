import "reflect-metadata";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { join } from "node:path";
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";
import type { GitHttpServer } from "../../support/git-http-server.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const { cluster, repository } = resourceTypes;
const manager = { fieldManager: "test" };

interface Proxy {
  readonly address: string;
  /** Connections that it made. */
  readonly targets: readonly string[];
  close(): Promise<void>;
}

/** An HTTP proxy that makes connections for clients that have its password. */
async function startProxy(): Promise<Proxy> {
  const targets: string[] = [];
  const expected = `Basic ${Buffer.from("user:pass").toString("base64")}`;
  const server = createServer();
  server.on("connect", ({ url = "", headers }, client: Socket) => {
    if (headers["proxy-authorization"] !== expected) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    targets.push(url);
    const upstream = connect(Number(url.split(":")[1]), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

describe("how a Repository reaches its git server takes effect without a new commit", () => {
  let session: DaemonSession;
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let server: GitHttpServer;
  let proxy: Proxy;
  let caBundle: string;
  let otherBundle: string;

  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    folder = await makeTempFolder();
    proxy = await startProxy();
    const [ca, otherCa] = await Promise.all(["git-ca", "other-ca"].map(makeCertificateAuthority));
    if (!ca || !otherCa) throw new Error("no certificates");
    const tls = await ca.issue("CN=git", [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]),
    ]);
    caBundle = ca.cert;
    otherBundle = otherCa.cert;
    server = await startGitHttpServer({ root: folder.path, tls, auth: { username: "bot", password: "right" } });
    await makeSecret("right", { username: "bot", password: "right" });
    await makeSecret("wrong", { username: "bot", password: "wrong" });
    await makeSecret("proxy", { address: proxy.address, username: "user", password: "pass" });
    await makeSecret("no-proxy", { address: "http://127.0.0.1:9" });
    await session.repository.commit({ files: { "first.yaml": clusterFile("first") } });
    await session.startDaemon({ followsOthers: true });
    await session.settle();
  });
  afterAll(async () => {
    await session.close();
    await server.close();
    await proxy.close();
    await folder.remove();
  });

  const right = (): JsonObject => ({ secretRef: { name: "right" }, caBundle });

  it.each([
    { field: "secretRef.name", before: () => ({ secretRef: { name: "wrong" } }), change: right },
    { field: "caBundle", before: () => ({ caBundle: otherBundle }), change: right },
    {
      field: "proxySecretRef.name",
      before: () => ({ proxySecretRef: { name: "no-proxy" } }),
      change: () => ({ proxySecretRef: { name: "proxy" } }),
    },
  ])("spec.$field", async ({ field, before, change }) => {
    const name = field.replace(/\..*/u, "").toLowerCase();
    const source = await createRepository(join(folder.path, `${name}.git`));
    await source.commit({ files: { "c.yaml": clusterFile(name) } });
    const spec = {
      url: server.urlOf(`${name}.git`),
      interval: "1h",
      defaultWorkspace: session.workspace,
      workspaces: [session.workspace],
      ...right(),
      ...before(),
    };
    const { namespace } = session;
    const object = { apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata: { name, namespace }, spec };
    await session.api.create(object, manager);
    await until(
      () => session.get(repository, name, namespace),
      (seen) => /"code":|E_GIT_/u.test(JSON.stringify(seen?.["status"] ?? "")),
    );
    expect(await session.get(cluster, name)).toBeUndefined();
    await session.api.mergePatch({ type: repository, namespace, name }, { spec: change() }, manager);
    await until(
      () => session.get(cluster, name),
      (seen) => seen !== undefined,
    );
    expect(proxy.targets.length > 0).toBe(name === "proxysecretref");
  });

  async function makeSecret(name: string, stringData: Record<string, string>): Promise<void> {
    const metadata = { name, namespace: session.namespace };
    await session.api.create({ apiVersion: "v1", kind: "Secret", metadata, stringData }, manager);
  }
});

function clusterFile(name: string): string {
  return JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name }, spec: {} });
}
