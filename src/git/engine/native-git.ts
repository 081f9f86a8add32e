import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { dirname, join } from "node:path";
import { AppError } from "../../core/errors.ts";
import { startTimer } from "../../core/timer.ts";

export interface NativeGitOptions {
  /** A folder of this engine's own; git runs in it. */
  readonly folder: string;
  /** Where `git` and `ssh` are searched for, like PATH. Default {@link defaultSearchPath}. */
  readonly searchPath?: string;
  /** The one protocol that git may use. */
  readonly protocol: "ssh" | "http" | "https" | "file";
  /** A configuration file of our own, for what must not be an argument. */
  readonly configFile?: string;
  /** How git runs ssh; without it, it cannot. */
  readonly sshCommand?: string;
  readonly limits?: ProcessLimits;
}

/** What each process of git may take; the system ends it there. */
export interface ProcessLimits {
  /** Of processor time. Default 600: unpacking 100 GB of zeros takes less. Not for a process that stays. */
  readonly cpuSeconds?: number;
  /** Of memory, without the files that it reads. Default 2 GiB: one delta of a kilobyte can make 4 GiB. */
  readonly memoryBytes?: number;
  /** Of each file that it writes, such as a pack. Default 8 GiB. */
  readonly fileBytes?: number;
}

export interface NativeRun {
  readonly args: readonly string[];
  /** The repository that the command is about; without it, none. */
  readonly gitDir?: string;
  /** Traces what both sides send of the protocol. Default false. */
  readonly isTraced?: boolean;
  /** After this it is ended. Default 15 minutes. */
  readonly timeoutMs?: number;
  /** After so long without a sign of progress it is ended, until a whole pack is here. Default: the time of `timeoutMs`. */
  readonly idleMs?: number;
  readonly signal?: AbortSignal;
}

export interface NativeResult {
  /** Null when the process was killed. */
  readonly exitCode: number | null;
  readonly output: string;
  /** What it printed for people, cut after some kilobytes. */
  readonly errorText: string;
  /** The lines of the trace among that. */
  readonly trace: string;
}

export interface NativeGit {
  /**
   * Runs git to its end. @throws E_UNSUPPORTED when there is no git; E_GIT_PROTOCOL when it prints without end;
   * E_GIT_REMOTE when it takes too long
   */
  run(run: NativeRun): Promise<NativeResult>;
  /** Starts git and leaves it running. */
  start(run: NativeRun): ChildProcessWithoutNullStreams;
}

export const defaultSearchPath = "/usr/local/bin:/usr/bin:/bin";

const maximumOutputBytes = 64 * 1024 * 1024;
/** Of 15 minutes of progress, too. */
const maximumErrorBytes = 128 * 1024;
/** The last of each kind of progress, of git and of the server. Source: git, progress.c and pack-objects.c. */
const progressLine =
  /^(?:remote: )?(?:(?:Enumerating|Counting|Compressing|Receiving|Resolving|Writing) [a-z]+: |Total \d|Delta compression )/u;
/** After this, what is left is work of this machine: git checks what it has received. */
const isReceived = /(?:^|[\r\n])Receiving objects: 100%/u;
/** Time between SIGTERM and SIGKILL. */
const killAfterMs = 2000;

// Settings that outrank every configuration file: nothing of a repository or a machine runs a program or follows a link
// for us. Source: git-config(1); each line that names a program is one that an attack has used.
const settings: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.askPass", ""],
  ["credential.helper", ""],
  ["core.fsync", "objects,reference"],
  // Larger objects are unpacked in a stream, not in memory.
  ["core.bigFileThreshold", "1m"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["http.followRedirects", "false"],
  ["protocol.version", "2"],
  ["gc.autoDetach", "false"],
  ["maintenance.autoDetach", "false"],
  ["fetch.unpackLimit", "1"],
  ["push.gpgSign", "false"],
];

/** Runs the native `git` with an environment of its own: neither the machine's settings nor the user's play a part. */
export function makeNativeGit(options: NativeGitOptions): NativeGit {
  const startProcess = (
    { args, gitDir, isTraced, signal }: NativeRun,
    isPassing: boolean,
  ): ChildProcessWithoutNullStreams => {
    signal?.throwIfAborted();
    const env = { ...environment(options, gitDir), ...(isTraced === true ? { GIT_TRACE_PACKET: "1" } : {}) };
    const allArgs = [...settings.flatMap(([key, value]) => ["-c", `${key}=${value}`]), ...args];
    // A group of its own: what git starts (ssh, index-pack) ends with it.
    const limited = ["-c", `${limitsOf(options.limits, isPassing)}; exec git "$@"`, "git", ...allArgs];
    return spawn("/bin/sh", limited, { cwd: options.folder, env, detached: true });
  };
  return { start: (run) => startProcess(run, false), run: (run) => collect(startProcess(run, true), run) };
}

