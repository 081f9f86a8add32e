import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";

export interface SshGitServer {
  readonly port: number;
  readonly user: string;
  /** The private key that may log in. */
  readonly identity: string;
  /** The server's keys, as a known_hosts file. */
  readonly knownHosts: string;
  /** The address of a repository by its absolute path. */
  urlOf(path: string): string;
  close(): Promise<void>;
}

/** The sshd of this machine: SSHD in the environment, or where packages put it; undefined when there is none. */
export function findSshd(): string | undefined {
  const candidates = [process.env.SSHD, "/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"];
  return candidates.find((path) => path !== undefined && existsSync(path));
}

/** A real sshd on loopback whose one key may run git and nothing else; `command`: what it runs in the place of git. */
export async function startSshGitServer(sshd: string, folder: string, command?: string): Promise<SshGitServer> {
  await mkdir(folder, { recursive: true });
  const makeKey = (name: string): void => {
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
  };
  makeKey("host");
  makeKey("id");
  const force = join(folder, "force.sh");
  await writeFile(force, `#!/bin/sh\nexec ${command ?? 'git-shell -c "$SSH_ORIGINAL_COMMAND"'}\n`);
  await chmod(force, 0o755);
  const publicKey = await readFile(join(folder, "id.pub"), "utf8");
  await writeFile(join(folder, "authorized_keys"), `command="${force}",restrict ${publicKey}`);
  const port = await freePort(); // sshd takes no port 0
  const settings = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${join(folder, "host")}`,
    `AuthorizedKeysFile ${join(folder, "authorized_keys")}`,
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "StrictModes no",
    "UsePAM no",
    "AcceptEnv GIT_PROTOCOL",
    "MaxStartups 100",
    `PidFile ${join(folder, "sshd.pid")}`,
  ];
  await writeFile(join(folder, "sshd_config"), `${settings.join("\n")}\n`);
  if (process.getuid?.() === 0) await mkdir("/run/sshd", { recursive: true });
  const child = spawn(sshd, ["-D", "-e", "-f", join(folder, "sshd_config")], { stdio: ["ignore", "ignore", "pipe"] });
  const log: string[] = [];
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      log.push(chunk.toString());
      if (log.join("").includes("Server listening")) resolve();
    });
    child.once("error", reject);
    child.once("close", () => reject(new Error(`sshd ended: ${log.join("")}`)));
  });
  const user = userInfo().username;
  const hostKey = (await readFile(join(folder, "host.pub"), "utf8")).split(" ").slice(0, 2).join(" ");
  return {
    port,
    user,
    identity: await readFile(join(folder, "id"), "utf8"),
    knownHosts: `[127.0.0.1]:${port} ${hostKey}\n`,
    urlOf: (path) => `ssh://${user}@127.0.0.1:${port}${path}`,
    close: async () => {
      child.kill();
      await ended;
    },
  };
}
