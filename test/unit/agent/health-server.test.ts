import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { startHealthServer } from "../../../src/agent/health-server.ts";

describe("startHealthServer", () => {
  it.each([
    { path: "/livez", hasReported: false, status: 200, text: "ok" },
    { path: "/healthz", hasReported: false, status: 200, text: "ok" },
    { path: "/readyz", hasReported: false, status: 503, text: "has not reported yet" },
    { path: "/readyz?verbose", hasReported: true, status: 200, text: "ok" },
    { path: "/metrics", hasReported: true, status: 404, text: "not found" },
  ])("answers $path with $status (has reported: $hasReported)", async ({ path, hasReported, status, text }) => {
    const state = { ...createAgentState(), hasReported };
    const server = await startHealthServer({ host: "127.0.0.1", port: 0 }, state);
    onTestFinished(() => server.close());
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(`${text}\n`);
  });

  it("fails when its port is taken", async () => {
    const state = createAgentState();
    const first = await startHealthServer({ host: "127.0.0.1", port: 0 }, state);
    onTestFinished(() => first.close());
    const second = startHealthServer({ host: "127.0.0.1", port: first.port }, state);
    await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it("A60 ends the oldest of clients that send nothing, and answers the probe that comes after them", async () => {
    const server = await startHealthServer({ host: "127.0.0.1", port: 0 }, createAgentState());
    onTestFinished(() => server.close());
    const idle: Socket[] = [];
    const answered = new Set<Socket>();
    onTestFinished(() => idle.forEach((socket) => socket.destroy()));
    for (let opened = 0; opened < 120; opened += 1) {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => undefined).on("data", () => answered.add(socket));
      idle.push(socket);
      await once(socket, "connect");
    }
    expect((await fetch(`http://127.0.0.1:${server.port}/livez`)).status).toBe(200);
    const oldest = idle.slice(0, 20);
    await expect.poll(() => oldest.filter(({ destroyed }) => destroyed).length).toBe(20);
    // One that had its time would have an answer: 408.
    expect(oldest.filter((socket) => answered.has(socket))).toEqual([]);
  });

  it.each(["", "expect: more\r\n"])(
    "A135 ends a connection that asks two thousand times at once (%j)",
    async (header) => {
      const server = await startHealthServer({ host: "127.0.0.1", port: 0 }, createAgentState());
      onTestFinished(() => server.close());
      const client = connect(server.port, "127.0.0.1");
      let text = "";
      client.on("error", () => undefined).on("data", (bytes: Buffer) => (text += bytes.toString()));
      client.write(`GET /livez HTTP/1.1\r\nhost: a\r\n${header}\r\n`.repeat(2_000));
      await expect.poll(() => client.destroyed).toBe(true);
      expect(text.split(/HTTP\/1\.1 (?:200|417) /u).length - 1).toBeLessThanOrEqual(16);
      expect((await fetch(`http://127.0.0.1:${server.port}/livez`)).status).toBe(200);
    },
  );
});