/**
 * The limits as shell commands; a system without a limit runs without it. File sizes count blocks of 512 bytes. Source:
 * POSIX, ulimit; dash(1).
 */
function limitsOf(limits: ProcessLimits = {}, isPassing: boolean): string {
  const { cpuSeconds = 600, memoryBytes = 2 * 1024 ** 3, fileBytes = 8 * 1024 ** 3 } = limits;
  const values = [
    `-d ${Math.floor(memoryBytes / 1024)}`,
    `-f ${Math.floor(fileBytes / 512)}`,
    ...(isPassing ? [`-t ${cpuSeconds}`] : []),
  ];
  return values.map((value) => `ulimit ${value} 2>/dev/null`).join("; ");
}

async function collect(
  child: ChildProcessWithoutNullStreams,
  { args, timeoutMs = 900_000, idleMs = timeoutMs, isTraced = false, signal }: NativeRun,
): Promise<NativeResult> {
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  let sizes = { output: 0, errors: 0 };
  const stop = (): void => endGroup(child);
  let late: string | undefined;
  const startLate = (afterMs: number, reason: string): (() => void) =>
    startTimer(afterMs, () => {
      late ??= `${reason} ${afterMs} ms`;
      stop();
    });
  const cancelLate = startLate(timeoutMs, "it was not done after");
  const startIdle = (): (() => void) => startLate(idleMs, "the server sent nothing for");
  let cancelIdle = startIdle();
  let isHere = false;
  signal?.addEventListener("abort", stop, { once: true });
  child.stdout.on("data", (chunk: Buffer) => {
    sizes = { ...sizes, output: sizes.output + chunk.length };
    if (sizes.output > maximumOutputBytes) stop();
    else output.push(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    if (sizes.errors < maximumErrorBytes) errors.push(chunk);
    sizes = { ...sizes, errors: sizes.errors + chunk.length };
    cancelIdle();
    isHere ||= isReceived.test(chunk.toString("latin1"));
    if (!isHere) cancelIdle = startIdle();
  });
  child.stdin.on("error", () => undefined); // nothing is sent; a git that is not there has no input to end
  child.stdin.end();
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    signal?.throwIfAborted();
    if (late !== undefined) {
      throw new AppError("E_GIT_REMOTE", `run git ${args[0] ?? ""}: ${late}`, { data: { reason: "slow" } });
    }
    if (sizes.output > maximumOutputBytes) {
      throw new AppError(
        "E_GIT_PROTOCOL",
        `run git ${args[0] ?? ""}: it printed more than ${maximumOutputBytes} bytes`,
      );
    }
    const lines = Buffer.concat(errors)
      .toString("utf8")
      .split(/(?<=\n)/u);
    const isTrace = (line: string) => isTraced && line.includes(" packet: ");
    const shown = lines.filter((line) => !isTrace(line)).map(withoutUpdates);
    const errorText = shown.filter((line) => !progressLine.test(line)).join("");
    // The shell's code for a program that is not there.
    if (exitCode === 127) throw noGit(errorText);
    return {
      exitCode,
      output: Buffer.concat(output).toString("utf8"),
      errorText,
      trace: lines.filter(isTrace).join(""),
    };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AppError) throw error;
    throw noGit(error);
  } finally {
    cancelLate();
    cancelIdle();
    signal?.removeEventListener("abort", stop);
  }
}

/** A line without what git wrote over: each update of a progress ends with a carriage return. */
function withoutUpdates(line: string): string {
  const end = line.endsWith("\r\n") ? line.length - 3 : line.length;
  return line.slice(line.lastIndexOf("\r", end) + 1);
}

function noGit(cause: unknown): AppError {
  const remedy = "Install the program git where this runs, or leave out --git-backend native.";
  return new AppError("E_UNSUPPORTED", "run git: it cannot be started; the native back-end needs it", {
    cause,
    remedy,
  });
}

function endGroup(child: ChildProcessWithoutNullStreams): void {
  // git itself may have ended, and what it started may hold its output open: the number stays that of their group.
  if (child.pid === undefined) return;
  // git removes its lock files on SIGTERM.
  signalGroup(child.pid, "SIGTERM");
  const { pid } = child;
  const cancelKill = startTimer(killAfterMs, () => signalGroup(pid, "SIGKILL"));
  child.once("close", cancelKill);
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended by itself in this moment.
  }
}

function environment(options: NativeGitOptions, gitDir: string | undefined): Record<string, string> {
  const { folder, searchPath = defaultSearchPath, protocol, configFile, sshCommand } = options;
  return {
    PATH: searchPath,
    LC_ALL: "C",
    HOME: join(folder, "no-home"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: configFile ?? "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_CEILING_DIRECTORIES: dirname(folder),
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_SSH_VARIANT: "ssh",
    GIT_SSH_COMMAND: sshCommand ?? "false",
    ...(gitDir === undefined ? {} : { GIT_DIR: gitDir }),
  };
}
