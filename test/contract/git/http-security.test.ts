import "reflect-metadata";
import { createServer, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GitCredentials } from "../../../src/git/git.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { allText, failureOf, setUpHttp, statusRequest } from "./http-fixture.ts";

const auth = { username: "bot", password: "p4ss:wörd/with+signs" };
const basic: GitCredentials = {
  kind: "basic",
  username: auth.username,
  secret: auth.password,
};

describe("credentials of an http engine", () => {
  it("open a repository that asks for them", async () => {
    const { repository, server, open } = await setUpHttp({ auth });
    const id = await repository.commit({ files: { a: "1" } });
    const engine = await open({ credentials: basic });
    expect(await engine.fetchHead("main")).toBe(id);
    const status = await engine.commitAndPush(statusRequest(undefined, { a: "1" }));
    expect(await repository.head("status")).toBe(status);
    // Sent at once: no round trip is lost to being asked.
    expect(server.requests.every(({ authorization }) => authorization?.startsWith("Basic "))).toBe(true);
  });

  it("may be a token, with the user name that belongs to it", async () => {
    const { repository, open } = await setUpHttp({
      auth: { username: "x-access-token", password: "ghp_token" },
    });
    const id = await repository.commit({ files: { a: "1" } });
    const engine = await open({
      credentials: { kind: "token", secret: "ghp_token" },
    });
    expect(await engine.fetchHead("main")).toBe(id);
  });

  it("are asked for before every request, so that a rotated secret works at once", async () => {
    const { repository, open } = await setUpHttp({ auth });
    const id = await repository.commit({ files: { a: "1" } });
    let secret = "the old one";
    const engine = await open({
      credentials: async () => ({ ...basic, secret }),
    });
    await expect(engine.fetchHead("main")).rejects.toMatchObject({
      code: "E_GIT_AUTH",
    });
    secret = auth.password;
    expect(await engine.fetchHead("main")).toBe(id);
  });

  it("A35 stay out of every message when they are wrong or missing", async () => {
    const { repository, server, open } = await setUpHttp({ auth });
    await repository.commit({ files: { a: "1" } });
    const secret = "wr0ng/secret+value";
    const wrong = await open({ credentials: { ...basic, secret } });
    const failure = await failureOf(wrong.fetchHead("main"));
    expect(failure).toMatchObject({ code: "E_GIT_AUTH", recovery: "stalled" });
    const push = await failureOf(wrong.commitAndPush(statusRequest(undefined, { a: "1" })));
    expect(push).toMatchObject({ code: "E_GIT_AUTH" });
    server.setFault(() => ({ kind: "reset" }));
    const reset = await failureOf(wrong.fetchHead("main"));
    for (const text of [failure, push, reset].map(allText)) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(`${auth.username}:${secret}`).toString("base64"));
    }
    await wrong.close();
    server.setFault(undefined);
    const without = await open();
    await expect(without.fetchHead("main")).rejects.toMatchObject({
      code: "E_GIT_AUTH",
    });
  });

  it("A35 stay out of every message when the server repeats them, whichever part of an answer it is", async () => {
    const { folder, server } = await setUpHttp({ auth });
    const secret = "wr0ng-secret-value";
    const options = {
      url: server.urlOf("fleet.git"),
      isLocalAllowed: true,
      clock: realClock,
      random: realRandom,
    };
    const credentials = { ...basic, secret };
    const engine = await openGitEngine({
      ...options,
      credentials,
      cacheDir: join(folder, "redacted"),
    });
    onTestFinished(() => engine.close());
    for (const said of [secret, Buffer.from(`${auth.username}:${secret}`).toString("base64url")]) {
      server.setFault(() => ({
        kind: "answer",
        contentType: `text/${said}`,
        body: "",
      }));
      for (const call of [() => engine.fetchHead("main"), () => engine.listBranches()])
        expect(allText(await failureOf(call()))).not.toContain(said);
    }
  });
});

describe("redirects of an http engine", () => {
  it("are followed within the origin, as hosts do for renamed repositories", async () => {
    const { repository, server, open } = await setUpHttp({ auth });
    const id = await repository.commit({ files: { a: "1" } });
    server.setFault(({ path, query }) => {
      return path.startsWith("/old.git") ? { kind: "redirect", location: `/fleet.git/info/refs?${query}` } : undefined;
    });
    const engine = await open({
      url: server.urlOf("old.git"),
      credentials: basic,
    });
    expect(await engine.fetchHead("main")).toBe(id);
    expect(await engine.fetchHead("main")).toBe(id);
    await engine.commitAndPush(statusRequest(undefined, { a: "1" }));
    expect(await repository.head("status")).toBeDefined();
  });

  it("A30 are refused elsewhere: another origin gets no request, and no credential", async () => {
    const { folder, server, open } = await setUpHttp();
    const elsewhere = await startGitHttpServer({ root: folder });
    onTestFinished(() => elsewhere.close());
    for (const target of [
      elsewhere.origin,
      server.origin.replace("127.0.0.1", "localhost"),
      "http://user@127.0.0.1:1",
    ]) {
      server.setFault(() => ({
        kind: "redirect",
        location: `${target}/fleet.git/info/refs?service=git-upload-pack`,
      }));
      const engine = await open({ credentials: basic });
      await expect(engine.fetchHead("main")).rejects.toMatchObject({
        code: "E_GIT_URL",
      });
      await expect(engine.commitAndPush(statusRequest(undefined, { a: "1" }))).rejects.toMatchObject({
        code: "E_GIT_URL",
      });
      await engine.close();
    }
    expect(elsewhere.requests).toEqual([]);
  });

  it.each([
    {
      what: "endless",
      location: "/fleet.git/info/refs?service=git-upload-pack",
      code: "E_GIT_PROTOCOL",
    },
    { what: "to a page", location: "/login", code: "E_GIT_PROTOCOL" },
    {
      what: "to another scheme",
      location: "ftp://127.0.0.1/fleet.git/info/refs",
      code: "E_GIT_URL",
    },
    { what: "to nowhere", location: "http://[", code: "E_GIT_PROTOCOL" },
  ])("that are $what are refused", async ({ location, code }) => {
    const { server, open } = await setUpHttp();
    server.setFault(() => ({ kind: "redirect", location, statusCode: 302 }));
    const engine = await open();
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code });
    expect(server.requests.length).toBeLessThan(10);
  });

  it("of a POST are not followed, and the next fetch starts anew", async () => {
    const { repository, server, open } = await setUpHttp();
    const id = await repository.commit({ files: { a: "1" } });
    const engine = await open();
    await engine.fetchHead("main");
    server.setFault(({ method, path }) => {
      if (!path.startsWith("/fleet.git")) return undefined;
      const location = method === "POST" ? "/new.git/git-upload-pack" : "/fleet.git/info/refs";
      return method === "POST" ? { kind: "redirect", location } : undefined;
    });
    await expect(engine.fetchHead("main")).rejects.toMatchObject({
      code: "E_GIT_PROTOCOL",
    });
    server.setFault(undefined);
    expect(await engine.fetchHead("main")).toBe(id);
  });
});

