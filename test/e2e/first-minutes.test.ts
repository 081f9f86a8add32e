import { spawn } from "node:child_process";
import { chmod, cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { ClassicLevel } from "classic-level";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeControlPlaneKeys } from "../support/control-plane-keys.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import { startRollcall } from "../support/rollcall-process.ts";

const root = resolve(import.meta.dirname, "../..");
const page = await readFile(join(root, "docs/first-minutes.md"), "utf8");
const messages = [...page.matchAll(/^```text\n(.*?)^```$/gmsu)].map(([, message = ""]) => message);
/** Of the user that owns nothing; only root can start a process as another user. */
const nobodyId = 65534;
const isRoot = process.getuid?.() === 0;

interface Start {
  readonly command?: string;
  readonly nodeOptions?: readonly string[];
  readonly program?: string;
  readonly path?: string;
  readonly uid?: number;
}

describe("a start that fails", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let installed: string;
  /** Messages that a start of this file printed. */
  const seen: string[] = [];

  beforeAll(async () => {
    folder = await makeTempFolder();
    // Where another user may read it.
    await chmod(folder.path, 0o755);
    installed = join(folder.path, "installed");
    for (const part of ["bin", "dist", "examples-repo", "package.json"]) {
      await cp(join(root, part), join(installed, part), { recursive: true });
    }
    const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
      readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
    };
    for (const [path, { dev }] of Object.entries(lock.packages)) {
      if (path !== "" && dev !== true) await cp(join(root, path), join(installed, path), { recursive: true });
    }
  });
  afterAll(() => folder.remove());

  /** Starts the program, and resolves with its exit code and the two streams. */
  async function start(args: readonly string[], options: Start = {}) {
    const { nodeOptions = [], program = installed, path = process.env["PATH"] ?? "", uid } = options;
    const child = spawn(process.execPath, [...nodeOptions, join(program, "bin/rollcall.js"), ...args], {
      cwd: folder.path,
      env: { PATH: path, HOME: folder.path },
      stdio: ["ignore", "pipe", "pipe"],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    const text = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (part: string) => (text[name] += part));
    }
    const code = await new Promise((done, reject) => child.on("error", reject).on("close", done));
    return { code, ...text };
  }

  /** The failure is on the page with this text, after the names of this run were replaced. */
  function expectOnPage(
    failed: { readonly code: unknown; readonly stderr: string },
    names: Record<string, string> = {},
  ) {
    let text = failed.stderr;
    for (const [name, value] of Object.entries(names)) text = text.replaceAll(value, name);
    expect(messages).toContain(text);
    seen.push(text);
    expect(failed.code).toBe(1);
    expect(text).not.toMatch(/^ +at /mu);
  }

  it("names the Node.js that is too old", async () => {
    const seam = join(folder.path, "old.cjs");
    const versions = `{ value: { ...process.versions, node: "18.20.8" } }`;
    await writeFile(seam, `Object.defineProperty(process, "versions", ${versions});\n`);
    expectOnPage(await start(["up"], { nodeOptions: ["--require", seam] }));
  });

  it("is about the same Node.js as the package", async () => {
    const { engines } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { engines: { node: string } };
    const [, major, minor] = /^>=(\d+)\.(\d+)$/u.exec(engines.node) ?? [];
    expect(await readFile(join(root, "bin/rollcall.js"), "utf8")).toContain(`var needed = [${major}, ${minor}];`);
  });

  it("asks for npm ci in a checkout that is not built, or without its packages", async () => {
    const program = join(folder.path, "checkout");
    await cp(join(installed, "bin"), join(program, "bin"), { recursive: true });
    expectOnPage(await start(["up"], { program }));
    await cp(join(installed, "dist"), join(program, "dist"), { recursive: true });
    const failed = await start(["up"], { program });
    expectOnPage({ ...failed, stderr: failed.stderr.replace(/(?<=imported from ).*/u, "FILE") });
  });

  it("names the port that is in use", async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const port = String((server.address() as AddressInfo).port);
    expectOnPage(await start(["up", "--dir", "busy", "--hub-port", port]), { PORT: port });
    expectOnPage(await start(["up", "--dir", "busy", "--clusters", "0", "--port", port]), { PORT: port });
    await new Promise((done) => server.close(done));
  });

  it.runIf(isRoot)("names the folder that this user may not write, or another user wrote", async () => {
    const dir = join(folder.path, "closed");
    await mkdir(dir, { mode: 0o755 });
    expectOnPage(await start(["up", "--dir", dir], { uid: nobodyId }), { FOLDER: `${dir}/clusters` });
    await mkdir(join(dir, "clusters"), { mode: 0o755 });
    await writeFile(join(dir, "rollcall.log"), "", { mode: 0o600 });
    expectOnPage(await start(["up", "--dir", dir], { uid: nobodyId }), { FOLDER: dir });
  });

  it("names the file in the place of a folder", async () => {
    const dir = join(folder.path, "file");
    await writeFile(dir, "");
    expect(await start(["up", "--dir", dir])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^rollcall: E_ACCESS: mkdir \S+: ENOTDIR\nWhat to do: .*\nSee: docs\/errors\/E_ACCESS\.md\n$/u,
      ) as string,
    });
  });

  it("names the fleet that runs already, and what is wrong with its store later", async () => {
    const dir = join(folder.path, "twice");
    const first = startRollcall(["up", "--dir", dir, "--clusters", "0"]);
    await first.whenPrinted(/^clusters /mu);
    const ports = JSON.parse(await readFile(join(dir, "ports.json"), "utf8")) as { page: number };
    const names = { PORT: String(ports.page), FOLDER: dir, PID: String(first.pid) };
    expectOnPage(await start(["up", "--dir", dir]), names);
    first.kill("SIGTERM");
    await first.finished;

    const level = new ClassicLevel<string, Buffer>(join(dir, "hub/store/log"), { valueEncoding: "buffer" });
    await level.put("meta", Buffer.from(JSON.stringify({ format: 2 })));
    await level.close();
    expectOnPage(await start(["up", "--dir", dir]), { FOLDER: dir });

    const log = join(dir, "hub/store/log");
    for (const name of await readdir(log)) if (name.startsWith("MANIFEST")) await rm(join(log, name));
    expectOnPage(await start(["up", "--dir", dir]), { FOLDER: dir });
  });

  it("names the hub that is too old, before anything is written to it", async () => {
    const asked: string[] = [];
    const { ca, server: keys } = await makeControlPlaneKeys();
    const server = createHttpsServer(keys, (request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.setHeader("Content-Type", "application/json").end(JSON.stringify({ gitVersion: "v1.28.15" }));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const trusted = { "certificate-authority-data": Buffer.from(ca.cert).toString("base64") };
    const hub = {
      clusters: [{ name: "old", cluster: { server: url, ...trusted } }],
      users: [{ name: "old", user: {} }],
    };
    const contexts = [{ name: "old", context: { cluster: "old", user: "old" } }];
    const kubeconfig = join(folder.path, "old.kubeconfig");
    await writeFile(kubeconfig, JSON.stringify({ apiVersion: "v1", kind: "Config", ...hub, contexts }));
    const repository = join(folder.path, "fleet.git");
    await createRepository(repository);
    const place = ["--repo", repository, "--kubeconfig", kubeconfig, "--context", "old"];
    expectOnPage(await start(["run", "--install-crds", "--default-workspace", "fleet", ...place]), { URL: url });
    expect(asked).toEqual(["GET /version"]);
    await new Promise((done) => server.close(done));
  });

  it("is none without git: the repository has no work tree then", async () => {
    const dir = join(folder.path, "no-git");
    const { code, stdout } = await start(["up", "--dir", dir, "--clusters", "1", "--exit-when-healthy"], {
      path: "/nonexistent",
    });
    expect(code).toBe(0);
    const line = `${/^repository .*$/mu.exec(stdout)?.[0].replace(dir, "FOLDER")}\n`;
    expect(messages).toContain(line);
    seen.push(line);
  });

  it.runIf(isRoot)("prints in the tests above each message of the page", () => {
    expect(messages.filter((message) => !seen.includes(message))).toEqual([]);
  });
});
