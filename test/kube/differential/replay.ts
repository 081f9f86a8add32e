import type { Json } from "../../../src/core/json.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import { numberAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import { hubPool } from "../../support/hub-pool.ts";

export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `NS` is the placeholder of the sequence's namespace, `GROUP` of the group of its CRD. */
  readonly path: string;
  readonly body?: object | string;
  readonly contentType?: string;
  /** Default: any form, which is JSON. */
  readonly accept?: string;
  /** Impersonated. */
  readonly user?: string;
}

export interface Answer {
  readonly code: number;
  readonly warnings: readonly string[];
  readonly body: Json;
}

export interface RawClient {
  readonly send: (request: Request) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

/** Plain requests in the name of a kubeconfig's administrator. */
export function rawClient(kubeconfig: string): RawClient {
  const pool = hubPool(kubeconfig);
  return {
    send: async ({ method, path, body, contentType = "application/json", accept, user: impersonated }) => {
      const answer = await pool.request({
        method,
        path,
        headers: {
          "content-type": contentType,
          "user-agent": "differential/1",
          ...(accept === undefined ? {} : { accept }),
          ...(impersonated === undefined ? {} : { "impersonate-user": impersonated }),
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      const { warning } = answer.headers;
      return {
        code: answer.statusCode,
        warnings: warning === undefined ? [] : [warning].flat(),
        body: readBody(text),
      };
    },
    close: () => pool.close(),
  };
}

/** A list of lines (a watch) or one value. */
function readBody(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    const lines = text.split("\n").filter((line) => line !== "");
    return lines.every((line) => line.startsWith("{")) ? lines.map((line) => JSON.parse(line) as Json) : text;
  }
}

/** Of an object that controllers write too: its generation, its spec and who owns what of it, without them. */
export function ownersOf(answer: Answer): Answer {
  const { body } = answer;
  if (!isJsonObject(body) || answer.code >= 300) return answer;
  const managers = objectsAt(body, "metadata", "managedFields").filter(
    (entry) => entry["manager"] !== "kube-controller-manager" && entry["subresource"] !== "status",
  );
  const { kind = null, spec = null } = body;
  return { ...answer, body: { kind, spec, generation: numberAt(body, "metadata", "generation") ?? null, managers } };
}

/** With the keys of all objects in order. */
export function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, inKeyOrder(item)]),
  );
}

/** A list, or its table, is as old as the newest write of anybody. */
function withoutListVersion(body: Json): Json {
  const isList = isJsonObject(body) && (body["items"] !== undefined || body["kind"] === "Table");
  return isList ? { ...body, metadata: {} } : body;
}

function byManager(a: Json, b: Json): number {
  const [left, right] = [a, b].map((entry) =>
    ["operation", "manager", "subresource", "apiVersion"].map((name) => textAt(entry, name) ?? "").join(),
  );
  return (left ?? "") < (right ?? "") ? -1 : 1;
}

/** Takes out what two hubs choose for themselves: names of runs, uids, times, and versions, which become the place where they are first seen. */
export class Normalizer {
  private readonly replacements: readonly (readonly [string, string])[];
  private readonly uids = new Map<string, string>();
  private readonly versions = new Map<string, string>();
  private answers = 0;

  constructor(replacements: readonly (readonly [string, string])[]) {
    this.replacements = replacements;
  }

  answer({ code, warnings, body }: Answer): Answer {
    this.answers += 1;
    return { code, warnings: warnings.map((text) => this.text(text)), body: this.value(withoutListVersion(body), "") };
  }

  private value(value: Json, key: string): Json {
    if (typeof value === "string") {
      if (key === "resourceVersion") return this.named(this.versions, value, "version");
      if (key === "uid") return this.named(this.uids, value, "uid");
      return this.text(value);
    }
    if (Array.isArray(value)) {
      const items = (value as readonly Json[]).map((item) => this.value(item, key));
      // They are ordered by time, of which seconds are all that is kept.
      if (key === "managedFields") return items.sort(byManager);
      // Of several managers in the order of a map of Go.
      return key === "causes" ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
    }
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [this.text(name), this.value(item ?? null, name)]),
    );
  }

  private named(known: Map<string, string>, value: string, kind: string): string {
    const seen = known.get(value);
    if (seen !== undefined) return seen;
    // Named after the answer: a version more on one hub does not change the names of all that follow.
    const start = `${kind}-${this.answers}`;
    const others = [...known.values()].filter((name) => name.startsWith(`${start}.`)).length;
    known.set(value, `${start}.${others + 1}`);
    return `${start}.${others + 1}`;
  }

  private text(text: string): string {
    let result = text;
    for (const [from, to] of this.replacements) result = result.replaceAll(from, to);
    return result
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/gu, "<time>")
      .replace(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\n?/gu, "<certificate>")
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, "<uid>")
      .replace(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/gu, "<token>")
      .replace(/current: \d+$/gu, "current: <version>")
      .replace(/in record \(\d+\)/gu, "in record (<version>)")
      .replace(/"?resourceVersion\\?"?:\\?"?\d+\\?"?/gu, "<version>");
  }
}
