import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { encodePacket } from "../../../src/git/wire/pkt-line.ts";
import type { GitServerFault, GitServerRequest } from "../../support/git-http-server.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { allText, failureOf, setUpHttp, statusRequest } from "./http-fixture.ts";

async function installHook(repository: TestRepository, name: string, script: string): Promise<void> {
  await mkdir(join(repository.path, "hooks"), { recursive: true });
  await writeFile(join(repository.path, "hooks", name), `#!/bin/sh\n${script}\n`);
  await chmod(join(repository.path, "hooks", name), 0o755);
}

const isPost = (request: GitServerRequest): boolean => request.method === "POST";
const isPush = (request: GitServerRequest): boolean =>
  request.path.endsWith("/git-receive-pack") || request.query === "service=git-receive-pack";

describe("an http engine and a server that fails", () => {
  it("F19 reports that the server cannot be reached, and continues when it can", async () => {
    const { repository, server, open } = await setUpHttp();
    const id = await repository.commit({ files: { a: "1" } });
    const engine = await open();
    expect(await engine.fetchHead("main")).toBe(id);
    server.setFault(() => ({ kind: "reset" }));
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_REMOTE", recovery: "transient" });
    expect(await engine.listFiles(id)).toHaveLength(1);
    server.setFault(undefined);
    expect(await engine.fetchHead("main")).toBe(id);
    await server.close();
    const failure = await failureOf(engine.fetchHead("main"));
    expect(failure).toMatchObject({ code: "E_GIT_REMOTE", data: { reason: "ECONNREFUSED" } });
  });

  it("asks once more when the server closed an idle connection", async () => {
    const { repository, server, open } = await setUpHttp();
    const id = await repository.commit({ files: { a: "1" } });
    const engine = await open();
    let isFirst = true;
    server.setFault(() => {
      const fault: GitServerFault | undefined = isFirst ? { kind: "reset" } : undefined;
      isFirst = false;
      return fault;
    });
    expect(await engine.fetchHead("main")).toBe(id);
  });

  it.each([
    {
      statusCode: 503,
      headers: { "retry-after": "7" },
      code: "E_GIT_REMOTE",
      data: { statusCode: 503, retryAfterMs: 7000 },
    },
    { statusCode: 500, headers: {}, code: "E_GIT_REMOTE", data: { statusCode: 500 } },
    { statusCode: 429, headers: {}, code: "E_GIT_REMOTE", data: { statusCode: 429 } },
    { statusCode: 403, headers: { "x-ratelimit-remaining": "0" }, code: "E_GIT_REMOTE", data: { statusCode: 403 } },
    { statusCode: 403, headers: {}, code: "E_GIT_AUTH", data: { statusCode: 403 } },
    { statusCode: 401, headers: {}, code: "E_GIT_AUTH", data: { statusCode: 401 } },
    { statusCode: 203, headers: {}, code: "E_GIT_AUTH", data: { statusCode: 203 } },
    { statusCode: 404, headers: {}, code: "E_GIT_REMOTE", data: { statusCode: 404 } },
    { statusCode: 204, headers: {}, code: "E_GIT_PROTOCOL", data: { statusCode: 204 } },
  ])("F19 takes HTTP $statusCode with $headers for $code", async ({ statusCode, headers, code, data }) => {
    const { server, open } = await setUpHttp();
    server.setFault(() => ({ kind: "status", statusCode, headers: { ...headers } as Record<string, string> }));
    const engine = await open();
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code, data });
  });

  it.each([
    { what: "a page", contentType: "text/html", body: "<html>Sign in</html>" },
    {
      what: "a dumb server",
      contentType: "text/plain",
      body: "0123456789012345678901234567890123456789\trefs/heads/main\n",
    },
    { what: "no packets", contentType: "application/x-git-upload-pack-advertisement", body: "hello there" },
    {
      what: "a packet that is cut off",
      contentType: "application/x-git-upload-pack-advertisement",
      body: "001e# service=git-up",
    },
    { what: "no refs", contentType: "application/x-git-upload-pack-advertisement", body: "0009junk\n0000" },
    { what: "an impossible length", contentType: "application/x-git-upload-pack-advertisement", body: "ffff" },
  ])("takes $what for no answer of a git server", async ({ contentType, body }) => {
    const { server, open } = await setUpHttp();
    server.setFault(() => ({ kind: "answer", contentType, body }));
    const engine = await open();
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
  });

  it("shows the server's message, without control characters", async () => {
    const { server, open } = await setUpHttp();
    const body = Buffer.concat([encodePacket("ERR \u001b[31mno access\u0007 for you\n"), Buffer.from("0000")]);
    server.setFault(() => ({ kind: "answer", contentType: "application/x-git-upload-pack-advertisement", body }));
    const engine = await open();
    const failure = await failureOf(engine.fetchHead("main"));
    expect(failure).toMatchObject({ code: "E_GIT_REMOTE" });
    expect(failure.message).toMatch(/the server reports: \[31mno access for you$/u);
  });

  it.each(["truncate", "shorten"] as const)("takes no harm from answers that %s at any place", async (kind) => {
    const { repository, server, open } = await setUpHttp();
    await repository.commit({ files: { a: "1", b: "content ".repeat(40) } });
    const engine = await open();
    for (let bytes = 1; bytes < 700; bytes += 47) {
      const id = await repository.commit({ files: { a: `${bytes}` } });
      server.setFault((request) => (isPost(request) ? { kind, bytes } : undefined));
      const head = await engine.fetchHead("main").catch((error: unknown) => {
        expect(["E_GIT_REMOTE", "E_GIT_PROTOCOL"]).toContain((error as { code?: string }).code);
        return "failed";
      });
      // Never "no such branch", never a commit whose files are not here.
      expect(["failed", id]).toContain(head);
      server.setFault(undefined);
      expect(await engine.fetchHead("main")).toBe(id);
      expect(await engine.listFiles(id)).toHaveLength(2);
    }
  });

  it("gives up on a server that does not answer, and on request", async () => {
    const { server, open } = await setUpHttp();
    server.setFault(() => ({ kind: "hang" }));
    const engine = await open({ timeouts: { responseMs: 100 } });
    await expect(engine.fetchHead("main")).rejects.toMatchObject({
      code: "E_GIT_REMOTE",
      data: { reason: "UND_ERR_HEADERS_TIMEOUT" },
    });
    await engine.close();
    const patient = await open();
    const abort = new AbortController();
    const reason = new Error("shutting down");
    server.setFault(() => {
      abort.abort(reason);
      return { kind: "hang" };
    });
    await expect(patient.fetchHead("main", abort.signal)).rejects.toBe(reason);
  });

  it("ends its requests when it is closed", async () => {
    const { server, open } = await setUpHttp();
    const engine = await open();
    const arrived = new Promise<void>((resolve) => {
      server.setFault(() => {
        resolve();
        return { kind: "hang" };
      });
    });
    const failure = failureOf(engine.fetchHead("main"));
    await arrived;
    await engine.close();
    expect(await failure).toMatchObject({ code: "E_GIT_REMOTE" });
  });

  it("gives up on a connection that is never answered", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { open } = await setUpHttp();
    const { port } = server.address() as AddressInfo;
    // TLS: connected, but the handshake gets no answer.
    const engine = await open({ url: `https://127.0.0.1:${port}/fleet.git`, timeouts: { connectMs: 100 } });
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
  });

  it("A16 refuses more than it can hold, and objects that unpack to too much", async () => {
    const { repository, open } = await setUpHttp();
    await repository.commit({ files: { bomb: "\0".repeat(3_000_000) } });
    const total = await open({ limits: { maximumInflatedBytes: 1_000_000 } });
    await expect(total.fetchHead("main")).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    await total.close();
    const narrow = await open({ maximumPackBytes: 200 });
    await expect(narrow.fetchHead("main")).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  it("reports that SHA-256 ids need the native back-end", async () => {
    const { repository, open } = await setUpHttp({ objectFormat: "sha256" });
    await repository.commit({ files: { a: "1" } });
    const engine = await open();
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });
});

