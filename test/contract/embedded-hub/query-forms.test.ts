import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

let server: TestHub;

beforeAll(async () => {
  server = await startTestHub();
});
afterAll(() => server.stop());

describe("what kube-apiserver refuses in a URL", () => {
  const noNumber = 'strconv.ParseInt: parsing "": invalid syntax';
  const noField = "field label not supported: metadata.namespace";
  it.each([
    ["/api/v1/configmaps?limit=", noNumber],
    ["/api/v1/configmaps?fieldSelector=metadata.name=alpha&limit=", noNumber],
    ["/api/v1/configmaps?timeoutSeconds=", noNumber],
    ["/api/v1/configmaps?watch=1&timeoutSeconds=", noNumber],
    ["/api/v1/nodes?fieldSelector=metadata.namespace=x", noField],
    ["/api/v1/namespaces?fieldSelector=metadata.namespace=x", noField],
  ])("A48 is refused here: %s", async (path, message) => {
    const answer = await server.call({ path });
    expect(answer.statusCode).toBe(400);
    expect(textAt(answer.json, "message")).toBe(message);
  });

  it.each([
    ["/nope", "404 page not found\n"],
    ["/apis/none.example.org/v1/things", "404 page not found\n"],
    ["/apis/apps/v2", '{"kind":"Status"'],
    ["/api/v1/nope", '{"kind":"Status"'],
  ])("A48 is a path that nothing serves: %s", async (path, begin) => {
    const answer = await server.call({ path });
    expect([answer.statusCode, answer.text.slice(0, begin.length)]).toEqual([404, begin]);
  });

  it.each([
    ["limit=1&continue=!!", 400, "illegal base64 data at input byte 0"],
    ["limit=1&continue=MQ", 400, "json: cannot unmarshal number into Go value of type storage.continueToken"],
    ["watch=1&continue=abc", 422, "resourceVersionMatch is forbidden when continue is provided"],
    ["timeoutSeconds=99999999999999999999", 400, "value out of range"],
  ])("A48 is an option of a list that cannot be: %s", async (query, code, message) => {
    const answer = await server.call({ path: `/api/v1/configmaps?${query}` });
    expect([answer.statusCode, textAt(answer.json, "message")]).toEqual([code, expect.stringContaining(message)]);
  });

  it("A48 is a DELETE whose preconditions in the URL do not hold", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    await server.call({ method: "POST", path, body: { metadata: { name: "kept" } } });
    for (const query of ["uid=x", "resourceVersion=1"]) {
      const answer = await server.call({ method: "DELETE", path: `${path}/kept?${query}` });
      expect(answer.statusCode).toBe(409);
    }
    const live = await server.call({ path: `${path}/kept` });
    const uid = textAt(live.json, "metadata", "uid") ?? "";
    expect((await server.call({ method: "DELETE", path: `${path}/kept?uid=${uid}` })).statusCode).toBe(200);
  });

  it("A48 is not what it takes: metadata.namespace of kinds with the common fields alone", async () => {
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles?fieldSelector=metadata.namespace=x";
    expect((await server.call({ path })).statusCode).toBe(200);
    expect((await server.call({ path: "/api/v1/pods?fieldSelector=metadata.namespace=x" })).statusCode).toBe(200);
  });

  it.each([
    "/openapi/v3/api/v1/.",
    "/openapi/v3/api/v1/..",
    "/openapi/v3/api/v1/x",
    "/openapi/v3/apis/apps/v1/%2e",
    "/openapi/v3/apis/apps/v1/x/y",
    "/openapi/v3/apis//v1",
  ])("A48 no document has another path: %s", async (path) => {
    expect((await server.call({ path })).statusCode).toBe(404);
  });
});
