import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallSpawn {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onOutput?: (chunk: Buffer) => void;
  readonly onErrorOutput?: (chunk: Buffer) => void;
}

export interface SmallProcess {
  readonly stdin: Socket;
  /** Its exit code, null when it was killed. Rejects when it could not be started. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

/**
 * Starts a program as a child of a small process. To start one copies the page tables of its parent: in a worker that has run
 * many files this takes longer than the program itself.
 */
export async function spawnSmall(options: SmallSpawn): Promise<SmallProcess> {
  const { command, args, cwd, env } = options;
  parentPath ??= startParent();
  const socket = connect({ path: await parentPath, allowHalfOpen: true });
  socket.write(`${JSON.stringify({ command, args, cwd, env })}\n`);
  const ended = followFrames(socket, options);
  ended.catch(() => undefined); // who waits for the end learns why
  return { stdin: socket, ended, kill: () => socket.destroy() };
}

let parentPath: Promise<string> | undefined;

async function startParent(): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "rollcall-spawn-")), "socket");
  const parent = fork(join(import.meta.dirname, "small-parent.mjs"), [path], { execArgv: [] });
  await once(parent, "message");
  parent.unref();
  parent.channel?.unref();
  return path;
}

function followFrames(socket: Socket, { command, onOutput, onErrorOutput }: SmallSpawn): Promise<number | null> {
  return new Promise((resolve, reject) => {
    let rest: Buffer = Buffer.alloc(0);
    const take = (kind: string, bytes: Buffer): void => {
      if (kind === "stdout") onOutput?.(bytes);
      else if (kind === "stderr") onErrorOutput?.(bytes);
      else if (kind === "failed") reject(new Error(bytes.toString()));
      else resolve(bytes.toString() === "null" ? null : Number(bytes.toString()));
    };
    socket.on("data", (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length >= 14 && rest.length >= 14 + rest.readUInt32BE(10)) {
        const end = 14 + rest.readUInt32BE(10);
        take(rest.toString("latin1", 0, 10).trimEnd(), rest.subarray(14, end));
        rest = rest.subarray(end);
      }
    });
    socket.on("end", () => socket.end());
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`${command} was ended before it told how`)));
  });
}
