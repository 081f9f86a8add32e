import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import type { RawHub } from "../../support/raw-hub.ts";
import { rawHub } from "../../support/raw-hub.ts";

let hub: HubUnderTest;
let raw: RawHub;

beforeAll(async () => {
  hub = await embeddedHub();
  raw = rawHub(hub.kubeconfig);
});
afterAll(() => hub.stop());

const configMaps = "/api/v1/namespaces/default/configmaps";

function send(line: string, ...headers: readonly string[]): ReturnType<RawHub["send"]> {
  return raw.send([line, "Connection: close", ...headers, "", ""].join("\r\n"));
}

describe("a message that a proxy could read otherwise", () => {
  it.each([
    ["no Host", 400, "GET /version HTTP/1.1", []],
    ["two Hosts", 400, "GET /version HTTP/1.1", ["Host: a", "Host: b"]],
    ["a Host with a path", 400, "GET /version HTTP/1.1", ["Host: a/b"]],
    ["an origin that is none", 400, "GET https://a%2fversion HTTP/1.1", ["Host: a"]],
    ["HTTP/2.0", 505, "GET /version HTTP/2.0", ["Host: a"]],
    ["HTTP/0.9", 505, "GET /version HTTP/0.9", ["Host: a"]],
    ["an unknown encoding", 501, "GET /version HTTP/1.1", ["Host: a", "Transfer-Encoding: identity, chunked"]],
    ["one Host", 200, "GET /version HTTP/1.1", ["Host: a"]],
    ["an absolute URL of another host", 200, "GET https://b.example/version HTTP/1.1", ["Host: a"]],
    ["HTTP/1.0", 200, "GET /version HTTP/1.0", []],
    ["another protocol", 200, "GET /version HTTP/1.1", ["Host: a", "Connection: upgrade", "Upgrade: h2c"]],
  ] as const)("A48 is refused, what is sound is answered: %s", async (_, code, line, headers) => {
    expect((await send(line, ...headers)).code).toBe(code);
  });

  it("A48 has its body read or refused, also beside an Upgrade", async () => {
    const body = JSON.stringify({ preconditions: { uid: "of-another" } });
    const made = JSON.stringify({ metadata: { name: "kept" } });
    const head = ["Host: a", "Content-Type: application/json"];
    const framed = (text: string): string => `Content-Length: ${text.length}\r\n\r\n${text}`;
    expect((await send(`POST ${configMaps} HTTP/1.1`, ...head, framed(made))).code).toBe(201);
    const upgrade = ["Connection: upgrade", "Upgrade: h2c"];
    const refused = await send(`DELETE ${configMaps}/kept HTTP/1.1`, ...head, ...upgrade, framed(body));
    expect(refused).toMatchObject({ code: 400 });
    expect(refused.text).toContain("another protocol");
    expect((await send(`GET ${configMaps}/kept HTTP/1.1`, ...head)).code).toBe(200);
  });
});
