import { describe, expect, it } from "vitest";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { leadingApi } from "../../../src/kube/leading-api.ts";
import { configMapNamed, ok, page, reset, settings, status, stream, useScriptedApi } from "./scripted-api.ts";
import type { Script } from "./scripted-server.ts";

const { type } = settings;
const manager = { fieldManager: "t" };
const stored = {
  ...configMapNamed("settings"),
  metadata: { name: "settings", namespace: "edge", resourceVersion: "1" },
};

const writes: readonly (readonly [string, (api: KubeApi) => Promise<unknown>])[] = [
  ["create", (api) => api.create(configMapNamed("settings"), manager)],
  ["update", (api) => api.update(stored, manager)],
  ["apply", (api) => api.apply(configMapNamed("settings"), manager)],
  ["mergePatch", (api) => api.mergePatch(settings, {}, manager)],
  ["delete", (api) => api.delete(settings)],
  ["requestToken", (api) => api.requestToken({ namespace: "edge", serviceAccount: "default", expirationSeconds: 600 })],
];

describe("leadingApi", () => {
  const scripted = useScriptedApi();

  /** The term ends when the server has seen `count` requests. */
  function openUntil(count: number): KubeApi {
    const term = new AbortController();
    const isCurrent = (): boolean => {
      if (scripted.server.lines.length >= count) term.abort();
      return !term.signal.aborted;
    };
    return leadingApi(scripted.open(), { signal: term.signal, isCurrent });
  }

  it.each(writes)("sends no %s after the end of the term", async (_, write) => {
    scripted.play(ok);
    await expect(write(openUntil(0))).rejects.toMatchObject({ name: "AbortError" });
    expect(scripted.server.lines).toEqual([]);
  });

  it.each(writes)(
    "F12 repeats no %s that the server asked for once more, when the term ended meanwhile",
    async (_, write) => {
      scripted.play(status(429, { reason: "TooManyRequests", headers: { "retry-after": "10" } }), ok);
      await expect(write(openUntil(1))).rejects.toMatchObject({ name: "AbortError" });
      expect(scripted.server.lines).toHaveLength(1);
    },
  );

  it("F12 repeats no write whose connection was closed, when the term ended meanwhile", async () => {
    scripted.play(reset, ok);
    await expect(openUntil(1).apply(configMapNamed("settings"), manager)).rejects.toMatchObject({ name: "AbortError" });
    expect(scripted.server.lines).toHaveLength(1);
  });

  async function collect(events: AsyncIterable<unknown>): Promise<unknown[]> {
    const collected: unknown[] = [];
    for await (const event of events) collected.push(event);
    return collected;
  }

  const reads: readonly (readonly [string, Script, (api: KubeApi) => Promise<unknown>, unknown])[] = [
    ["get", ok, (api) => api.get(settings), configMapNamed("settings")],
    ["list", page([], { resourceVersion: "3" }), (api) => api.list(type), { items: [], resourceVersion: "3" }],
    ["watch", stream(), (api) => collect(api.watch(type, { resourceVersion: "3" })), []],
    ["getRaw", (_, response) => response.end("ok"), (api) => api.getRaw("/readyz"), { status: 200, text: "ok" }],
  ];

  it.each(reads)("continues to answer %s after the end of the term", async (_, script, read, answer) => {
    scripted.play(script);
    const api = openUntil(0);
    expect(await read(api)).toEqual(answer);
    expect(scripted.server.lines).toHaveLength(1);
    expect([api.server, [...api.requestCounts.values()]]).toEqual([scripted.server.url, [1]]);
  });

  it("closes the connections when it is closed", async () => {
    const api = openUntil(0);
    await api.get(settings);
    expect(scripted.server.openSockets).toBe(1);
    await api.close();
    await expect.poll(() => scripted.server.openSockets, { interval: 5 }).toBe(0);
  });
});
