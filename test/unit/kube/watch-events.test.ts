import { describe, expect, it } from "vitest";
import type { WatchEvent } from "../../../src/kube/kube.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { configMapNamed, eventLine, status, stream, useScriptedApi } from "./scripted-api.ts";
import type { Script } from "./scripted-server.ts";
import { fixedRandom } from "../../support/manual-clock.ts";

const { configMap, namespace, secret } = resourceTypes;

describe("watchEvents", () => {
  const scripted = useScriptedApi();

  async function collect(events: AsyncIterable<WatchEvent>, into: WatchEvent[] = []): Promise<WatchEvent[]> {
    for await (const event of events) into.push(event);
    return into;
  }

  it("gives events and bookmarks, however the lines are cut, until the server ends it", async () => {
    const text = eventLine("ADDED", configMapNamed("ä")) + eventLine("MODIFIED", configMapNamed("b")) + "\n";
    const rest =
      eventLine("DELETED", configMapNamed("c")) + eventLine("BOOKMARK", { metadata: { resourceVersion: "99" } });
    const bytes = Buffer.from(text + rest);
    scripted.server.script = (_, response) => {
      response.writeHead(200);
      // In the middle of a character.
      const cut = bytes.indexOf(0xc3) + 1;
      response.write(bytes.subarray(0, cut), () => setImmediate(() => response.end(bytes.subarray(cut))));
    };
    let opened = 0;
    const options = {
      namespace: "edge",
      resourceVersion: "5",
      fieldSelector: "metadata.name=b",
      onOpen: () => opened++,
    };
    const events = await collect(scripted.open().watch(configMap, options));
    expect(events).toEqual([
      { kind: "added", object: configMapNamed("ä") },
      { kind: "modified", object: configMapNamed("b") },
      { kind: "deleted", object: configMapNamed("c") },
      { kind: "bookmark", resourceVersion: "99" },
    ]);
    expect(opened).toBe(1);
    const selector = "fieldSelector=metadata.name%3Db";
    expect(scripted.server.lines).toEqual([
      "GET /api/v1/namespaces/edge/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=5&" +
        `timeoutSeconds=290&${selector}`,
    ]);
  });

  it.each([
    {
      what: "the version is too old",
      script: status(410, { reason: "Expired" }),
      code: "E_KUBE_GONE",
    },
    {
      what: "the version becomes too old",
      script: stream(
        eventLine("ADDED", configMapNamed("a")),
        eventLine("ERROR", { kind: "Status", code: 410, reason: "Expired" }),
      ),
      code: "E_KUBE_GONE",
    },
    {
      what: "it is cut off within an event",
      script: stream(eventLine("ADDED", configMapNamed("a")), '{"type":"ADDED","obj'),
      code: "E_KUBE_UNREACHABLE",
    },
    { what: "a line is no event", script: stream("hello\n"), code: "E_KUBE_SERVER" },
    { what: "an event has no object", script: stream(eventLine("ADDED", {})), code: "E_KUBE_SERVER" },
    {
      what: "an event has an unknown type",
      script: stream(eventLine("MOVED", configMapNamed("a"))),
      code: "E_KUBE_SERVER",
    },
    { what: "a bookmark has no version", script: stream(eventLine("BOOKMARK", {})), code: "E_KUBE_SERVER" },
    { what: "it may not", script: status(403, { reason: "Forbidden" }), code: "E_KUBE_FORBIDDEN" },
    {
      what: "the connection is reset",
      script: ((_, response) => {
        response.writeHead(200);
        response.write(eventLine("ADDED", configMapNamed("a")), () => response.socket?.destroy());
      }) satisfies Script,
      code: "E_KUBE_UNREACHABLE",
    },
  ])("fails when $what", async ({ script, code }) => {
    scripted.play(script);
    await expect(collect(scripted.open().watch(configMap, { resourceVersion: "5" }))).rejects.toMatchObject({ code });
  });

  it("fails when an event is larger than any object can be, and keeps no more of it", async () => {
    scripted.server.script = (_, response) => {
      response.writeHead(200);
      response.write("x".repeat(17 << 20));
    };
    const watched = collect(scripted.open().watch(configMap, { resourceVersion: "5" }));
    await expect(watched).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
  });

  it("returns, and closes its connection, when the signal is aborted or the consumer leaves", async () => {
    const ended: string[] = [];
    scripted.server.script = (request, response) => {
      response.once("close", () => ended.push(request.url.searchParams.get("resourceVersion") ?? ""));
      response.writeHead(200).write(eventLine("ADDED", configMapNamed("a")));
    };
    const aborting = new AbortController();
    const events: WatchEvent[] = [];
    const watching = collect(
      scripted.open().watch(configMap, { resourceVersion: "1", signal: aborting.signal }),
      events,
    );
    await expect.poll(() => events.length).toBe(1);
    aborting.abort();
    await watching;
    for await (const event of scripted.open().watch(configMap, { resourceVersion: "2" })) {
      expect(event.kind).toBe("added");
      break;
    }
    await expect.poll(() => ended).toEqual(["1", "2"]);
  });

  it("gives nothing more once its signal is aborted, also of what had come already", async () => {
    scripted.play(stream(eventLine("ADDED", configMapNamed("a")) + eventLine("ADDED", configMapNamed("b"))));
    const aborting = new AbortController();
    const watched = scripted.open().watch(configMap, { resourceVersion: "1", signal: aborting.signal });
    const names: (string | undefined)[] = [];
    for await (const event of watched) {
      names.push("object" in event ? event.object.metadata.name : undefined);
      aborting.abort();
    }
    expect(names).toEqual(["a"]);
  });

  it("passes over lines without an event, also one that begins a piece of the answer", async () => {
    const line = eventLine("ADDED", configMapNamed("a"));
    scripted.server.script = (_, response) => {
      response.writeHead(200);
      response.write(`\r\n${line.trimEnd()}`, () => setImmediate(() => response.end(`\n \n${line}`)));
    };
    const events = await collect(scripted.open().watch(configMap, { resourceVersion: "1" }));
    expect(events).toEqual([1, 2].map(() => ({ kind: "added", object: configMapNamed("a") })));
  });

  it("asks for an end up to twenty seconds later, so that the watches of many do not end at once", async () => {
    scripted.play(stream());
    await collect(scripted.open({ random: fixedRandom(0.99) }).watch(secret, { resourceVersion: "1" }));
    expect(scripted.server.lines[0]).toContain("&timeoutSeconds=309");
  });

  it("fails when the API is closed under it", async () => {
    scripted.server.script = (_, response) => response.writeHead(200).write(eventLine("ADDED", configMapNamed("a")));
    const api = scripted.open();
    const events: WatchEvent[] = [];
    const watching = collect(api.watch(configMap, { resourceVersion: "1" }), events);
    const failed = expect(watching).rejects.toMatchObject({ code: "E_KUBE_UNREACHABLE" });
    await expect.poll(() => events.length).toBe(1);
    await api.close();
    await failed;
  });

  it("does not begin when the signal is aborted already", async () => {
    const watched = scripted.open().watch(namespace, { resourceVersion: "1", signal: AbortSignal.abort() });
    expect(await collect(watched)).toEqual([]);
    expect(scripted.server.lines).toEqual([]);
  });

  it("returns when nothing comes for too long: the peer may be dead", async () => {
    scripted.server.script = (_, response) => response.writeHead(200).flushHeaders();
    const watched = scripted.open({ watchSilenceMs: 200 }).watch(secret, { resourceVersion: "1" });
    expect(await collect(watched)).toEqual([]);
  });
});
