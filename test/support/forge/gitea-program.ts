// A real Gitea (or Forgejo) for tests, where its program is on PATH: loopback only, own temp folder, gone after stop().
import { execFile, spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../free-port.ts";
import { until } from "../until.ts";

const run = promisify(execFile);

export interface GiteaProgram {
  readonly url: string;
  /** Makes a user with a password; `isAdmin` may do everything. */
  addUser(name: string, isAdmin?: boolean): Promise<void>;
  /** A token of that user with scopes such as `write:repository,write:issue`. */
  makeToken(user: string, scopes: string): Promise<string>;
  /** Calls the API and gives its JSON; throws unless the answer is a success. */
  call(token: string, method: string, path: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** The name of the program, or undefined when there is none. */
export function findGitea(): string | undefined {
  return ["gitea", "forgejo"].find((name) => spawnSync(name, ["--version"]).status === 0);
}

export async function startGitea(program: string): Promise<GiteaProgram> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-gitea-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, "custom", "conf", "app.ini");
  await mkdir(join(folder, "custom", "conf"), { recursive: true });
  await writeFile(config, configuration(folder, port));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    USER: userInfo().username,
    GITEA_WORK_DIR: folder,
    FORGEJO_WORK_DIR: folder,
  };
  const command = (...args: string[]) => run(program, [...args, "--config", config], { env, cwd: folder });
  await command("migrate");
  const server = spawn(program, ["web", "--config", config], { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const output: string[] = [];
  for (const stream of [server.stdout, server.stderr])
    stream.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  const ended = new Promise<void>((resolve) => server.on("close", () => resolve()));
  const stop = async () => {
    server.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await waitUntilUp(url, () => server.exitCode !== null, output);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    stop,
    async addUser(name, isAdmin = false) {
      const flags = ["--username", name, "--password", `pw-of-${name}-1!`, "--email", `${name}@example.org`];
      await command(
        "admin",
        "user",
        "create",
        ...flags,
        "--must-change-password=false",
        ...(isAdmin ? ["--admin"] : []),
      );
    },
    async makeToken(user, scopes) {
      const flags = ["--username", user, "--token-name", scopes.replaceAll(/\W/gu, "-"), "--scopes", scopes, "--raw"];
      const { stdout } = await command("admin", "user", "generate-access-token", ...flags);
      return stdout.trim().split(/\s+/u).at(-1) ?? "";
    },
    async call(token, method, path, body) {
      const headers = { authorization: `token ${token}`, "content-type": "application/json" };
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: HTTP ${answer.status} ${text}`);
      return text === "" ? undefined : (JSON.parse(text) as unknown);
    },
  };
}

function configuration(folder: string, port: number): string {
  const isRoot = process.getuid?.() === 0;
  return `RUN_USER = ${userInfo().username}
RUN_MODE = prod
${isRoot ? "I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true" : ""}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${folder}/gitea.db
[repository]
ROOT = ${folder}/repositories
[security]
INSTALL_LOCK = true
PASSWORD_HASH_ALGO = pbkdf2
[service]
DISABLE_REGISTRATION = true
[log]
MODE = console
LEVEL = Warn
[cron]
ENABLED = false
[actions]
ENABLED = false
[webhook]
ALLOWED_HOST_LIST = loopback
`;
}

async function waitUntilUp(url: string, hasEnded: () => boolean, output: readonly string[]): Promise<void> {
  const isUp = (): Promise<boolean> =>
    fetch(`${url}/api/healthz`).then(
      (answer) => answer.ok,
      () => false,
    );
  const printed = (): string => output.join("").slice(-2000);
  // Undefined when it is up. What it printed is shown if it never is.
  await until(
    async () => {
      if (hasEnded()) throw new Error(`gitea ended: ${printed()}`);
      return (await isUp()) ? undefined : `gitea does not answer: ${printed()}`;
    },
    (problem) => problem === undefined,
  );
}
