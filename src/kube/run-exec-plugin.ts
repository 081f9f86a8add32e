import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { isatty } from "node:tty";
import { errorCodeOf } from "../core/errors.ts";
import { isMissingProgram } from "../core/is-missing-program.ts";
import type { JsonObject } from "../core/json.ts";
import { parseJson } from "../core/parse-json.ts";
import { isTrueAt, objectAt, objectsAt, textAt, textsAt } from "../core/read-json.ts";
import { withDeadline } from "../core/timer.ts";

export interface ExecPluginInput {
  /** `exec` of a user of the kubeconfig. */
  readonly exec: JsonObject;
  /** The cluster of the same context: a plugin may ask for it. */
  readonly cluster: JsonObject;
  /** Of the kubeconfig: the path of a plugin may be relative to it. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a user can answer the plugin. Default: whether standard input is a terminal. */
  readonly hasTerminal?: boolean;
  /** For how long a plugin may run that no user can answer. Default: 60 s. */
  readonly timeoutMs?: number;
}

/** `status` of an ExecCredential. */
export interface PluginCredential {
  readonly token: string | undefined;
  readonly certPem: string | undefined;
  readonly keyPem: string | undefined;
  /** Until when it holds, in ms since 1970; undefined: the plugin does not state it. */
  readonly expiresAtMs: number | undefined;
}

/**
 * Runs a credential plugin, in the way of kubectl: it gets the terminal where there is one, and what it is for in
 * KUBERNETES_EXEC_INFO. What it prints on standard output is never shown.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 * @throws Error, whose message completes "the credential plugin failed: "
 */
export async function runExecPlugin(input: ExecPluginInput): Promise<PluginCredential> {
  const { exec, hasTerminal = isatty(0), timeoutMs = 60_000 } = input;
  const mode = textAt(exec, "interactiveMode") ?? "IfAvailable";
  if (mode === "Always" && !hasTerminal) throw new Error("it asks for input, and standard input is no terminal");
  const isInteractive = hasTerminal && mode !== "Never";
  // A user who logs in takes their time.
  const output = await withDeadline(isInteractive ? Infinity : timeoutMs, (deadline) =>
    outputOf(input, { isInteractive, deadline, timeoutMs }),
  );
  return readCredential(output);
}

interface Run {
  readonly isInteractive: boolean;
  readonly deadline: AbortSignal;
  readonly timeoutMs: number;
}

const mostOutputBytes = 1024 * 1024;

async function outputOf(input: ExecPluginInput, { isInteractive, deadline, timeoutMs }: Run): Promise<string> {
  const { exec, folder } = input;
  const command = textAt(exec, "command") ?? "";
  if (command === "") throw new Error("it names no command");
  const child = spawn(command.includes("/") ? resolve(folder, command) : command, textsAt(exec, "args"), {
    env: environmentOf(input, isInteractive),
    // What an interactive plugin prints, such as the address of a login, is for the user.
    stdio: isInteractive ? ["inherit", "pipe", "inherit"] : ["ignore", "pipe", "pipe"],
  });
  const closeOutput = (): void => {
    child.kill("SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  deadline.addEventListener("abort", closeOutput, { once: true });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const read = { text: "" };
    stream?.setEncoding("utf8").on("data", (part: string) => {
      read.text += part;
      if (read.text.length > mostOutputBytes) closeOutput();
    });
    return read;
  });
  const exit = await new Promise<number | null | Error>((done) => {
    child.on("error", done);
    child.on("close", done);
  });
  deadline.removeEventListener("abort", closeOutput);
  if (exit === 0) return stdout?.text ?? "";
  if (deadline.aborted) throw new Error(`it did not end within ${timeoutMs / 1000} s${lastWords(stderr?.text)}`);
  if (exit instanceof Error) throw startFailure(exec, command, exit);
  const result = exit === null ? "it was stopped" : `it ended with ${exit}`;
  throw new Error(`${result}${lastWords(stderr?.text)}`);
}

function environmentOf({ exec, cluster, environment }: ExecPluginInput, isInteractive: boolean): NodeJS.ProcessEnv {
  const own = objectsAt(exec, "env").map((entry): [string, string] => [
    textAt(entry, "name") ?? "",
    textAt(entry, "value") ?? "",
  ]);
  const info = {
    kind: "ExecCredential",
    apiVersion: textAt(exec, "apiVersion") ?? "client.authentication.k8s.io/v1",
    spec: { interactive: isInteractive, ...(isTrueAt(exec, "provideClusterInfo") ? { cluster: infoOf(cluster) } : {}) },
  };
  return { ...environment, ...Object.fromEntries(own), KUBERNETES_EXEC_INFO: JSON.stringify(info) };
}

/** What a plugin learns of the cluster. `config` is the extension that is meant for it. */
function infoOf(cluster: JsonObject): JsonObject {
  const { extensions: _extensions, ...rest } = cluster;
  const own = objectsAt(cluster, "extensions").find((entry) => textAt(entry, "name") === execExtension);
  const config = objectAt(own, "extension");
  return config === undefined ? rest : { ...rest, config };
}

const execExtension = "client.authentication.k8s.io/exec";

function startFailure(exec: JsonObject, command: string, error: Error): Error {
  const code = errorCodeOf(error);
  const hint = textAt(exec, "installHint");
  const isMissing = command.includes("/") ? code === "ENOENT" : isMissingProgram(error);
  if (!isMissing) return new Error(`${command} cannot be started${code === undefined ? "" : `: ${code}`}`);
  return new Error(`${command} is not installed, or not in PATH${hint === undefined ? "" : `; ${firstLine(hint)}`}`);
}

function readCredential(output: string): PluginCredential {
  const status = objectAt(parseJson(output), "status");
  if (status === undefined) throw new Error("it printed no ExecCredential with a status");
  const [token, certPem, keyPem] = ["token", "clientCertificateData", "clientKeyData"].map((field) =>
    textAt(status, field),
  );
  if (!token && !certPem) throw new Error("its ExecCredential has neither a token nor a client certificate");
  const expiresAtMs = Date.parse(textAt(status, "expirationTimestamp") ?? "");
  return { token, certPem, keyPem, expiresAtMs: Number.isNaN(expiresAtMs) ? undefined : expiresAtMs };
}

function lastWords(stderr = ""): string {
  const text = firstLine(stderr);
  return text === "" ? "" : `: ${text}`;
}

/** What is shown of a text of another program. */
export function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 300);
}
