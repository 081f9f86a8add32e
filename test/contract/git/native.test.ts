import "reflect-metadata";
import { spawn } from "node:child_process";
import { chmod, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import type { GitEngineOptions } from "../../../src/git/engine/open-git-engine.ts";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import type { GitHttpServer, GitHttpServerOptions } from "../../support/git-http-server.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { findSshd, startSshGitServer } from "../../support/ssh-git-server.ts";
import type { SshGitServer } from "../../support/ssh-git-server.ts";
import { allText, failureOf, statusRequest } from "./http-fixture.ts";

type Open = (options: Partial<GitEngineOptions> & { readonly url: string }) => Promise<GitEngine>;

async function setUp(objectFormat = "sha1"): Promise<{ folder: string; repository: TestRepository; open: Open }> {
  const { path: folder, remove } = await makeTempFolder();
  onTestFinished(remove);
  const repository = await createRepository(join(folder, "fleet.git"), { objectFormat });
  const defaults = { cacheDir: join(folder, "cache"), isLocalAllowed: true, clock: realClock, random: realRandom };
  const open: Open = async (options) => {
    const engine = await openGitEngine({ ...defaults, backend: "native", ...options });
    onTestFinished(() => engine.close());
    return engine;
  };
  return { folder, repository, open };
}

async function serve(root: string, options: Partial<GitHttpServerOptions> = {}): Promise<GitHttpServer> {
  const server = await startGitHttpServer({ root, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** A `git` that records its arguments and environment, and then runs git. */
async function spyOnGit(folder: string): Promise<{ searchPath: string; seen: () => Promise<string> }> {
  const bin = join(folder, "bin");
  const log = join(folder, "git-log");
  await mkdir(bin);
  const script = `#!/bin/sh\n{ printf '%s\\n' "$0" "$@"; env; for f in "$GIT_CONFIG_GLOBAL"; do ls -l "$f"; done; } >> '${log}'\nPATH=/usr/local/bin:/usr/bin:/bin exec git "$@"\n`;
  await writeFile(join(bin, "git"), script);
  await chmod(join(bin, "git"), 0o755);
  return { searchPath: `${bin}:/usr/local/bin:/usr/bin:/bin`, seen: () => readFile(log, "utf8") };
}

describe("the native engine", () => {
  it.each(["sha1", "sha256"])(
    "reads any commit of a folder with ids by %s, fetched or not, and runs nothing of its configuration",
    async (objectFormat) => {
      const { folder, repository, open } = await setUp(objectFormat);
      const first = await repository.commit({ files: { "a.yaml": "1" } });
      const beside = await repository.commit({ branch: "beside", from: first, files: { "a.yaml": "2" } });
      const other = join(folder, "shared clone.git");
      await repository.git("clone", "-q", "--bare", "--shared", repository.path, other);
      await repository.git("config", "core.alternateRefsCommand", `touch '${folder}/ran'; false`);
      for (const [index, url] of [repository.path, other].entries()) {
        const engine = await open({ url, cacheDir: join(folder, `cache-${index}`) });
        expect((await engine.readCommit(beside)).parents).toEqual([first]);
        const [change] = await engine.changedPaths(first, beside);
        expect(Buffer.from(await engine.readBlob(change?.after?.blobId ?? "")).toString()).toBe("2");
        expect(await engine.fetchHead("main")).toBe(first);
        expect(await engine.isAncestor(first, beside)).toBe(true);
        await expect(engine.readCommit(beside.replaceAll(/./gu, "1"))).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
      }
      expect(await readdir(folder)).not.toContain("ran");
    },
  );

  it("reports that git is missing", async () => {
    const { repository, open } = await setUp();
    const engine = await open({ url: repository.path, searchPath: "/nonexistent" });
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  it("A35 A45 keeps credentials out of arguments and environment, and in no file afterwards", async () => {
    const { folder, repository, open } = await setUp();
    const auth = { username: "bot", password: "s3cret/with+signs" };
    const server = await serve(folder, { auth });
    const id = await repository.commit({ files: { a: "1" } });
    const { searchPath, seen } = await spyOnGit(folder);
    const credentials = { kind: "basic" as const, username: auth.username, secret: auth.password };
    const engine = await open({ url: server.urlOf("fleet.git"), credentials, searchPath });
    expect(await engine.fetchHead("main")).toBe(id);
    await engine.commitAndPush(statusRequest(undefined, { a: "1" }));
    const text = await seen();
    expect(text).toContain("fetch");
    // The file that has them is ours alone while git runs, and deleted afterwards.
    expect(text).toMatch(/^-rw------- .*git-config-0$/mu);
    for (const secret of [auth.password, Buffer.from(`${auth.username}:${auth.password}`).toString("base64")]) {
      expect(text).not.toContain(secret);
    }
    const left = await readdir(join(folder, "cache"));
    expect(left.sort()).toEqual(["lock", "repository.git"]);
  });

  it("distinguishes wrong credentials from a stopped server over http", async () => {
    const { folder, repository, open } = await setUp();
    const server = await serve(folder, { auth: { username: "bot", password: "right" } });
    await repository.commit({ files: { a: "1" } });
    const credentials = { kind: "basic" as const, username: "bot", secret: "wrong" };
    const engine = await open({ url: server.urlOf("fleet.git"), credentials });
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_AUTH" });
    await server.close();
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_REMOTE", recovery: "transient" });
  });

  it("A29 trusts the CA that it is given, and follows a repository that was renamed", async () => {
    const { folder, repository, open } = await setUp();
    const ca = await makeCertificateAuthority("git-ca");
    const tls = await ca.issue("CN=git", [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]),
    ]);
    const auth = { username: "x-access-token", password: "t" };
    const server = await serve(folder, { tls, auth });
    server.setFault(({ path, query }) =>
      path.startsWith("/old.git") ? { kind: "redirect", location: `/fleet.git/info/refs?${query}` } : undefined,
    );
    const id = await repository.commit({ files: { a: "1" } });
    const credentials = { kind: "token" as const, secret: "t" };
    const untrusting = await open({ url: server.urlOf("fleet.git"), credentials });
    await expect(untrusting.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    await untrusting.close();
    const engine = await open({ url: server.urlOf("old.git"), credentials, caBundle: ca.cert });
    expect(await engine.fetchHead("main")).toBe(id);
    const status = await engine.commitAndPush(statusRequest(undefined, { a: "1" }));
    expect(await repository.head("status")).toBe(status);
  });

  it("A30 sends no credentials elsewhere when a fetch is redirected", async () => {
    const { folder, repository, open } = await setUp();
    await repository.commit({ files: { a: "1" } });
    const elsewhere = await serve(folder);
    const server = await serve(folder);
    let gets = 0;
    server.setFault(({ method, path, query }) => {
      // Our own read of the refs passes; git's is sent away.
      if (method !== "GET" || ++gets === 1) return undefined;
      return { kind: "redirect", location: `${elsewhere.origin}${path}?${query}` };
    });
    const credentials = { kind: "token" as const, secret: "s3cret" };
    const engine = await open({ url: server.urlOf("fleet.git"), credentials });
    const failure = await failureOf(engine.fetchHead("main"));
    expect(failure).toMatchObject({ code: "E_GIT_REMOTE" });
    expect(allText(failure)).not.toContain("s3cret");
    expect(elsewhere.requests).toEqual([]);
  });

  it("A22 A23 A26 runs nothing that a repository, a user or a machine configures", async () => {
    const { folder, repository, open } = await setUp("sha256");
    const evil = join(folder, "evil");
    const ran = join(folder, "ran");
    await writeFile(evil, `#!/bin/sh\necho "$0 $*" >> ${ran}\nexit 0\n`);
    await chmod(evil, 0o755);
    const hooks = join(repository.path, "hooks");
    await mkdir(hooks, { recursive: true });
    for (const name of [
      "pre-receive",
      "update",
      "post-receive",
      "post-update",
      "reference-transaction",
      "proc-receive",
    ]) {
      await writeFile(join(hooks, name), `#!/bin/sh\nexec ${evil}\n`);
      await chmod(join(hooks, name), 0o755);
    }
    for (const key of [
      "core.fsmonitor",
      "core.sshCommand",
      "core.alternateRefsCommand",
      "uploadpack.packObjectsHook",
    ]) {
      await repository.git("config", key, evil);
    }
    await repository.git("config", "core.hooksPath", hooks);
    await repository.git("config", "filter.evil.smudge", evil);
    const id = await repository.commit({ files: { a: "1", ".gitattributes": "* filter=evil\n" } });
    const submodule = { content: "1".repeat(64), mode: "160000" as const };
    const withModules = await repository.commit({
      files: { sub: submodule, ".gitmodules": `[submodule "sub"]\n\tpath = sub\n\turl = ext::${evil}\n` },
    });
    await rm(ran, { force: true });
    const engine = await open({ url: repository.path });
    expect(await engine.fetchHead("main")).toBe(withModules);
    expect(await engine.changedPaths(id, withModules)).toHaveLength(2);
    await engine.commitAndPush(statusRequest(undefined, { a: "1" }));
    expect(await repository.head("status")).toBeDefined();
    expect(await readFile(ran, "utf8").catch(() => "nothing ran")).toBe("nothing ran");
  });

  it("F15 makes its copy anew when it is damaged", async () => {
    const { folder, repository, open } = await setUp();
    const id = await repository.commit({ files: { a: "right" } });
    const engine = await open({ url: `file://${repository.path}` });
    await engine.fetchHead("main");
    const blobId = (await repository.git("rev-parse", `${id}:a`)).trim();
    const objects = join(folder, "cache", "repository.git", "objects");
    const [pack = ""] = (await readdir(join(objects, "pack"))).filter((name) => name.endsWith(".pack"));
    await rm(join(objects, "pack"), { recursive: true });
    // In the place of the pack one object, with another one's content.
    const wrong = (await repository.gitWithInput("wrong", "hash-object", "-w", "--stdin")).trim();
    await mkdir(join(objects, "pack"));
    await mkdir(join(objects, blobId.slice(0, 2)), { recursive: true });
    const content = await readFile(join(repository.path, "objects", wrong.slice(0, 2), wrong.slice(2)));
    await writeFile(join(objects, blobId.slice(0, 2), blobId.slice(2)), content);
    expect(pack).toMatch(/^pack-/u);
    await engine.close();
    const again = await open({ url: `file://${repository.path}` });
    await expect(again.readBlob(blobId)).rejects.toMatchObject({ code: "E_GIT_CORRUPT" });
    expect(await again.fetchHead("main")).toBe(id);
    expect(Buffer.from(await again.readBlob(blobId)).toString()).toBe("right");
  });

  it("continues with the copy of an earlier run, and without locks that a kill left", async () => {
    const { folder, repository, open } = await setUp();
    const id = await repository.commit({ files: { a: "1" } });
    const server = await serve(folder);
    const first = await open({ url: server.urlOf("fleet.git") });
    await first.fetchHead("main");
    await first.close();
    const copy = join(folder, "cache", "repository.git");
    const [ref = ""] = await readdir(join(copy, "refs", "cache"));
    for (const path of ["packed-refs.lock", "shallow.lock", "config.lock", join("refs", "cache", `${ref}.lock`)]) {
      await writeFile(join(copy, path), "");
    }
    server.clearRequests();
    const second = await open({ url: server.urlOf("fleet.git") });
    expect(await second.listFiles(id)).toHaveLength(1);
    expect(await second.fetchHead("main")).toBe(id);
    expect(server.requests).toHaveLength(2);
    await repository.commit({ files: { a: "2" } });
    expect(await second.fetchHead("main")).toBe(await repository.head("main"));
  });

  it("is one per folder, and follows a repository that was made again with other ids", async () => {
    const { repository, open } = await setUp();
    await repository.commit({ files: { a: "1" } });
    const engine = await open({ url: repository.path });
    await expect(open({ url: repository.path })).rejects.toMatchObject({ code: "E_DIR_LOCKED" });
    await engine.fetchHead("main");
    await rm(repository.path, { recursive: true });
    await createRepository(repository.path, { objectFormat: "sha256" });
    const id = await repository.commit({ files: { a: "1" } });
    expect(id).toHaveLength(64);
    expect(await engine.fetchHead("main")).toBe(id);
    expect(await engine.listFiles(id)).toHaveLength(1);
  });

  it("stops what it started when its signal is aborted", async () => {
    const { folder, repository, open } = await setUp();
    await repository.commit({ files: { a: "1" } });
    const server = await serve(folder);
    const engine = await open({ url: server.urlOf("fleet.git") });
    const abort = new AbortController();
    const reason = new Error("shutting down");
    let posts = 0;
    server.setFault(({ method }) => {
      // Ours asks for the ref; git's second asks for the pack.
      if (method !== "POST" || ++posts === 1) return undefined;
      abort.abort(reason);
      return { kind: "hang" };
    });
    await expect(engine.fetchHead("main", abort.signal)).rejects.toBe(reason);
    server.setFault(undefined);
    expect(await engine.fetchHead("main")).toBe(await repository.head("main"));
  });

  it("holds no blob that is too large, and continues with the next", async () => {
    const { repository, open } = await setUp();
    const id = await repository.commit({ files: { big: "x".repeat(20_000_000), empty: "", small: "s\n" } });
    const engine = await open({ url: repository.path });
    await engine.fetchHead("main");
    const files = await engine.listFiles(id);
    const read = (path: string) =>
      engine.readBlob(files.find((file) => file.path === path)?.blobId ?? "", { maximumBytes: 1000 });
    // All at once: answers come in order, and a dropped one must not take a byte of its neighbours.
    const outcomes = await Promise.allSettled(["small", "big", "empty", "big", "small"].map(read));
    expect(
      outcomes.map((outcome) => (outcome.status === "fulfilled" ? Buffer.from(outcome.value).toString() : "refused")),
    ).toEqual(["s\n", "refused", "", "refused", "s\n"]);
  });
});

const sshd = findSshd();
const withoutSshd = sshd === undefined ? " (skipped: no sshd on this machine)" : "";

describe.skipIf(sshd === undefined)(`the native engine over ssh${withoutSshd}`, () => {
  async function setUpSsh(): Promise<{ folder: string; repository: TestRepository; open: Open; server: SshGitServer }> {
    const made = await setUp();
    const server = await startSshGitServer(sshd ?? "", join(made.folder, "sshd"));
    onTestFinished(() => server.close());
    return { ...made, server };
  }

  it("gives a server up that lets us in and then does not answer", async () => {
    const { folder, repository, open } = await setUp();
    const server = await startSshGitServer(sshd ?? "", join(folder, "sshd"), "cat");
    onTestFinished(() => server.close());
    const engine = await open({ url: server.urlOf(repository.path), ssh: server, timeouts: { responseMs: 2000 } });
    const slow = { code: "E_GIT_REMOTE", data: { reason: "slow" } };
    for (const read of [() => engine.fetchHead("main"), () => engine.listBranches()])
      await expect(read()).rejects.toMatchObject(slow);
  });

  it("A29 sends nothing to a server whose key is not listed", async () => {
    const { folder, repository, open, server } = await setUpSsh();
    await repository.commit({ files: { a: "1" } });
    const url = server.urlOf(repository.path);
    const other = await startSshGitServer(sshd ?? "", join(folder, "other-sshd"));
    onTestFinished(() => other.close());
    const wrongKey = other.knownHosts.replace(`:${other.port}`, `:${server.port}`);
    const refusals = [
      ["", "known_hosts is empty"],
      ["\n", "known_hosts is empty"],
      [other.knownHosts, "known_hosts has no key of the server"],
      [wrongKey, "the server has another key than known_hosts has for it: SHA256:"],
    ] as const;
    for (const [knownHosts, words] of refusals) {
      const engine = await open({ url, ssh: { identity: server.identity, knownHosts } });
      const message = expect.stringContaining(words) as string;
      await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_AUTH", message });
      await engine.close();
    }
    const engine = await open({ url, ssh: { identity: server.identity, knownHosts: server.knownHosts } });
    expect(await engine.fetchHead("main")).toBe(await repository.head("main"));
  });

  it("distinguishes a refused key, a missing repository and a missing server", async () => {
    const { folder, repository, open, server } = await setUpSsh();
    await repository.commit({ files: { a: "1" } });
    const other = await startSshGitServer(sshd ?? "", join(folder, "other-sshd"));
    onTestFinished(() => other.close());
    const { knownHosts } = server;
    const url = server.urlOf(repository.path);
    const refused = await open({ url, ssh: { identity: other.identity, knownHosts } });
    const failure = await failureOf(refused.fetchHead("main"));
    const message = expect.stringContaining("the server refuses the deploy key: ") as string;
    expect(failure).toMatchObject({ code: "E_GIT_AUTH", recovery: "stalled", message });
    expect(allText(failure)).not.toContain(other.identity.split("\n")[1]);
    await refused.close();
    const missing = await open({ url: server.urlOf("/nowhere.git"), ssh: { identity: server.identity, knownHosts } });
    await expect(missing.fetchHead("main")).rejects.toMatchObject({
      code: "E_GIT_REMOTE",
      data: { reason: "repository" },
    });
    await missing.close();
    const engine = await open({ url, ssh: { identity: server.identity, knownHosts } });
    await server.close();
    await expect(engine.fetchHead("main")).rejects.toMatchObject({
      code: "E_GIT_REMOTE",
      recovery: "transient",
      data: { reason: "unreachable" },
    });
  });

  it("takes up a rotated key, keeps it in files of its own, and removes them", async () => {
    const { folder, repository, open, server } = await setUpSsh();
    const id = await repository.commit({ files: { a: "1" } });
    let identity = "not a key";
    const message = expect.stringContaining("ssh cannot read the deploy key: ") as string;
    const ssh = async () => ({ identity, knownHosts: server.knownHosts });
    const engine = await open({ url: server.urlOf(repository.path), ssh });
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_AUTH", message });
    identity = server.identity.replaceAll("\n", "\r\n");
    expect(await engine.fetchHead("main")).toBe(id);
    const { mode } = await import("node:fs").then((fs) => fs.statSync(join(folder, "cache", "ssh", "identity")));
    expect(mode & 0o777).toBe(0o600);
    await engine.close();
    expect((await readdir(join(folder, "cache"))).sort()).toEqual(["repository.git"]);
  });

  it("leaves nothing running when it is closed", async () => {
    const { folder, repository, open, server } = await setUpSsh();
    await repository.commit({ files: { a: "1" } });
    const engine = await open({
      url: server.urlOf(repository.path),
      ssh: { identity: server.identity, knownHosts: server.knownHosts },
    });
    await engine.fetchHead("main");
    await engine.close();
    const list = spawn("ps", ["-eo", "args"]);
    const lines: Buffer[] = [];
    list.stdout.on("data", (chunk: Buffer) => lines.push(chunk));
    await new Promise((resolve) => list.on("close", resolve));
    const ours = Buffer.concat(lines)
      .toString()
      .split("\n")
      .filter((line) => line.includes(join(folder, "cache")));
    expect(ours).toEqual([]);
  });
});
