import type { Clock } from "../../../src/core/clock.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { Transport, TransportRequest } from "../../../src/kube/transport.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { textMapAt } from "../../../src/core/read-json.ts";
import type { SendCall } from "../../support/call-hub.ts";

/** What an agent of another project works with. */
export interface ForeignParts {
  readonly cluster: string;
  readonly server: string;
  readonly caPem: string;
  readonly clock: Pick<Clock, "sleep" | "nowMs">;
  readonly send: SendCall;
  readonly memory: AgentMemory;
  /** It works with this credential from now on. */
  readonly holds: (token: string) => void;
}

/** Seconds between two heartbeats, as the files declare it. */
export const foreignPeriodSeconds = 60;

/** Secrets in the agent's own cluster: they outlive its process. */
export interface AgentMemory {
  read(name: MemoryName): Promise<Record<string, string> | undefined>;
  write(name: MemoryName, texts: Readonly<Record<string, string>>): Promise<void>;
  forget(name: MemoryName): Promise<void>;
}

/** What a person installed it with, and what the hub answered. */
export type MemoryName = "bootstrap" | "answer";

export const foreignNamespace = "foreign-agent";

export function agentMemory(api: KubeApi): AgentMemory {
  const ref = (name: MemoryName) => ({ type: resourceTypes.secret, namespace: foreignNamespace, name });
  const change = (text: string, from: BufferEncoding, to: BufferEncoding): string =>
    Buffer.from(text, from).toString(to);
  const each = (texts: Readonly<Record<string, string>>, map: (text: string) => string): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, map(text)]));
  return {
    read: async (name) => {
      const secret = await api.get(ref(name));
      return secret && each(textMapAt(secret, "data"), (text) => change(text, "base64", "utf8"));
    },
    write: async (name, texts) => {
      const data = each(texts, (text) => change(text, "utf8", "base64"));
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: foreignNamespace }, data };
      await api.apply(secret, { fieldManager: "agent" });
    },
    forget: async (name) => void (await api.delete(ref(name))),
  };
}

/** One call over a simulated connection: no client of ours is between. */
export function sendOver(transport: Transport): SendCall {
  return async ({ token, method, path, body, type = "application/json", accept }) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": type, ...(accept && { accept }) };
    const response = await transport.send({
      method: method as TransportRequest["method"],
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      pool: path.includes("watch=true") ? "watch" : "work",
      headTimeoutMs: 30_000,
      idleTimeoutMs: 60_000,
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body) pieces.push(piece);
    const text = Buffer.concat(pieces).toString("utf8");
    const isJson = text.startsWith("{") && !path.includes("watch=true");
    const answer: unknown = isJson ? JSON.parse(text) : text;
    return {
      call: `${method} ${path}`,
      status: response.status,
      body: answer,
      type: response.header("content-type") ?? "",
    };
  };
}
