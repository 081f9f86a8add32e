import { connect, constants } from "node:http2";
import type { ClientHttp2Session } from "node:http2";
import { parse } from "yaml";
import type { MatrixRequest } from "./make-request.ts";

/** What counts of an answer. `code` is 0 when the stream is broken without one. */
export interface MatrixAnswer {
  readonly code: number;
  /** There was no answer in time, or the connection failed: never an answer that may be compared. */
  readonly isMissing?: boolean;
  readonly text: string;
}

export interface MatrixHub {
  readonly send: (request: MatrixRequest) => Promise<MatrixAnswer>;
  readonly close: () => void;
}

const answerWaitMs = 20_000;
/**
 * Servers of Node allow 1,000 streams to be reset at once, and 33 a second after that, and then end the session with
 * GOAWAY, against rapid resets (CVE-2023-44487). Answers of success are reset here.
 */
const resetsPerSession = 500;

interface Kubeconfig {
  readonly clusters: readonly [{ cluster: { server: string; "certificate-authority-data": string } }];
  readonly users: readonly [{ user: { "client-certificate-data": string; "client-key-data": string } }];
}

/** A session, and what is asked on it. */
interface PoolName {
  readonly session: ClientHttp2Session;
  /** Streams that this client reset. */
  resets: number;
  /** Open ones. */
  streams: number;
}

/** Requests in the name of accounts, over HTTP/2. `names` replaces placeholders. */
export function matrixHub(kubeconfig: string, names: ReadonlyMap<string, string>): MatrixHub {
  const config = parse(kubeconfig) as Kubeconfig;
  const { server, "certificate-authority-data": ca } = config.clusters[0].cluster;
  const user = config.users[0].user;
  const pem = (text: string): string => Buffer.from(text, "base64").toString("utf8");
  const tls = { ca: pem(ca), cert: pem(user["client-certificate-data"]), key: pem(user["client-key-data"]) };
  const fill = (text: string): string => [...names].reduce((filled, [from, to]) => filled.replaceAll(from, to), text);
  let current: PoolName | undefined;
  let goaway = "";
  const enter = (): PoolName => {
    if (current !== undefined && current.resets < resetsPerSession && !current.session.closed) {
      current.streams += 1;
      return current;
    }
    const session = connect(server, tls);
    session.on("goaway", (code: number) => (goaway = `the session ended with GOAWAY ${code}`));
    session.on("error", () => undefined); // Each stream reports it too.
    const replaced = current;
    current = { session, resets: 0, streams: 1 };
    if (replaced?.streams === 0) replaced.session.close();
    return current;
  };
  // Not before: a request that waits to be sent would follow the GOAWAY, and Go answers none that does.
  const leave = (pool: PoolName): void => {
    pool.streams -= 1;
    if (pool !== current && pool.streams === 0) pool.session.close();
  };
  return {
    send: ({ account, method, target, body, readsAnswer = false }) =>
      new Promise((resolve) => {
        const headers = {
          ":method": method,
          ":path": fill(target),
          "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
          ...impersonation(account, fill),
        };
        const pool = enter();
        const stream = pool.session.request(headers);
        let code = 0;
        let text = "";
        stream.setEncoding("utf8");
        stream.on("response", (answer) => {
          code = Number(answer[":status"]);
          // A watch has no end, and what is given does not count.
          if (code >= 300 || readsAnswer) return;
          pool.resets += 1;
          stream.close();
        });
        stream.on("data", (piece: string) => (text += piece));
        stream.on("error", () => undefined); // The code shows what there was.
        let isLate = false;
        stream.on("close", () => {
          leave(pool);
          const isReset = stream.rstCode === constants.NGHTTP2_PROTOCOL_ERROR;
          const isMissing = isLate || (code === 0 && !isReset);
          resolve({ code, text: isMissing ? goaway : unfill(text), isMissing });
        });
        stream.setTimeout(answerWaitMs, () => {
          isLate = true;
          stream.close();
        });
        stream.end(body === undefined ? undefined : fill(JSON.stringify(body)));
      }),
    close: () => current?.session.destroy(),
  };

  function unfill(text: string): string {
    return [...names].reduce((plain, [from, to]) => plain.replaceAll(to, from), text);
  }
}

function impersonation(account: string, fill: (text: string) => string): Record<string, string> {
  if (account === "admin") return {};
  if (account === "anonymous") {
    return { "impersonate-user": "system:anonymous", "impersonate-group": "system:unauthenticated" };
  }
  return { "impersonate-user": fill(`ACCOUNT-${account}`) };
}