describe("TLS of an http engine", () => {
  const serverAuth = new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]);
  const loopback = new SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]);

  it("trusts the CA that it is given, and no other", async () => {
    const [ca, otherCa] = await Promise.all([makeCertificateAuthority("git-ca"), makeCertificateAuthority("other-ca")]);
    const tls = await ca.issue("CN=git", [serverAuth, loopback]);
    const { repository, open } = await setUpHttp({ tls, auth });
    const id = await repository.commit({ files: { a: "1" } });
    for (const caBundle of [undefined, otherCa.cert]) {
      const engine = await open({
        credentials: basic,
        ...(caBundle ? { caBundle } : {}),
      });
      const failure = await failureOf(engine.fetchHead("main"));
      const remedy: unknown = expect.stringContaining("NODE_EXTRA_CA_CERTS");
      expect(failure).toMatchObject({ code: "E_GIT_REMOTE", remedy });
      expect(failure.message).toContain("its certificate is not trusted");
      await engine.close();
    }
    const engine = await open({
      credentials: basic,
      caBundle: `${otherCa.cert}\n${ca.cert}`,
    });
    expect(await engine.fetchHead("main")).toBe(id);
  });

  it.each(["auto", "native"] as const)(
    "is asked for whom it trusts before every request, so that a replaced CA counts at once (back-end %s)",
    async (backend) => {
      const ca = await makeCertificateAuthority("git-ca");
      const otherCa = await makeCertificateAuthority("other-ca");
      const tls = await ca.issue("CN=git", [serverAuth, loopback]);
      const { folder, repository, server } = await setUpHttp({ tls, auth });
      const id = await repository.commit({ files: { a: "1" } });
      let caBundle = otherCa.cert;
      const engine = await openGitEngine({
        url: server.urlOf("fleet.git"),
        cacheDir: join(folder, `cache-${backend}`),
        credentials: basic,
        route: async () => ({ caBundle }),
        backend,
        clock: realClock,
        random: realRandom,
      });
      onTestFinished(() => engine.close());
      await expect(engine.fetchHead("main")).rejects.toMatchObject({
        code: "E_GIT_REMOTE",
      });
      caBundle = ca.cert;
      expect(await engine.fetchHead("main")).toBe(id);
      caBundle = otherCa.cert;
      await expect(engine.fetchHead("main")).rejects.toMatchObject({
        code: "E_GIT_REMOTE",
      });
    },
  );

  it("does not trust a certificate of another host", async () => {
    const ca = await makeCertificateAuthority("git-ca");
    const name = new SubjectAlternativeNameExtension([{ type: "dns", value: "git.example.org" }]);
    const { open } = await setUpHttp({
      tls: await ca.issue("CN=git", [serverAuth, name]),
    });
    const engine = await open({ caBundle: ca.cert });
    const failure = await failureOf(engine.fetchHead("main"));
    expect(failure).toMatchObject({
      code: "E_GIT_REMOTE",
      data: { reason: "ERR_TLS_CERT_ALTNAME_INVALID" },
    });
  });
});

describe("a proxy of an http engine", () => {
  it("carries its requests, with the proxy's own credentials", async () => {
    const seen: string[] = [];
    const proxy = createServer((incoming, outgoing) => {
      // Plain http may come as an absolute address.
      const url = new URL(incoming.url ?? "");
      const headers = { ...incoming.headers };
      seen.push(`${incoming.method} ${incoming.headers["proxy-authorization"]}`);
      delete headers["proxy-authorization"];
      const upstream = httpRequest(url, { method: incoming.method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(upstream);
    });
    proxy.on("connect", (incoming, socket, head) => {
      seen.push(`CONNECT ${incoming.headers["proxy-authorization"]}`);
      const [host = "", port = ""] = (incoming.url ?? "").split(":");
      const upstream = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on("error", () => socket.destroy());
      socket.on("error", () => upstream.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const { port } = proxy.address() as AddressInfo;
    const { repository, open } = await setUpHttp({ auth });
    const id = await repository.commit({ files: { a: "1" } });
    const engine = await open({
      credentials: basic,
      proxyUrl: `http://user:p%40ss@127.0.0.1:${port}`,
    });
    expect(await engine.fetchHead("main")).toBe(id);
    const proxyHeader = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((line) => line.endsWith(` ${proxyHeader}`))).toBe(true);
    await engine.close();
  });
});
