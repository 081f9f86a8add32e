import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../core/errors.ts";
import { withDeadline } from "../core/timer.ts";
import type { SopsMetadata } from "./sops-metadata.ts";

/** The sops program, for keys that are not opened here (PGP, the key services of clouds, Vault). */
export interface SopsProgram {
  /** Its path. */
  readonly path: string;
  /** Its whole environment: where its credentials come from. Nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Origins of Vault and Azure Key Vault that a file may name (`https://vault.example.com`). Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** Default 30 s. */
  readonly timeoutMs?: number;
}

const maximumOutputBytes = 4 * 1024 * 1024;

interface SopsRun {
  readonly program: SopsProgram;
  readonly metadata: SopsMetadata;
  /** A folder for the encrypted file while the program reads it. */
  readonly tempDir: string;
  readonly signal?: AbortSignal;
}

/**
 * The clear YAML text of an encrypted file, by the sops program. The encrypted file is laid into a folder that only this
 * user reads (not every sops reads its standard input); the clear text comes back by its standard output. What the
 * program prints when it fails is not shown: it can quote the file.
 * @throws E_SOPS_PROGRAM
 */
export async function runSops(text: string, { program, metadata, tempDir, signal }: SopsRun): Promise<string> {
  // A file of the repository must not choose who gets the credentials of the program.
  const allowed = program.allowedOrigins ?? [];
  const foreign = metadata.addresses.map(originOf).find((origin) => !allowed.includes(origin));
  if (foreign !== undefined) {
    const shown = JSON.stringify(foreign.slice(0, 100));
    throw failed(`the file names the address ${shown}, which is not one of the allowed origins`);
  }
  const folder = await mkdtemp(join(tempDir, "rollcall-sops-"));
  try {
    const file = join(folder, "file.yaml");
    await writeFile(file, text, { mode: 0o600 });
    return await readOutput(file, program, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readOutput(file: string, program: SopsProgram, signal: AbortSignal | undefined): Promise<string> {
  const { timeoutMs = 30_000 } = program;
  return withDeadline(timeoutMs, (timeout) => readWithin(timeout, file, { ...program, timeoutMs }, signal));
}

async function readWithin(
  timeout: AbortSignal,
  file: string,
  { path, env, timeoutMs }: SopsProgram,
  signal: AbortSignal | undefined,
): Promise<string> {
  const stop = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const child = spawn(path, ["--decrypt", "--input-type", "yaml", "--output-type", "yaml", file], {
    env: { ...env },
    cwd: "/",
    stdio: ["ignore", "pipe", "ignore"],
    signal: stop,
    killSignal: "SIGKILL",
  });
  // A process that the program started may hold its output open longer than the program lives.
  const closeOutput = () => child.stdout.destroy();
  stop.addEventListener("abort", closeOutput, { once: true });
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes <= maximumOutputBytes) chunks.push(chunk);
    else if (child.kill("SIGKILL")) closeOutput();
  });
  const exit = await new Promise<number | null | Error>((resolve) => {
    child.on("error", resolve);
    child.on("close", resolve);
  });
  stop.removeEventListener("abort", closeOutput);
  signal?.throwIfAborted();
  if (exit === 0) return Buffer.concat(chunks).toString("utf8");
  if (timeout.aborted) throw failed(`it did not end within ${timeoutMs} ms`);
  if (exit instanceof Error) throw failed("it cannot be started", exit);
  throw failed(exit === null ? "it was stopped" : `it ended with ${exit}`);
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}

function failed(reason: string, cause?: Error): AppError {
  return new AppError("E_SOPS_PROGRAM", `decrypt a file with the sops program: ${reason}`, { cause });
}
