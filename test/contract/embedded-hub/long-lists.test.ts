import { once } from "node:events";
import { connect } from "node:http2";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt } from "../../../src/core/read-json.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

const path = "/api/v1/namespaces/default/configmaps?labelSelector=long";
const objectCount = 150;
let server: TestHub;
beforeAll(async () => {
  server = await startTestHub();
  const create = (index: number) =>
    server.call({
      method: "POST",
      path,
      body: { metadata: { name: `c-${index}`, labels: { long: "" } }, data: { text: "é".repeat(10_000) } },
    });
  for (let index = 0; index < objectCount; index += 1) await create(index);
});
afterAll(() => server.stop());

function countOf(text: string): number {
  return objectsAt(JSON.parse(text), "items").length;
}

describe("a list of more than 1 MiB, which is sent in parts", () => {
  it("is whole by HTTP/1.1, compressed and not", async () => {
    const plain = await server.call({ path });
    expect([Number(plain.headers["content-length"]), countOf(plain.text)]).toEqual([plain.bytes.length, objectCount]);
    const zipped = await server.call({ path, headers: { "accept-encoding": "gzip" } });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(countOf(gunzipSync(zipped.bytes).toString("utf8"))).toBe(objectCount);
  });

  it("is whole by HTTP/2, and as a table", async () => {
    const session = connect(server.hub.url, server.tls);
    const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    for (const [accept, key] of [
      ["application/json", "items"],
      [table, "rows"],
    ] as const) {
      const stream = session.request({ ":path": `${path}&includeObject=Object`, accept });
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const list: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      expect(objectsAt(list, key)).toHaveLength(objectCount);
    }
    session.destroy();
  });

  it("ends when its client disconnects, and the next client gets all of it", async () => {
    for (const encoding of ["identity", "gzip"]) {
      const answer = await server.open({ path, headers: { "accept-encoding": encoding } });
      await once(answer, "readable");
      answer.destroy();
    }
    expect(countOf((await server.call({ path })).text)).toBe(objectCount);
  });
});
