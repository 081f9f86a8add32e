import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { createAnswerBudget } from "../../../src/kube/answer-budget.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { configMapList, configMapNamed, settings, useScriptedApi } from "./scripted-api.ts";
import { answerJson } from "./scripted-server.ts";

const mebibyte = 1024 * 1024;
const { configMap } = resourceTypes;

/** Answers with 60 MiB of JSON for as long as the client reads; returns how many bytes the server sent. */
function endless(response: ServerResponse, status = 200): () => number {
  const piece = Buffer.alloc(64 * 1024, "[],");
  let sentBytes = 0;
  response.writeHead(status, { "content-type": "application/json" });
  response.write('{"kind":"Status","apiVersion":"v1","items":[');
  const send = (): void => {
    while (sentBytes < 60 * mebibyte && !response.destroyed) {
      sentBytes += piece.length;
      if (!response.write(piece)) return void response.once("drain", send);
    }
    response.end();
  };
  send();
  return () => sentBytes;
}

describe("answers of a server", () => {
  const scripted = useScriptedApi();
  const watchAll = async (api: KubeApi): Promise<void> => {
    for await (const event of api.watch(configMap, { resourceVersion: "1" })) expect(event).toBeUndefined();
  };
  // What may be read, and as much as sockets and the program hold in between.
  const calls: { name: string; call: (api: KubeApi) => Promise<unknown>; boundBytes: number; status?: number }[] = [
    { name: "get", call: (api) => api.get(settings), boundBytes: 4 * mebibyte },
    {
      name: "apply",
      call: (api) => api.apply(configMapNamed("settings"), { fieldManager: "test" }),
      boundBytes: 4 * mebibyte,
    },
    { name: "delete", call: (api) => api.delete(settings), boundBytes: 4 * mebibyte },
    { name: "watch", call: watchAll, boundBytes: 5 * mebibyte },
    { name: "getRaw", call: (api) => api.getRaw("/version"), boundBytes: 64 * 1024 },
    {
      name: "requestToken",
      call: (api) => api.requestToken({ namespace: "a", serviceAccount: "b", expirationSeconds: 600 }),
      boundBytes: 64 * 1024,
    },
    { name: "a refusal", call: (api) => api.get(settings), boundBytes: 64 * 1024, status: 403 },
  ];
  const slackBytes = 6 * mebibyte;

  it.each(calls)("A56 of 60 MiB are read no further than $name needs", async ({ call, boundBytes, status }) => {
    const sent: (() => number)[] = [];
    scripted.server.script = (_, response) => void sent.push(endless(response, status));
    await expect(call(scripted.open())).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.()).toBeLessThan(boundBytes + slackBytes);
  });

  it("A102 an object that an API server escapes is read where a client asks for such objects, in a watch too", async () => {
    const data = { a: "\\u003c".repeat(1_400_000) };
    const large = JSON.stringify(configMapNamed("settings", { data })).replaceAll("\\\\u", "\\u");
    const event = `{"type":"MODIFIED","object":${large}}\n`;
    scripted.server.script = ({ url }, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(url.searchParams.has("watch") ? event : large);
    };
    const api = scripted.open({ maxObjectBytes: 16 * mebibyte });
    expect((await api.get(settings))?.["data"]).toEqual({ a: "<".repeat(1_400_000) });
    const kinds: string[] = [];
    for await (const { kind } of api.watch(configMap, { resourceVersion: "1" })) kinds.push(kind);
    expect(kinds).toEqual(["modified"]);
    await expect(scripted.open().get(settings)).rejects.toMatchObject({ data: { isTooLarge: true } });
  });

  it("A56 a page that is too large is asked for again with fewer objects, down to one", async () => {
    const objects = ["a", "b", "c"].map((name) => configMapNamed(name, { data: { a: "x".repeat(3000) } }));
    scripted.server.script = ({ url }, response) => {
      const limit = Number(url.searchParams.get("limit"));
      const start = Number(url.searchParams.get("continue") ?? "0");
      const next: Record<string, string> = start + limit < objects.length ? { continue: String(start + limit) } : {};
      const page = configMapList([], { resourceVersion: "7", ...next });
      answerJson(response, 200, { ...page, items: objects.slice(start, start + limit) });
    };
    const { items } = await scripted.open({ maxPageBytes: 4096 }).list(configMap);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"]);
    expect(scripted.server.requests.length).toBeLessThan(20);
  });

  it("A56 a server that gives 60 MiB for every page is given up after four tries", async () => {
    scripted.server.script = (_, response) => void endless(response);
    await expect(scripted.open().list(configMap)).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
    expect(scripted.server.requests).toHaveLength(4);
  });

  it("A56 share one budget: large ones are read and parsed one after the other, and all of them arrive", async () => {
    const large = configMapNamed("settings", { data: { a: "x".repeat(2 * mebibyte) } });
    scripted.server.script = (_, response) => answerJson(response, 200, large);
    const answers = createAnswerBudget(4 * mebibyte);
    const taken: number[] = [];
    const watched = {
      take: async (sizeBytes: number, signal?: AbortSignal) => {
        const giveBack = await answers.take(sizeBytes, signal);
        taken.push(answers.takenBytes);
        return giveBack;
      },
      get takenBytes() {
        return answers.takenBytes;
      },
    };
    const apis = [scripted.open({ answers: watched }), scripted.open({ answers: watched })];
    await Promise.all(Array.from({ length: 8 }, async (_, index) => apis[index % 2]?.get(settings)));
    expect(taken).toEqual(Array.from({ length: 8 }, () => 4 * mebibyte));
    expect(answers.takenBytes).toBe(0);
  });
});

describe("createAnswerBudget", () => {
  it("A56 admits by turns, takes an answer larger than itself alone, and forgets a request that gave up", async () => {
    const budget = createAnswerBudget(10);
    const first = await budget.take(6);
    const order: string[] = [];
    const ending = new AbortController();
    const given = budget.take(8, ending.signal).catch(() => order.push("gave up"));
    const large = budget.take(100).then((giveBack) => {
      order.push("large");
      return giveBack;
    });
    const small = budget.take(1).then((giveBack) => {
      order.push("small");
      return giveBack;
    });
    ending.abort();
    await given;
    expect(budget.takenBytes).toBe(6);
    first();
    first();
    (await large)();
    (await small)();
    expect(order).toEqual(["gave up", "large", "small"]);
    expect(budget.takenBytes).toBe(0);
  });
});
