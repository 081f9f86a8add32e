import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import { connect } from "node:tls";
import { parse } from "yaml";

/** What counts of an answer. `code` is 0 when the connection ends without one. */
export interface RawAnswer {
  readonly code: number;
  /** There was no answer in time, or there was no connection. */
  readonly isMissing?: boolean;
  /** Of a refusal its body. */
  readonly text: string;
  /** Texts of the Warning headers. Absent: there are none. */
  readonly warnings?: readonly string[];
}

/** Bytes of an HTTP/1.1 request, each on a connection of its own. */
export interface RawHub {
  /** `host:port` of the server. */
  readonly authority: string;
  readonly send: (text: string) => Promise<RawAnswer>;
}

const answerWaitMs = 20_000;
/** The code counts, and of a refusal its message. */
const mostBytes = 64 * 1024;

interface Kubeconfig {
  readonly clusters: readonly [{ cluster: { server: string; "certificate-authority-data": string } }];
  readonly users: readonly [{ user: { "client-certificate-data": string; "client-key-data": string } }];
}

/** As the administrator. One character of a text is one byte. */
export function rawHub(kubeconfig: string): RawHub {
  const config = parse(kubeconfig) as Kubeconfig;
  const { server, "certificate-authority-data": ca } = config.clusters[0].cluster;
  const user = config.users[0].user;
  const pem = (text: string): string => Buffer.from(text, "base64").toString("utf8");
  const { hostname, port, host: authority } = new URL(server);
  const tls = { ca: pem(ca), cert: pem(user["client-certificate-data"]), key: pem(user["client-key-data"]) };
  return {
    authority,
    send: async (text) => {
      const socket = connect({ host: hostname, port: Number(port), ALPNProtocols: ["http/1.1"], ...tls });
      socket.on("error", () => undefined); // What was read until then counts.
      try {
        await once(socket, "secureConnect");
        socket.write(Buffer.from(text, "latin1"));
        return readAnswer(await textOf(socket));
      } catch {
        return { code: 0, text: "no connection", isMissing: true };
      } finally {
        socket.destroy();
      }
    },
  };
}

/** All that comes, or the first line of an answer that never ends. */
function textOf(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const finish = (): void => resolve(text);
    socket.setTimeout(answerWaitMs, () => {
      text ||= "late";
      finish();
    });
    socket.on("data", (chunk: Buffer) => {
      // What asks for the body is not the answer.
      text = (text + chunk.toString("latin1")).replace(/^HTTP\/1\.1 100 [^\r]*\r\n(?:[^\r]+\r\n)*\r\n/u, "");
      if (isWhole(text) || text.length > mostBytes) finish();
    });
    socket.on("close", finish);
  });
}

/** A refusal is read to its end; of a success, which may be a watch, the head is enough. */
function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const code = codeOf(text);
  if (code >= 100 && code < 300) return true;
  const length = /^content-length: *(\d+)/imu.exec(text.slice(0, end))?.[1];
  return length !== undefined && text.length >= end + 4 + Number(length);
}

function readAnswer(text: string): RawAnswer {
  if (text === "late") return { code: 0, text: "no answer in time", isMissing: true };
  const body = text.slice(text.indexOf("\r\n\r\n") + 4);
  const warnings = [...text.slice(0, -body.length || undefined).matchAll(/299 - "((?:[^"\\]|\\.)*)"/gu)].map(
    ([, warning = ""]) => warning.replaceAll(/\\(.)/gu, "$1"),
  );
  return { code: codeOf(text), text: body, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** 0 when the connection ends without an answer. */
function codeOf(text: string): number {
  return Number(/^HTTP\/1\.[01] (\d{3})/u.exec(text)?.[1] ?? "0");
}
