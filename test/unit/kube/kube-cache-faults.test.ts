import { afterEach, describe, expect, it } from "vitest";
import type { ServerResponse } from "node:http";
import type { TlsMaterial } from "../../../src/kube/connection.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import { startKubeCache } from "../../../src/kube/kube-cache.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";
import { createInstantClock, fixedRandom } from "../../support/manual-clock.ts";
import { longestWaitMs } from "../../support/until.ts";
import { configMapList, configMapNamed, eventLine, reset, status, stream } from "./scripted-api.ts";
import { answerJson, closedPort, startScriptedServer } from "./scripted-server.ts";
import type { Script } from "./scripted-server.ts";

const type = resourceTypes.configMap;

/** A server with ConfigMaps `names`; the first requests are answered by the scripts of a fault instead. */
function serve(state: { names: string[]; lists: Script[]; watches: Script[]; open: ServerResponse[] }): Script {
  return (request, response) => {
    const isWatch = request.url.searchParams.has("watch");
    const fault = (isWatch ? state.watches : state.lists).shift();
    if (fault !== undefined) return fault(request, response);
    if (!isWatch) return answerJson(response, 200, configMapList(state.names, { resourceVersion: "5" }));
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    state.open.push(response);
  };
}

const html: Script = (_, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end("<html>Sign in</html>");
};
const slowLoris: Script = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 20);
  response.once("close", () => clearInterval(timer));
};
const cutOff: Script = (_, response) => {
  response.writeHead(200, { "content-length": 1000 });
  response.write('{"kind":"ConfigMapList","items":[', () => response.socket?.destroy());
};
const cutOffWatch: Script = (_, response) => {
  response.writeHead(200);
  response.write(`${eventLine("ADDED", configMapNamed("early"))}{"type":"ADD`, () => response.socket?.destroy());
};
const expired = status(410, { reason: "Expired" });
const throttled = status(429, { reason: "TooManyRequests", headers: { "retry-after": "2" } });

const faults: {
  fault: string;
  lists?: Script[];
  watches?: Script[];
  /** Requests until the cache is healthy again. */
  counts: { list: number; watch: number };
  errors: string[];
  timeoutMs?: number;
}[] = [
  {
    fault: "a list that is cut off, which is tried again at once",
    lists: [cutOff],
    counts: { list: 2, watch: 1 },
    errors: [],
  },
  {
    fault: "lists that are cut off again and again",
    lists: [cutOff, cutOff],
    counts: { list: 3, watch: 1 },
    errors: ["E_KUBE_UNREACHABLE"],
  },
  {
    fault: "a reset connection, which is tried again at once",
    lists: [reset],
    counts: { list: 2, watch: 1 },
    errors: [],
  },
  {
    fault: "connections that are reset again and again",
    lists: [reset, reset, reset, reset],
    counts: { list: 5, watch: 1 },
    errors: ["E_KUBE_UNREACHABLE", "E_KUBE_UNREACHABLE"],
  },
  {
    fault: "a slow loris",
    lists: [slowLoris],
    counts: { list: 2, watch: 1 },
    errors: ["E_KUBE_UNREACHABLE"],
    timeoutMs: 2000,
  },
  { fault: "a page of a proxy", lists: [html], counts: { list: 2, watch: 1 }, errors: ["E_KUBE_SERVER"] },
  { fault: "a list that expires while it is read", lists: [expired], counts: { list: 2, watch: 1 }, errors: [] },
  { fault: "a request to slow down", lists: [throttled], counts: { list: 2, watch: 1 }, errors: [] },
  {
    fault: "a server that fails",
    lists: [status(500, { reason: "InternalError" })],
    counts: { list: 2, watch: 1 },
    errors: ["E_KUBE_SERVER"],
  },
  {
    fault: "a credential that is refused for a while",
    lists: [status(401, { reason: "Unauthorized" })],
    counts: { list: 2, watch: 1 },
    errors: ["E_KUBE_UNAUTHORIZED"],
  },
  { fault: "a watch that is reset before it is open", watches: [reset], counts: { list: 1, watch: 2 }, errors: [] },
  {
    fault: "a watch that is cut off behind an event that the server does not know any more",
    watches: [cutOffWatch],
    counts: { list: 2, watch: 2 },
    errors: ["E_KUBE_UNREACHABLE"],
  },
  { fault: "a watch that expired", watches: [expired], counts: { list: 2, watch: 2 }, errors: [] },
  {
    fault: "a watch that expires while it is open",
    watches: [stream(eventLine("ERROR", { kind: "Status", code: 410, reason: "Expired" }))],
    counts: { list: 2, watch: 2 },
    errors: [],
  },
  { fault: "a watch that ends at once", watches: [stream()], counts: { list: 2, watch: 2 }, errors: [] },
  {
    fault: "a watch that is a page of a proxy",
    watches: [html],
    counts: { list: 2, watch: 2 },
    errors: ["E_KUBE_SERVER"],
  },
  { fault: "a watch that is throttled", watches: [throttled], counts: { list: 1, watch: 2 }, errors: [] },
];

