import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberAt, textAt, valueAt } from "../../../src/core/read-json.ts";
import { until } from "../../support/until.ts";
import type { TestHub } from "./hub-client.ts";
import { eventsOf, startTestHub, take, webSocketHead } from "./hub-client.ts";

let server: TestHub;

beforeAll(async () => {
  server = await startTestHub();
});
afterAll(() => server.stop());

async function newNamespace(): Promise<string> {
  const answer = await server.call({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { metadata: { generateName: "watch-" } },
  });
  const name = textAt(answer.json, "metadata", "name") ?? "";
  // The one ConfigMap that comes by itself must not come in the middle of a test.
  const path = `/api/v1/namespaces/${name}/configmaps/kube-root-ca.crt`;
  await until(
    () => server.call({ path }),
    ({ statusCode }) => statusCode === 200,
  );
  return name;
}

async function put(namespace: string, name: string, labels: Record<string, string> = {}): Promise<number> {
  const answer = await server.call({
    method: "PATCH",
    path: `/api/v1/namespaces/${namespace}/configmaps/${name}?fieldManager=test`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: { at: String(Math.random()) } },
    headers: { "content-type": "application/apply-patch+yaml" },
  });
  return Number(textAt(answer.json, "metadata", "resourceVersion"));
}

function named(event: { readonly type: string; readonly object: unknown }): string {
  return `${event.type} ${textAt(event.object, "metadata", "name") ?? ""}`;
}

describe("a watch", () => {
  it("continues from the revision of a list, without gap or repetition", async () => {
    const namespace = await newNamespace();
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await put(namespace, "before");
    const list = await server.call({ path });
    const revision = textAt(list.json, "metadata", "resourceVersion") ?? "";
    await put(namespace, "a");
    const stream = await server.open({ path: `${path}?watch=true&resourceVersion=${revision}` });
    const events = eventsOf(stream);
    await put(namespace, "b");
    await put(namespace, "a");
    await server.call({ method: "DELETE", path: `${path}/b` });
    expect((await take(events, 4)).map(named)).toEqual(["ADDED a", "ADDED b", "MODIFIED a", "DELETED b"]);
    stream.destroy();
  });

  it("shows what enters and leaves a selection as added and deleted", async () => {
    const namespace = await newNamespace();
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const revision = await put(namespace, "a");
    const selector = "labelSelector=tier%3Dfront";
    const stream = await server.open({ path: `${path}?watch=true&${selector}&resourceVersion=${revision}` });
    await put(namespace, "other", { tier: "back" });
    await put(namespace, "a", { tier: "front" });
    await put(namespace, "a", { tier: "back" });
    const [added, deleted] = await take(eventsOf(stream), 2);
    expect(added).toMatchObject({ type: "ADDED", object: { metadata: { labels: { tier: "front" } } } });
    // As it was while it matched, with the revision of its leaving.
    expect(deleted).toMatchObject({ type: "DELETED", object: { metadata: { labels: { tier: "front" } } } });
    stream.destroy();
  });

  it("that asks for it gets the state first, then a bookmark of its end", async () => {
    const namespace = await newNamespace();
    await put(namespace, "a");
    await put(namespace, "b");
    const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const stream = await server.open({
      path: `/api/v1/namespaces/${namespace}/configmaps?${query}&fieldSelector=metadata.name!=kube-root-ca.crt`,
    });
    const [first, second, end] = await take(eventsOf(stream), 3);
    expect([first, second].map((event) => event?.type)).toEqual(["ADDED", "ADDED"]);
    expect(end?.type).toBe("BOOKMARK");
    expect(valueAt(end?.object, "metadata", "annotations", "k8s.io/initial-events-end")).toBe("true");
    stream.destroy();
  });

  it("ends at its time with a bookmark before", async () => {
    const stream = await server.open({
      path: "/api/v1/namespaces/default/configmaps?watch=true&timeoutSeconds=3&allowWatchBookmarks=true&resourceVersion=1",
    });
    const types: string[] = [];
    for await (const { type } of eventsOf(stream)) types.push(type);
    expect(types.at(-1)).toBe("BOOKMARK");
  });

  it("that asks for a state not older than a future revision is refused, and gets no older one", async () => {
    const future = (await put(await newNamespace(), "a")) + 1_000_000;
    const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const stream = await server.open({
      path: `/api/v1/namespaces/default/configmaps?${query}&resourceVersion=${future}`,
    });
    const [first] = await take(eventsOf(stream), 1);
    expect(first).toMatchObject({ type: "ERROR", object: { code: 504, reason: "Timeout" } });
    expect(textAt(first?.object, "message")).toContain(`Too large resource version: ${future}`);
    stream.destroy();
  });

  it("after a revision to come gets no bookmark of an older one", async () => {
    const future = (await put(await newNamespace(), "a")) + 1_000_000;
    const query = `watch=true&timeoutSeconds=3&allowWatchBookmarks=true&resourceVersion=${future}`;
    const stream = await server.open({ path: `/api/v1/namespaces/default/configmaps?${query}` });
    const types: string[] = [];
    for await (const { type } of eventsOf(stream)) types.push(type);
    expect(types).toEqual([]);
  });

  it("that has ended holds no room: a user can open one after another, each with a long selector", async () => {
    const bound = await server.call({
      method: "POST",
      path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
      body: {
        metadata: { name: "follower" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "follower" }],
      },
    });
    expect(bound.statusCode, bound.text).toBe(201);
    const values = Array.from({ length: 1_000 }, (_, index) => `v${index}`).join(",");
    const path = `/api/v1/namespaces/default/configmaps?watch=true&labelSelector=${encodeURIComponent(`a in (${values})`)}`;
    // A user may have a mebibyte of selectors at once.
    for (let opened = 0; opened * values.length < 2 ** 20 + 100_000; opened += 1) {
      const watch = await server.open({ path, headers: { "impersonate-user": "follower" } });
      expect(watch.statusCode).toBe(200);
      const closed = once(watch, "close");
      watch.destroy();
      await closed;
    }
  });

  it("of a kind whose definition changes ends, and another continues", async () => {
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const crd = (description: string): object => ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "lamps.watch.example" },
      spec: {
        group: "watch.example",
        scope: "Namespaced",
        names: { plural: "lamps", singular: "lamp", kind: "Lamp", listKind: "LampList" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", description } },
          },
        ],
      },
    });
    const apply = (description: string) =>
      server.call({
        method: "PATCH",
        path: `${crds}/lamps.watch.example?fieldManager=test`,
        body: crd(description),
        headers: { "content-type": "application/apply-patch+yaml" },
      });
    await apply("one");
    const lamps = "/apis/watch.example/v1/namespaces/default/lamps";
    const isServed = async (): Promise<boolean> => (await server.call({ path: lamps })).statusCode === 200;
    await until(isServed, (is) => is);
    const stream = await server.open({ path: `${lamps}?watch=true` });
    stream.resume();
    const ended = once(stream, "end");
    await apply("two");
    await ended;
    expect(await isServed()).toBe(true);
  });
});

