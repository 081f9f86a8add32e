import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "./until.ts";

const execute = promisify(execFile);
/** tmux 3.3 forgets the exit code of one command in ten. */
const sayExitCode = '"$@"; echo "[exit code $?]"';
const entry = join(import.meta.dirname, "../../bin/rollcall.js");

/** A terminal of tmux, in which commands run as a person types them. */
export interface Terminal {
  /** Runs `rollcall ...args` to its end. Resolves with what the screen shows: the lines as they were written, and the exit code. */
  run(args: readonly string[], options?: { readonly cwd?: string }): Promise<string>;
  /** Starts `rollcall ...args`, which continues. */
  start(args: readonly string[], options?: { readonly cwd?: string }): Promise<RunningCommand>;
  /** Ends all that still runs in it. */
  close(): Promise<void>;
}

export interface RunningCommand {
  /** Resolves with the screen as soon as it shows the pattern. */
  whenShown(pattern: RegExp): Promise<string>;
  /** Types Ctrl-C and resolves when the command has ended. */
  interrupt(): Promise<void>;
}

/** Why there can be no terminal on this machine; undefined when there can. */
export async function whyNoTerminal(): Promise<string | undefined> {
  try {
    await execute("tmux", ["-V"]);
    return undefined;
  } catch {
    return "this machine has no tmux";
  }
}

/** `env` is the whole environment of the commands but PATH and TERM. */
export async function openTerminal(
  env: Readonly<Record<string, string>>,
  { columns = 110, rows = 60 }: { readonly columns?: number; readonly rows?: number } = {},
): Promise<Terminal> {
  const socket = `rollcall-${randomBytes(6).toString("hex")}`;
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (await execute("tmux", ["-f", "/dev/null", "-L", socket, ...args], { env: { ...process.env, LC_ALL: "C.UTF-8" } }))
      .stdout;
  const words = Object.entries({ PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8", TERM: "tmux-256color", ...env });
  const environment = words.map(([name, value]) => `${name}=${value}`);
  let count = 0;
  // A session of its own, so that there is a server whose options hold for the commands.
  await tmux("new-session", "-d", "-s", "first", "cat");
  await tmux("set-option", "-g", "remain-on-exit", "on");
  await tmux("set-option", "-g", "remain-on-exit-format", "");
  const open = async (args: readonly string[], cwd = "/"): Promise<string> => {
    const session = `command-${(count += 1)}`;
    const size = ["-x", String(columns), "-y", String(rows)];
    const command = ["env", "-i", ...environment, "sh", "-c", sayExitCode, "sh", process.execPath, entry, ...args];
    await tmux("new-session", "-d", ...size, "-s", session, "-c", cwd, "--", ...command);
    return session;
  };
  const capture = async (session: string): Promise<string> => {
    const screen = await tmux("capture-pane", "-p", "-J", "-t", session);
    return screen.replaceAll(/ +$/gmu, "").trimEnd();
  };
  const untilShown = (session: string, pattern: RegExp): Promise<string> =>
    until(
      () => capture(session),
      (text) => pattern.test(text),
    );
  return {
    run: async (args, { cwd } = {}) => {
      const session = await open(args, cwd);
      return `$ rollcall ${args.join(" ")}\n${await untilShown(session, /\[exit code \d+\]$/u)}\n`;
    },
    start: async (args, { cwd } = {}) => {
      const session = await open(args, cwd);
      return {
        whenShown: (pattern) => untilShown(session, pattern),
        interrupt: async () => {
          await tmux("send-keys", "-t", session, "C-c");
          await until(
            () => tmux("display-message", "-p", "-t", session, "#{pane_dead}"),
            (text) => text.startsWith("1"),
          );
        },
      };
    },
    close: async () => void (await tmux("kill-server").catch(() => undefined)),
  };
}
