// The recipe of docs/operations.md for a sign-in by OpenID Connect: an issuer that the API server trusts, and a proxy in front of
// the page that passes on the ID token. The proxy of the test does what oauth2-proxy does with --pass-authorization-header.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request as sendRequest } from "node:http";
import { request as sendSecurely } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isTrueAt } from "../../src/core/read-json.ts";
import type { DaemonPlane } from "../support/daemon-plane.ts";
import { daemonNamespace, planeWorkspace, startDaemonPlane } from "../support/daemon-plane.ts";
import { furtherRights } from "../support/daemon-rights.ts";
import type { OidcProvider } from "../support/oidc-provider.ts";
import { startOidcProvider } from "../support/oidc-provider.ts";
import { until } from "../support/until.ts";

/** The program oauth2-proxy, as its project builds it. */
const oauth2Proxy = process.env["ROLLCALL_OAUTH2_PROXY"];
const clientId = "kubernetes";
const viewer = { email: "viewer@example.com", groups: ["fleet-viewers"] };
const stranger = { email: "stranger@example.com", groups: [] };
const rbac = "rbac.authorization.k8s.io";

describe("the page behind a sign-in by OpenID Connect, on a real kube-apiserver", () => {
  let provider: OidcProvider;
  let session: DaemonPlane;
  let pageUrl: string;
  let caFile: string | undefined;

  beforeAll(async () => {
    provider = await startOidcProvider(clientId, viewer);
    session = await startDaemonPlane({ extraApiServerArgs: await issuerArgs() });
    for (const object of furtherRights(daemonNamespace, { everywhere: ["page"] })) await session.create(object);
    await session.create({
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: "fleet-viewers", namespace: planeWorkspace },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: rbac, kind: "Group", name: "oidc:fleet-viewers" }],
    });
    const daemon = await session.startDaemon({ args: ["--page-address", "127.0.0.1:0", "--page-access", "Token"] });
    const line = await daemon.untilLine((printed) => printed.includes("serving the page"));
    pageUrl = `http://127.0.0.1:${/"port":(\d+)/u.exec(line)?.[1]}`;
    await until(() => isAuthenticated(provider.idToken(viewer)), Boolean);
  });
  afterAll(async () => {
    await session?.close();
    await provider?.stop();
    if (caFile !== undefined) await rm(dirname(caFile), { recursive: true });
  });

  /** The API server reads the issuer's documents in the background, after its start. */
  async function isAuthenticated(token: string): Promise<boolean> {
    const review = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      metadata: { name: "" },
      spec: { token },
    };
    return isTrueAt(await session.admin.create(review, { fieldManager: "test" }), "status", "authenticated");
  }

  async function issuerArgs(): Promise<string[]> {
    caFile = join(await mkdtemp(join(tmpdir(), "rollcall-issuer-")), "ca.crt");
    await writeFile(caFile, provider.caPem);
    return [
      ...[`--oidc-issuer-url=${provider.issuer}`, `--oidc-client-id=${clientId}`, `--oidc-ca-file=${caFile}`],
      ...["--oidc-username-claim=email", "--oidc-username-prefix=oidc:"],
      ...["--oidc-groups-claim=groups", "--oidc-groups-prefix=oidc:"],
    ];
  }

  /** What the page answers through a proxy that passes on this token, and names another user in the headers of a proxy. */
  async function ask(token: string): Promise<number> {
    const proxy = createServer((request, response) => {
      const named = { "x-forwarded-user": "admin", "x-forwarded-groups": "system:masters" };
      const headers = { ...request.headers, ...named, authorization: `Bearer ${token}` };
      request.pipe(
        sendRequest(`${pageUrl}${request.url}`, { headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        }),
      );
    });
    try {
      return (await fetch(`http://127.0.0.1:${await portOf(proxy)}/api/v1/clusters`)).status;
    } finally {
      proxy.closeAllConnections();
      await new Promise((done) => proxy.close(done));
    }
  }

  it("shows the fleet to a user of the issuer whose group the hub allows, and to no other", async () => {
    expect(await ask(provider.idToken(viewer))).toBe(200);
    expect(await ask(provider.idToken(stranger))).toBe(403);
  });

  it("accepts no token of another client, of another issuer or of yesterday", async () => {
    expect(await ask(provider.idToken(viewer, { aud: "another" }))).toBe(401);
    expect(await ask(provider.idToken(viewer, { iss: "https://127.0.0.1:1" }))).toBe(401);
    expect(await ask(provider.idToken(viewer, { exp: Math.floor(Date.now() / 1000) - 86_400 }))).toBe(401);
  });

  it.skipIf(oauth2Proxy === undefined)(
    `shows the fleet after a sign-in by oauth2-proxy${oauth2Proxy === undefined ? " (no ROLLCALL_OAUTH2_PROXY)" : ""}`,
    async () => {
      const place = createServer();
      const port = await portOf(place);
      await new Promise((done) => place.close(done));
      const url = `http://127.0.0.1:${port}`;
      const child = spawn(
        oauth2Proxy ?? "",
        [
          ...["--provider=oidc", `--oidc-issuer-url=${provider.issuer}`, `--provider-ca-file=${caFile}`],
          ...[`--client-id=${clientId}`, "--client-secret=none", `--redirect-url=${url}/oauth2/callback`],
          ...["--email-domain=*", `--upstream=${pageUrl}`, "--pass-authorization-header=true"],
          ...["--cookie-secure=false", `--cookie-secret=${"0".repeat(32)}`, "--skip-provider-button=true"],
          `--http-address=127.0.0.1:${port}`,
        ],
        { stdio: ["ignore", "ignore", "pipe"] },
      );
      try {
        let printed = "";
        child.stderr.setEncoding("utf8").on("data", (part: string) => (printed += part));
        await until(
          () =>
            fetch(`${url}/ping`).then(
              ({ ok }) => ok,
              () => printed,
            ),
          (seen) => seen === true,
        );
        expect(await signInAndAsk(url)).toBe(200);
      } finally {
        child.kill();
      }
    },
  );

  /** Follows the redirects as a browser does: with the cookies of the proxy, and the certificate of the issuer. */
  async function signInAndAsk(url: string): Promise<number> {
    const cookies = new Map<string, string>();
    let next = `${url}/api/v1/clusters`;
    for (let redirects = 0; redirects < 6; redirects++) {
      const { status, location, setCookies } = await get(next, cookies, provider.caPem);
      for (const cookie of setCookies) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      if (location === undefined) return status;
      next = new URL(location, next).href;
    }
    return 0;
  }
});

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly setCookies: readonly string[];
}

async function get(url: string, cookies: ReadonlyMap<string, string>, ca: string): Promise<Answer> {
  const send = url.startsWith("https:") ? sendSecurely : sendRequest;
  const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
  return new Promise((done, reject) => {
    const asked = send(url, { headers, ca }, (answer) => {
      answer.resume();
      const { location, "set-cookie": setCookies = [] } = answer.headers;
      done({ status: answer.statusCode ?? 0, location, setCookies });
    });
    asked.on("error", reject).end();
  });
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}
