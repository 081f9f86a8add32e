import { once } from "node:events";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub, webSocketHead } from "./hub-client.ts";

const maps = "/api/v1/namespaces/default/configmaps";

describe("the metrics of a hub", () => {
  let hub: TestHub;
  beforeAll(async () => void (hub = await startTestHub()));
  afterAll(() => hub.stop());

  /** Lines that have all of the texts. */
  async function linesWith(...texts: readonly string[]): Promise<readonly string[]> {
    const { text } = await hub.call({ path: "/metrics" });
    return text.split("\n").filter((line) => texts.every((part) => line.includes(part)));
  }

  /** The same, when there are as many of them: a request is counted a moment after its client has the whole answer. */
  function untilLines(count: number, ...texts: readonly string[]): Promise<readonly string[]> {
    return until(
      () => linesWith(...texts),
      (lines) => lines.length === count,
    );
  }

  it("count requests by verb, kind and code, and their seconds", async () => {
    await hub.call({ method: "POST", path: maps, body: { metadata: { name: "a" } } });
    await hub.call({ path: `${maps}/absent` });
    await hub.call({ path: `${maps}?labelSelector=a` });
    expect(await untilLines(1, "apiserver_request_total", 'verb="GET"', 'resource="configmaps"')).toEqual([
      'apiserver_request_total{group="",version="v1",resource="configmaps",subresource="",scope="resource",component="apiserver",verb="GET",dry_run="",code="404"} 1',
    ]);
    await untilLines(1, "apiserver_request_total", 'verb="POST"', 'code="201"');
    await untilLines(1, "apiserver_request_duration_seconds_count", 'verb="LIST"', "configmaps");
    expect(await linesWith("apiserver_storage_objects", '"namespaces"')).toEqual([
      'apiserver_storage_objects{resource="namespaces"} 4',
    ]);
  });

  it("count open watches apart from requests in flight", async () => {
    const watch = await hub.open({ path: `${maps}?watch=1` });
    await untilLines(1, "apiserver_longrunning_requests", 'verb="WATCH"', "configmaps", "} 1");
    await untilLines(1, "apiserver_current_inflight_requests", '"readOnly"} 1');
    watch.destroy();
    await untilLines(1, "apiserver_longrunning_requests", 'verb="WATCH"', "configmaps", "} 0");
  });

  it("count watches by WebSocket until their connection ends, as other watches", async () => {
    const socket = connect({ ...hub.tls, host: "127.0.0.1", port: hub.hub.port, ALPNProtocols: ["http/1.1"] });
    await once(socket, "secureConnect");
    socket.write(`GET /api/v1/secrets?watch=1 HTTP/1.1\r\n${webSocketHead}\r\n\r\n`);
    await untilLines(1, "apiserver_longrunning_requests", 'verb="WATCH"', "secrets", "} 1");
    socket.destroy();
    await untilLines(1, "apiserver_longrunning_requests", 'verb="WATCH"', "secrets", "} 0");
    await untilLines(1, "apiserver_request_total", 'verb="WATCH"', "secrets", 'code="101"');
  });

  it("A50 take no text of a client as a label", async () => {
    const size = async (): Promise<number> => (await linesWith("apiserver_request_total")).length;
    const ask = async (index: number): Promise<void> => {
      await hub.call({ path: `/api/v1/kind${index}` });
      await hub.call({ path: `/apis/group${index}.example.org/v1/things/a${index}/sub${index}` });
      await hub.call({ path: `/page${index}` });
      await hub.call({ path: `${maps}/name${index}/sub${index}` });
    };
    await ask(0);
    // The first request is counted by the second one.
    await size();
    const before = await size();
    for (let index = 1; index < 20; index += 1) await ask(index);
    expect(await size()).toBe(before);
  });

  it("are for who may read them", async () => {
    const asNobody = { "impersonate-user": "nobody" };
    expect((await hub.call({ path: "/metrics", headers: asNobody })).statusCode).toBe(403);
  });
});