describe("a thousand watches", () => {
  it("get every event, each once, and none costs the others", async () => {
    const namespace = await newNamespace();
    const path = `/api/v1/namespaces/${namespace}/configmaps?watch=true&resourceVersion=${await put(namespace, "a")}`;
    const { hub, tls } = server;
    const session = connectHttp2(hub.url, tls);
    const watches = 1000;
    const events = 5;
    const counts = new Array<number>(watches).fill(0);
    const streams = counts.map((_, index) => {
      const stream = session.request({ ":path": path });
      stream.on("data", (chunk: Buffer) => {
        counts[index] = (counts[index] ?? 0) + chunk.toString("latin1").split("\n").length - 1;
      });
      return once(stream, "response");
    });
    await Promise.all(streams);
    for (let event = 0; event < events; event += 1) await put(namespace, "a");
    await until(
      () => Promise.resolve(Math.min(...counts)),
      (least) => least >= events,
    );
    expect(new Set(counts)).toEqual(new Set([events]));
    session.destroy();
  });
});

describe("a watch by WebSocket", () => {
  it("gets each event as a message of text, and goodbye at its end", async () => {
    const namespace = await newNamespace();
    const { hub, tls } = server;
    const socket = connect({ host: "127.0.0.1", port: hub.port, servername: "localhost", ...tls });
    await once(socket, "secureConnect");
    const query = `watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3D${namespace}`;
    socket.write(`GET /api/v1/namespaces?${query} HTTP/1.1\r\n${webSocketHead}\r\n\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const headEnd = bytes.indexOf("\r\n\r\n") + 4;
    expect(bytes.subarray(0, headEnd).toString()).toMatch(/^HTTP\/1\.1 101 /u);
    // One frame with a length of two bytes, then the close frame with 1000.
    expect(bytes[headEnd]).toBe(0x81);
    expect(bytes[headEnd + 1]).toBe(126);
    const length = bytes.readUInt16BE(headEnd + 2);
    const message: unknown = JSON.parse(bytes.subarray(headEnd + 4, headEnd + 4 + length).toString());
    expect(message).toMatchObject({ type: "ADDED", object: { kind: "Namespace", metadata: { name: namespace } } });
    expect([...bytes.subarray(headEnd + 4 + length)]).toEqual([0x88, 2, 1000 >> 8, 1000 & 0xff]);
  });

  it("that cannot be gets an ordinary refusal", async () => {
    const answer = await server.call({
      path: "/api/v1/namespaces?watch=true&fieldSelector=a%3Db",
      headers: { connection: "Upgrade", upgrade: "websocket", origin: "x", "sec-websocket-version": "13" },
    });
    expect(answer.statusCode).toBe(400);
    expect(numberAt(answer.json, "code")).toBe(400);
  });
});

it("a read of one object waits for the revision that it is to have", async () => {
  const namespace = await newNamespace();
  const next = (await put(namespace, "a")) + 1;
  const path = `/api/v1/namespaces/${namespace}/configmaps/a`;
  const read = server.call({ path: `${path}?resourceVersion=${next}` });
  const written = await put(namespace, "a");
  expect(written).toBeGreaterThanOrEqual(next);
  expect(Number(textAt((await read).json, "metadata", "resourceVersion"))).toBeGreaterThanOrEqual(next);
  const late = await server.call({ path: `${path}?resourceVersion=${written + 1_000_000}` });
  expect([late.statusCode, textAt(late.json, "reason")]).toEqual([504, "Timeout"]);
});
