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
});