describe("an http engine whose push is refused", () => {
  it.each([
    { statusCode: 403, code: "E_GIT_PUSH_DENIED" },
    { statusCode: 404, code: "E_GIT_PUSH_DENIED" },
    { statusCode: 401, code: "E_GIT_AUTH" },
    { statusCode: 502, code: "E_GIT_REMOTE" },
  ])("F19 takes HTTP $statusCode for $code", async ({ statusCode, code }) => {
    const { server, open } = await setUpHttp();
    server.setFault((request) => (isPush(request) ? { kind: "status", statusCode } : undefined));
    const engine = await open();
    await expect(engine.commitAndPush(statusRequest(undefined, { a: "1" }))).rejects.toMatchObject({ code });
    expect(await engine.fetchHead("status")).toBeUndefined();
  });

  it.each([
    { hook: "pre-receive", script: "echo 'only by pull request' >&2; exit 1" },
    { hook: "update", script: "echo 'only by pull request' >&2; exit 1" },
  ])("shows why a $hook hook refuses it", async ({ hook, script }) => {
    const { repository, open } = await setUpHttp();
    await installHook(repository, hook, script);
    const engine = await open();
    const failure = await failureOf(engine.commitAndPush(statusRequest(undefined, { a: "1" })));
    expect(failure).toMatchObject({ code: "E_GIT_PUSH_DENIED", recovery: "stalled" });
    expect(failure.message).toContain("only by pull request");
    expect(await repository.head("status")).toBeUndefined();
  });

  it("A35 shows no credential that a hook prints", async () => {
    const auth = { username: "bot", password: "s3cret/token+value" };
    const { repository, open } = await setUpHttp({ auth });
    const base64 = Buffer.from(`${auth.username}:${auth.password}`).toString("base64");
    await installHook(repository, "update", `echo 'got ${auth.password} as ${base64}' >&2; exit 1`);
    const engine = await open({ credentials: { kind: "basic", username: auth.username, secret: auth.password } });
    const text = allText(await failureOf(engine.commitAndPush(statusRequest(undefined, { a: "1" }))));
    expect(text).toMatch(/got \*\*\* as \S*\*\*\*/u);
    expect(text).not.toContain(auth.password);
    expect(text).not.toContain(base64);
  });

  it("F14 distinguishes a lost race from a refusal when the branch moves during the push", async () => {
    const { repository, open } = await setUpHttp();
    const engine = await open();
    const parent = await engine.commitAndPush(statusRequest(undefined, { a: "1" }));
    const other = await repository.commit({ branch: "other", files: { b: "1" }, from: parent });
    // Runs after the refs were compared, before the ref is locked: the moment in which races happen.
    await installHook(
      repository,
      "pre-receive",
      `unset GIT_QUARANTINE_PATH; git update-ref refs/heads/status ${other}`,
    );
    const failure = await failureOf(engine.commitAndPush(statusRequest(parent, { a: "2" })));
    expect(failure).toMatchObject({ code: "E_GIT_PUSH_RACE", data: { expected: parent, actual: other } });
    expect(await repository.head("status")).toBe(other);
  });

  it("finds its own commit when the answer to a push was lost", async () => {
    const { repository, server, open } = await setUpHttp();
    const engine = await open();
    server.setFault((request) => (isPost(request) && isPush(request) ? { kind: "truncate", bytes: 1 } : undefined));
    const failure = await failureOf(engine.commitAndPush(statusRequest(undefined, { a: "1" })));
    expect(failure).toMatchObject({ recovery: "transient" });
    server.setFault(undefined);
    const head = await engine.fetchHead("status");
    expect(head).toBe(await repository.head("status"));
    expect(await engine.commitAndPush(statusRequest(head, { a: "1" }))).toBe(
      head ?? (await engine.fetchHead("status")),
    );
  });

  it("is refused by a server that checks objects only for objects that are wrong", async () => {
    const { repository, open } = await setUpHttp();
    await repository.git("config", "receive.fsckObjects", "true");
    await repository.git("config", "receive.denyNonFastForwards", "true");
    const engine = await open();
    const parent = await engine.commitAndPush(statusRequest(undefined, { "a/b": "1", "a.b": "2", "a-b": "3" }));
    await engine.commitAndPush(statusRequest(parent, { "a/c": "1" }));
    await repository.assertSound();
  });
});
