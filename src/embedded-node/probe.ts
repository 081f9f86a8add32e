import { spawn } from "node:child_process";
import { request as requestHttp } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { connect, isIPv6 } from "node:net";
import { describeError, errorCodeOf } from "../core/errors.ts";
import { withDeadline } from "../core/timer.ts";
import { killGroup } from "./process-records.ts";
import type { ProbeAction } from "./pod-spec.ts";

export type ProbeResult = { readonly isSuccess: true } | { readonly isSuccess: false; readonly message: string };

/** Where a container's probes reach it. */
export interface ProbeTarget {
  /** The host's number for a port of the container, or undefined when there is no such port. */
  readonly port: (port: string | number) => number | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Maps a path in an exec command to the host's files. */
  readonly path: (text: string) => string;
}

const maxBodyBytes = 10 << 10;
const loopback = "127.0.0.1";

/**
 * Asks once. Failures have the messages of kubelets; never rejects, not for a host, a header or a word that Node refuses either.
 * Source: Kubernetes, pkg/probe.
 */
export async function probe(action: ProbeAction, target: ProbeTarget, timeoutMs: number): Promise<ProbeResult> {
  try {
    return await withDeadline(timeoutMs, (signal) => probeWithin(signal, action, target));
  } catch (error) {
    return failure(describeError(error));
  }
}

async function probeWithin(signal: AbortSignal, action: ProbeAction, target: ProbeTarget): Promise<ProbeResult> {
  switch (action.kind) {
    case "http":
      return probeHttp(action, target, signal);
    case "tcp":
      return probeTcp(action, target, signal);
    case "exec":
      return probeExec(action.command.map(target.path), target, signal);
    case "unsupported":
      return failure(`probes of kind ${action.what} are not supported by this node`);
  }
}

function probeHttp(
  action: ProbeAction & { readonly kind: "http" },
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const { scheme, host = loopback, path, headers } = action;
  const port = target.port(action.port);
  if (port === undefined) return Promise.resolve(failure(`couldn't find port: ${action.port}`));
  const authority = isIPv6(host) ? `[${host}]` : host;
  const url = `${scheme}://${authority}:${port}${path.startsWith("/") ? path : `/${path}`}`;
  const own = { "User-Agent": "kube-probe/1.34", Accept: "*/*", Connection: "close" };
  return new Promise((resolve) => {
    const options = { signal, agent: false, headers: { ...own, ...Object.fromEntries(headers) } };
    const onAnswer = (answer: IncomingMessage) => {
      const { statusCode = 0 } = answer;
      let sizeBytes = 0;
      answer.on("data", (chunk: Buffer) => {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBodyBytes) answer.destroy();
      });
      answer.on("error", () => undefined); // The status is known; the body does not matter.
      // A redirect counts as an answer: where it leads is not this container's health.
      const isSuccess = statusCode >= 200 && statusCode < 400;
      resolve(isSuccess ? { isSuccess } : failure(`HTTP probe failed with statuscode: ${statusCode}`));
    };
    const outgoing =
      scheme === "https"
        ? // Kubelets do not check the certificate of a probe either: the container's certificate is unknown.
          requestHttps(url, { ...options, rejectUnauthorized: false }, onAnswer)
        : requestHttp(url, options, onAnswer);
    // Node.js reports an answer that would change the protocol (101) by nothing else.
    outgoing.once("upgrade", ({ statusCode }, socket) => {
      socket.destroy();
      resolve(failure(`HTTP probe failed with statuscode: ${statusCode}`));
    });
    outgoing.once("error", (error) => resolve(failure(`Get "${url}": ${networkText(error, signal)}`)));
    outgoing.end();
  });
}

function probeTcp(
  action: ProbeAction & { readonly kind: "tcp" },
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const port = target.port(action.port);
  if (port === undefined) return Promise.resolve(failure(`couldn't find port: ${action.port}`));
  const host = action.host ?? loopback;
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal });
    socket.once("connect", () => {
      socket.destroy();
      resolve({ isSuccess: true });
    });
    socket.once("error", (error) => resolve(failure(`dial tcp ${host}:${port}: ${networkText(error, signal)}`)));
  });
}

function probeExec(words: readonly string[], target: ProbeTarget, signal: AbortSignal): Promise<ProbeResult> {
  const [command = "", ...args] = words;
  return new Promise((resolve) => {
    const { env, cwd } = target;
    const child = spawn(command, args, { cwd, env: { ...env }, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const output: Buffer[] = [];
    let sizeBytes = 0;
    const keep = (chunk: Buffer) => {
      if (sizeBytes < maxBodyBytes) output.push(chunk);
      sizeBytes += chunk.length;
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const onAbort = () => {
      if (child.pid !== undefined) killGroup(child.pid, "SIGKILL");
      resolve(failure(`command timed out: ${JSON.stringify(words.join(" "))}`));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    child.once("error", (error) => resolve(failure(describeError(error))));
    child.once("close", (code) => {
      signal.removeEventListener("abort", onAbort);
      const text = Buffer.concat(output).toString("utf8", 0, maxBodyBytes);
      resolve(code === 0 ? { isSuccess: true } : failure(text));
    });
  });
}

function networkText(error: Error, signal: AbortSignal): string {
  if (signal.aborted) return "context deadline exceeded";
  const code = errorCodeOf(error);
  if (code === "ECONNREFUSED") return "connect: connection refused";
  return code === "ECONNRESET" ? "read: connection reset by peer" : error.message;
}

function failure(message: string): ProbeResult {
  return { isSuccess: false, message };
}
