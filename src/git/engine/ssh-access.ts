import { spawn } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { withDeadline } from "../../core/timer.ts";
import { writeFileDurably } from "../local/durable-files.ts";
import { temporaryName } from "../local/folder-lock.ts";
import { hasPassphrase } from "./has-passphrase.ts";
import { defaultSearchPath } from "./native-git.ts";
import { hostsRemedy, keyRemedy } from "./ssh-refusal.ts";

/** What ssh needs, as it is in a Secret. */
export interface SshCredentials {
  /** The deploy key: a private key without passphrase, in OpenSSH or PEM form. */
  readonly identity: string;
  /** The server's keys, as ssh-keyscan prints them. Without them nothing is sent: no key is trusted on first sight. */
  readonly knownHosts: string;
}

export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
}

/** The host, port and user of an ssh address (`ssh://...` or `user@host:path`). */
export function sshTargetOf(address: string): SshTarget {
  if (/^ssh:/iu.test(address)) {
    const url = new URL(address);
    const user = url.username === "" ? undefined : decodeURIComponent(url.username);
    return { host: url.hostname.replace(/^\[|\]$/gu, ""), port: Number(url.port || 22), user };
  }
  const [, user, host = ""] = /^([^@]+)@([^:]+):/u.exec(address) ?? [];
  return { host, port: 22, user };
}

/**
 * Writes the key and the known hosts to files that only we can read, and returns the ssh command that uses these and
 * nothing else: no configuration, agent, password or question, and no key of a server that is not listed.
 * @throws E_GIT_AUTH when one of the two is missing, or the key has a passphrase
 */
export async function prepareSsh(
  folder: string,
  { identity, knownHosts }: SshCredentials,
  random: Random,
): Promise<string> {
  if (identity.trim() === "") throw unusable("no private key is given", keyRemedy);
  if (hasPassphrase(identity)) throw unusable("the private key has a passphrase", keyRemedy);
  if (knownHosts.trim() === "")
    throw unusable("known_hosts is empty, and no key is trusted on first sight", hostsRemedy);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const write = async (name: string, content: string): Promise<string> => {
    const path = join(folder, name);
    const text = `${content.replaceAll("\r\n", "\n").trim()}\n`;
    await writeFileDurably(path, text, { temporaryPath: join(folder, temporaryName(random)), mode: 0o600 });
    return path;
  };
  const keyFile = await write("identity", identity);
  const hostsFile = await write("known_hosts", knownHosts);
  return ["ssh", ...sshOptions(keyFile, hostsFile).map(quoteForShell)].join(" ");
}

export async function removeSshFiles(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/**
 * Finds out by a session whether the server lets us in, which git does not report: then the repository is why git could not
 * use ssh.
 */
export async function isLetIn(options: {
  readonly target: SshTarget;
  readonly sshCommand: string;
  readonly searchPath?: string;
  /** For the session: a server may let us in, and never end it. Default 30 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}): Promise<boolean> {
  const { target, sshCommand, searchPath = defaultSearchPath, timeoutMs = 30_000, signal } = options;
  const destination = target.user === undefined ? target.host : `${target.user}@${target.host}`;
  const probe = `exec ${sshCommand} -T -p ${target.port} -- ${quoteForShell(destination)} true`;
  const exitCode = await withDeadline(timeoutMs, (deadline) => {
    const ending = AbortSignal.any([deadline, ...(signal ? [signal] : [])]);
    const child = spawn("/bin/sh", ["-c", probe], { env: { PATH: searchPath }, stdio: "ignore", signal: ending });
    return new Promise<number | null>((resolve) => {
      child.on("error", () => resolve(null)); // ended, or no shell: the repository is as good a guess as any
      child.on("close", resolve);
    });
  });
  signal?.throwIfAborted();
  // 255 is ssh's own failure; everything else comes from the other side, which has let us in. Source: ssh(1).
  return exitCode !== 255;
}

function sshOptions(keyFile: string, hostsFile: string): string[] {
  const settings = [
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    `UserKnownHostsFile=${hostsFile}`,
    "GlobalKnownHostsFile=/dev/null",
    "UpdateHostKeys=no",
    "CheckHostIP=no",
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "PreferredAuthentications=publickey",
    "ForwardAgent=no",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    "ConnectTimeout=10",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=4",
    // Older programs do not know it and need not stop for it.
    "IgnoreUnknown=RequiredRSASize",
    "RequiredRSASize=2048",
  ];
  return ["-F", "/dev/null", "-i", keyFile, ...settings.flatMap((setting) => ["-o", setting])];
}

/** git gives the command to a shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function unusable(reason: string, remedy: string): AppError {
  return new AppError("E_GIT_AUTH", `use the repository by ssh: ${reason}`, { remedy });
}
