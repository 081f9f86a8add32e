import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

/** What kube-apiserver 1.34 answers; test/kube/paths.test.ts compares more. */
describe("a path that is no resource", () => {
  let hub: TestHub;
  beforeAll(async () => void (hub = await startTestHub()));
  afterAll(() => hub.stop());

  it.each([
    ["/", 200, "application/json", '"paths"'],
    ["/index.html", 200, "application/json", '"paths"'],
    ["/index.htm", 404, "text/plain; charset=utf-8", "404 page not found"],
    ["/openapi/v3", 200, "text/plain; charset=utf-8", '"api/v1"'],
    ["/openapi/v3/", 404, undefined, ""],
    ["/openapi/v3/apis/none.example.org/v1", 404, undefined, ""],
    ["/.well-known/openid-configuration/x", 404, "application/json", "could not find the requested resource"],
  ])("is answered as by kube-apiserver: %s", async (path, code, type, text) => {
    const { statusCode, headers, text: body } = await hub.call({ path });
    expect([statusCode, headers["content-type"]]).toEqual([code, type]);
    if (text === "") expect(body).toBe("");
    else expect(body).toContain(text);
  });

  it("is written as YAML with each value in full", async () => {
    for (const path of ["/apis", "/apis/apps"]) {
      const { statusCode, text } = await hub.call({ path, headers: { accept: "application/yaml" } });
      expect([statusCode, text.includes("preferredVersion:\n"), /[&*]a1/u.test(text)]).toEqual([200, true, false]);
    }
  });

  it.each([
    ["/version", "text/html", "406: Not Acceptable\n\nAvailable representations: application/json"],
    ["/openid/v1/jwks", "application/json", "Available representations: application/jwk-set+json"],
    ["/apis", "text/html", "only the following media types are accepted"],
  ])("is refused with 406 to a client that does not accept its type: %s as %s", async (path, accept, message) => {
    const { statusCode, json } = await hub.call({ path, headers: { accept } });
    expect([statusCode, json["message"]]).toEqual([406, expect.stringContaining(message)]);
  });

  it("is an empty 406 where an OpenAPI document is not accepted", async () => {
    for (const path of ["/openapi/v2", "/openapi/v3/apis/apps/v1"]) {
      const { statusCode, text } = await hub.call({ path, headers: { accept: "text/html" } });
      expect([statusCode, text]).toEqual([406, ""]);
    }
  });
});
