import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parse } from "yaml";
import type { JsonObject } from "../../../src/core/json.ts";
import { silentLog } from "../../../src/core/log.ts";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { EmbeddedHub, EmbeddedHubOptions } from "../../../src/embedded-hub/embedded-hub.ts";
import { startEmbeddedHub } from "../../../src/embedded-hub/embedded-hub.ts";
import { realClock, realRandom } from "../../support/real-time.ts";

export interface Call {
  readonly method?: string;
  readonly path: string;
  /** Sent as it is when it is text; else as JSON. */
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: JsonObject;
}

/** What a request for a WebSocket has beside its first line. */
export const webSocketHead = [
  "Host: localhost",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Origin: https://localhost",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
].join("\r\n");

/** A hub on an empty folder, and its administrator as a plain HTTP/1.1 client. */
export interface TestHub extends Omit<TestClient, "close"> {
  readonly hub: EmbeddedHub;
  readonly dir: string;
  readonly tls: ClientTls;
  readonly stop: () => Promise<void>;
}

export interface TestClient {
  readonly call: (call: Call) => Promise<Answer>;
  /** Begins a request and resolves with its answer before the body. */
  readonly open: (call: Call) => Promise<IncomingMessage>;
  readonly close: () => void;
}

export interface ClientTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly servername?: string;
}

export async function startTestHub(
  options: Partial<Pick<EmbeddedHubOptions, "yamlThread" | "clock">> = {},
): Promise<TestHub> {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-hub-"));
  const hub = await startHubOn(dir, options);
  const tls = adminOf(hub);
  const { open, call, close } = adminClient(hub.url, tls);
  return {
    hub,
    dir,
    tls,
    open,
    call,
    stop: async () => {
      close();
      await hub.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export function startHubOn(
  dir: string,
  options: Partial<Pick<EmbeddedHubOptions, "yamlThread" | "clock">> = {},
): Promise<EmbeddedHub> {
  return startEmbeddedHub({ dir, clock: realClock, random: realRandom, log: silentLog, ...options });
}

export function adminClient(url: string, tls: ClientTls): TestClient {
  const agent = new Agent({ ...tls, keepAlive: true });
  const open = (call: Call): Promise<IncomingMessage> => openCall(url, agent, call);
  return { open, call: async (call) => answerOf(await open(call)), close: () => agent.destroy() };
}

/** The administrator's certificate. */
export function adminOf(hub: EmbeddedHub): ClientTls {
  return tlsOf(hub.adminKubeconfig);
}

/** What the first user of a kubeconfig connects with. */
export function tlsOf(kubeconfig: string): ClientTls {
  const config: unknown = parse(kubeconfig);
  const [cluster] = objectsAt(config, "clusters");
  const [user] = objectsAt(config, "users");
  const decode = (text: string | undefined): string => Buffer.from(text ?? "", "base64").toString("utf8");
  return {
    ca: decode(textAt(cluster, "cluster", "certificate-authority-data")),
    cert: decode(textAt(user, "user", "client-certificate-data")),
    key: decode(textAt(user, "user", "client-key-data")),
  };
}

function openCall(url: string, agent: Agent, { method = "GET", path, body, headers }: Call): Promise<IncomingMessage> {
  const isRaw = body === undefined || typeof body === "string" || Buffer.isBuffer(body);
  const payload = isRaw ? body : JSON.stringify(body);
  const type = payload === undefined ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { agent, method, headers: { ...type, ...headers } }, resolve);
    outgoing.once("error", reject);
    outgoing.end(payload);
  });
}

export async function answerOf(response: IncomingMessage): Promise<Answer> {
  const bytes = Buffer.concat(await response.toArray());
  const text = bytes.toString("utf8");
  return {
    statusCode: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text,
    get json() {
      return JSON.parse(text) as JsonObject;
    },
  };
}

export interface WatchedEvent {
  readonly type: string;
  readonly object: JsonObject;
}

/** The events of a watch, until its answer ends. */
export async function* eventsOf(response: IncomingMessage): AsyncGenerator<WatchedEvent> {
  for await (const line of createInterface({ input: response })) {
    const { type, object } = JSON.parse(line) as WatchedEvent;
    yield { type, object };
  }
}

/** The next so many events. */
export async function take(events: AsyncGenerator<WatchedEvent>, count: number): Promise<WatchedEvent[]> {
  const taken: WatchedEvent[] = [];
  while (taken.length < count) {
    const next = await events.next();
    if (next.done === true) throw new Error(`the watch ended after ${taken.length} events`);
    taken.push(next.value);
  }
  return taken;
}
