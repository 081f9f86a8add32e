import { setMaxListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { configMapNamed, ok, reset, settings, status, useScriptedApi } from "./scripted-api.ts";
import { answerJson, answerStatus, closedPort } from "./scripted-server.ts";

const { lease } = resourceTypes;

describe("createKubeApi", () => {
  const scripted = useScriptedApi();

  describe("retries", () => {
    it("wait as long as the server asks, then go on", async () => {
      scripted.play(
        status(429, { reason: "TooManyRequests", headers: { "retry-after": "3" } }),
        status(503, { reason: "ServiceUnavailable", details: { retryAfterSeconds: 2 } }),
        ok,
      );
      await scripted.open().create(configMapNamed("settings"), { fieldManager: "t" });
      expect(scripted.clock.sleepsMs).toEqual([3000, 2000]);
    });

    it("end after three, and when the server asks for too long a wait", async () => {
      scripted.play(status(429, { reason: "TooManyRequests", headers: { "retry-after": "1" } }));
      const refused = scripted.open().get(settings);
      await expect(refused).rejects.toMatchObject({ code: "E_KUBE_THROTTLED", data: { retryAfterSeconds: 1 } });
      expect(scripted.server.lines).toHaveLength(4);
      scripted.play(status(429, { reason: "TooManyRequests", headers: { "retry-after": "3600" } }));
      const postponed = scripted.open().get(settings);
      await expect(postponed).rejects.toMatchObject({ code: "E_KUBE_THROTTLED", data: { retryAfterSeconds: 3600 } });
      expect(scripted.server.lines).toHaveLength(5);
    });

    it("do not repeat a create after a 503 that names no time: it may have been done", async () => {
      scripted.play(status(503, { reason: "ServiceUnavailable" }));
      const created = scripted.open().create(configMapNamed("settings"), { fieldManager: "t" });
      await expect(created).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
      expect(scripted.server.lines).toHaveLength(1);
      await expect(scripted.open().get(settings)).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
      expect(scripted.server.lines).toHaveLength(5);
    });

    it("repeat once what may be repeated, when the connection was closed instead of answered", async () => {
      scripted.play(reset, ok);
      await scripted.open().get(settings);
      await scripted.open().apply(configMapNamed("settings"), { fieldManager: "t" });
      scripted.play(reset);
      await expect(scripted.open().get(settings)).rejects.toMatchObject({ code: "E_KUBE_UNREACHABLE" });
      const count = scripted.server.lines.length;
      await expect(scripted.open().create(configMapNamed("x"), { fieldManager: "t" })).rejects.toMatchObject({
        code: "E_KUBE_UNREACHABLE",
        message: expect.stringContaining("create ConfigMap/edge/x: ") as string,
      });
      expect(scripted.server.lines).toHaveLength(count + 1);
      expect(scripted.clock.sleepsMs).toEqual([]);
    });

    it("use the newer token once when the server refuses the one at hand", async () => {
      const asked: (string | undefined)[] = [];
      const getToken = (rejected?: string) => {
        asked.push(rejected);
        return Promise.resolve(rejected === undefined ? "old" : "new");
      };
      scripted.server.script = (request, response) => {
        if (request.headers.authorization === "Bearer new") answerJson(response, 200, configMapNamed("settings"));
        else answerStatus(response, 401, { reason: "Unauthorized" });
      };
      const transport = createUndiciTransport({ ...scripted.server.connection(), getToken });
      await scripted.open({ transport }).get(settings);
      expect(asked).toEqual([undefined, "old"]);
      scripted.play(status(401, { reason: "Unauthorized" }));
      await expect(scripted.open({ transport }).get(settings)).rejects.toMatchObject({ code: "E_KUBE_UNAUTHORIZED" });
      expect(scripted.server.lines).toHaveLength(4);
    });

    it("end when the server refuses the newer token too, though there is always another one", async () => {
      let asked = 0;
      const getToken = () => Promise.resolve(`token-${(asked += 1)}`);
      // An end for a client that never stops.
      scripted.play(...Array.from({ length: 20 }, () => status(401, { reason: "Unauthorized" })), ok);
      const transport = createUndiciTransport({ ...scripted.server.connection(), getToken });
      await expect(scripted.open({ transport }).get(settings)).rejects.toMatchObject({ code: "E_KUBE_UNAUTHORIZED" });
      expect(scripted.server.lines).toHaveLength(2);
    });

    it("do not ask again with a token that was refused", async () => {
      scripted.play(status(401, { reason: "Unauthorized" }));
      const transport = createUndiciTransport(scripted.server.connection({ token: "fixed" }));
      await expect(scripted.open({ transport }).get(settings)).rejects.toMatchObject({ code: "E_KUBE_UNAUTHORIZED" });
      expect(scripted.server.lines).toHaveLength(1);
    });

    it("stop with the signal's reason", async () => {
      const aborting = new AbortController();
      const reason = new Error("stopped");
      scripted.play((_, response) => {
        aborting.abort(reason);
        answerStatus(response, 429, { reason: "TooManyRequests" });
      });
      await expect(scripted.open().get(settings, { signal: aborting.signal })).rejects.toBe(reason);
      await expect(scripted.open().get(settings, { signal: aborting.signal })).rejects.toBe(reason);
    });
  });

  describe("faults", () => {
    it("are E_KUBE_UNREACHABLE when a slow loris answers byte by byte for longer than allowed", async () => {
      scripted.server.script = (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const timer = setInterval(() => response.write(" "), 20);
        response.once("close", () => clearInterval(timer));
      };
      const error: unknown = await scripted
        .open({ timeoutMs: 300 })
        .get(settings)
        .catch((e: unknown) => e);
      expect(error).toMatchObject({ code: "E_KUBE_UNREACHABLE", data: { verb: "get" } });
    });

    it("are E_KUBE_UNREACHABLE when no server listens", async () => {
      const connection = scripted.server.connection({ server: `https://127.0.0.1:${await closedPort()}` });
      const refused = scripted.open({ transport: createUndiciTransport(connection) }).get(settings);
      await expect(refused).rejects.toMatchObject({
        code: "E_KUBE_UNREACHABLE",
        data: { object: "ConfigMap/edge/settings" },
      });
    });

    it("F11 do not hold up a Lease: it has a connection of its own", async () => {
      scripted.server.script = (request, response) => {
        if (request.url.pathname.includes("/leases/"))
          answerJson(response, 200, { ...configMapNamed("l"), kind: "Lease" });
      };
      const transport = createUndiciTransport(scripted.server.connection(), { connections: 1 });
      const api = scripted.open({ transport });
      const aborting = new AbortController();
      setMaxListeners(0, aborting.signal);
      const hanging = Array.from({ length: 20 }, () =>
        api.get(settings, { signal: aborting.signal }).catch(() => "ended"),
      );
      await scripted.server.whenReceived(1);
      expect(await api.get({ type: lease, namespace: "edge", name: "l" })).toMatchObject({ kind: "Lease" });
      aborting.abort();
      expect(await Promise.all(hanging)).toEqual(Array(20).fill("ended"));
    });
  });
});