describe("startKubeCache over a network", () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  function start(server: string, getTls: () => Promise<TlsMaterial>, timeoutMs = longestWaitMs) {
    const clock = createInstantClock();
    const transport = createUndiciTransport({ server, getTls, getToken: () => Promise.resolve("t") });
    const api = createKubeApi({ transport, clock, random: fixedRandom(), timeoutMs });
    const errors: string[] = [];
    const onError = (error: unknown) => errors.push((error as { code: string }).code);
    const cache = startKubeCache(api, type, { onError }, { clock, random: fixedRandom() });
    stops.push(
      () => api.close(),
      () => cache.stop(),
    );
    return { api, cache, errors };
  }

  it.each(faults)("heals after $fault", async (one) => {
    const { lists = [], watches = [], counts, errors: expected, timeoutMs } = one;
    const state = { names: ["a"], lists: [...lists], watches: [...watches], open: [] as ServerResponse[] };
    const server = await startScriptedServer(serve(state));
    stops.push(server.stop);
    const { api, cache, errors } = start(server.url, () => Promise.resolve({ caPem: server.caPem }), timeoutMs);
    await cache.whenSynced();
    await expect.poll(() => state.open.length, { interval: 5 }).toBe(1);
    state.open[0]?.write(eventLine("ADDED", configMapNamed("late")));
    await expect.poll(() => cache.get("edge", "late")?.metadata.name, { interval: 5 }).toBe("late");
    expect(cache.get("edge", "a")?.metadata.name).toBe("a");
    expect(cache.failingSinceMs).toBeUndefined();
    expect(Object.fromEntries(api.requestCounts)).toEqual(counts);
    expect(errors).toEqual(expected);
  });

  it("heals when no server listened, and when the certificate was not trusted", async () => {
    const port = await closedPort();
    let caPem = (await makeCertificateAuthority("other")).cert;
    const { cache, errors } = start(`https://127.0.0.1:${port}`, () => Promise.resolve({ caPem }));
    await expect.poll(() => errors[0], { interval: 5 }).toBe("E_KUBE_UNREACHABLE");
    const state = { names: ["a"], lists: [], watches: [], open: [] };
    const server = await startScriptedServer(serve(state), port);
    stops.push(server.stop);
    await expect.poll(() => errors.at(-1), { interval: 5 }).toBe("E_KUBE_TLS");
    expect(cache.failingSinceMs).toBeDefined();
    caPem = server.caPem;
    await cache.whenSynced();
    await expect.poll(() => cache.failingSinceMs, { interval: 5 }).toBeUndefined();
    expect(cache.list()).toHaveLength(1);
    expect(new Set(errors)).toEqual(new Set(["E_KUBE_UNREACHABLE", "E_KUBE_TLS"]));
  });
});
