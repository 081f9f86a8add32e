import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { errorCodeOf } from "../../../src/core/errors.ts";
import { createForgeHttp } from "../../../src/forge/forge-http.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { answerJson } from "../kube/scripted-server.ts";

it.each([
  { asked: "to wait", status: 429, lines: ["GET /slow", "GET /thing"], code: "E_FORGE_UNREACHABLE" },
  { asked: "nothing", status: 200, lines: ["GET /slow", "GET /thing", "GET /slow"], code: undefined },
])("F19 a request whose connection is closed, after the forge asked $asked", async ({ status, lines, code }) => {
  const seen: string[] = [];
  const held: ServerResponse[] = [];
  const arrived = new EventTarget();
  const server = createServer(({ method, url }, response) => {
    seen.push(`${method} ${url}`);
    if (url !== "/slow") return answerJson(response, status, {}, { "retry-after": "60" });
    if (held.length > 0) return answerJson(response, 200, {});
    held.push(response);
    arrived.dispatchEvent(new Event("slow"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createForgeHttp({ apiUrl, headers: {}, token: "t", clock: createManualClock() });
  const send = (path: string): Promise<string | undefined> =>
    http.send({ action: "read it", method: "GET", path }).then(() => undefined, errorCodeOf);
  try {
    const whenArrived = new Promise((resolve) => arrived.addEventListener("slow", resolve));
    const slow = send("/slow");
    await whenArrived;
    await send("/thing");
    held[0]?.destroy();
    expect(await slow).toBe(code);
    expect(seen).toEqual(lines);
  } finally {
    await http.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
});

it("F19 waits the longest time that one of several answers has asked for", async () => {
  const clock = createManualClock();
  const held: ServerResponse[] = [];
  let requests = 0;
  const server = createServer(({ url }, response) => {
    requests += 1;
    if (url === "/slow") held.push(response);
    else answerJson(response, requests > 2 ? 200 : 429, {}, { "retry-after": "600" });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createForgeHttp({ apiUrl, headers: {}, token: "t", clock });
  const send = (path: string) => http.send({ action: "read it", method: "GET", path });
  try {
    const slow = expect(send("/slow")).rejects.toMatchObject({ data: { retryAfterMs: 5000 } });
    await expect.poll(() => held).toHaveLength(1);
    await expect(send("/thing")).rejects.toMatchObject({ data: { retryAfterMs: 600_000 } });
    if (held[0]) answerJson(held[0], 429, {}, { "retry-after": "5" });
    await slow;
    await clock.advance(10_000);
    await expect(send("/thing")).rejects.toMatchObject({ data: { retryAfterMs: 590_000 } });
    expect(requests).toBe(2);
  } finally {
    await http.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
});
