import { describe, expect, it } from "vitest";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { leadingApi } from "../../../src/kube/leading-api.ts";
import { configMapNamed, ok, reset, settings, status, useScriptedApi } from "./scripted-api.ts";

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

  it("continues to read", async () => {
    scripted.play(ok);
    await openUntil(0).get(settings);
    expect(scripted.server.lines).toHaveLength(1);
  });
});
