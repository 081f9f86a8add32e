import { once } from "node:events";
import type { ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import { connect } from "node:http2";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import type { Answer, TestHub } from "./hub-client.ts";
import { answerOf, startTestHub } from "./hub-client.ts";

const core = "/api/v1/namespaces/default";
const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";

let server: TestHub;
beforeAll(async () => {
  server = await startTestHub();
});
afterAll(() => server.stop());

async function create(path: string, body: object): Promise<Answer> {
  const answer = await server.call({ method: "POST", path, body });
  expect(answer.statusCode).toBe(201);
  return answer;
}

/** An agent may write ConfigMaps by a token that is bound to a Secret. */
async function tokenOf(name: string): Promise<string> {
  await create(`${core}/serviceaccounts`, { metadata: { name } });
  await create(`${core}/secrets`, { metadata: { name } });
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "update", "patch", "delete"] }];
  await create(`${rbac}/roles`, { metadata: { name }, rules });
  const subjects = [{ kind: "ServiceAccount", name }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  await create(`${rbac}/rolebindings`, { metadata: { name }, subjects, roleRef });
  const spec = { boundObjectRef: { apiVersion: "v1", kind: "Secret", name } };
  return textAt((await create(`${core}/serviceaccounts/${name}/token`, { spec })).json, "status", "token") ?? "";
}

/** Begins a request and resolves when the hub waits for its body. */
async function begin(method: string, path: string, token: string): Promise<ClientRequest> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const form = { "content-type": type, "transfer-encoding": "chunked", expect: "100-continue" };
  const headers = { authorization: `Bearer ${token}`, ...form };
  const { ca } = server.tls;
  const begun = request(`${server.hub.url}${path}`, { ca, agent: false, method, headers });
  begun.flushHeaders();
  await once(begun, "continue");
  return begun;
}

async function finish(begun: ClientRequest, body: object): Promise<Answer> {
  const answered = once(begun, "response") as Promise<[IncomingMessage]>;
  begun.end(JSON.stringify(body));
  const [response] = await answered;
  return answerOf(response);
}

describe.each(["POST", "PUT", "PATCH", "DELETE"])("a request %s whose body comes late", (method) => {
  it.each([
    ["the Secret of its token was deleted", `${core}/secrets`, 401],
    ["its account was deleted", `${core}/serviceaccounts`, 401],
    ["its rights were taken away", `${rbac}/rolebindings`, 403],
    ["its role was deleted", `${rbac}/roles`, 403],
  ])("A270 does nothing after %s", async (_, revoked, statusCode) => {
    const name = `${method.toLowerCase()}-${revoked.split("/").at(-1) ?? ""}`;
    const token = await tokenOf(name);
    if (method !== "POST") await create(`${core}/configmaps`, { metadata: { name } });
    const path = `${core}/configmaps${method === "POST" ? "" : `/${name}`}`;
    const begun = await begin(method, path, token);
    expect((await server.call({ method: "DELETE", path: `${revoked}/${name}` })).statusCode).toBe(200);
    const body = method === "DELETE" ? {} : { metadata: { name }, data: { late: "true" } };
    const answer = await finish(begun, body);
    expect(answer.statusCode, answer.text).toBe(statusCode);
    const found = await server.call({ path: `${core}/configmaps/${name}` });
    expect([found.statusCode, textAt(found.json, "data", "late")]).toEqual([method === "POST" ? 404 : 200, undefined]);
  });

  it("A270 is done while its credential is valid", async () => {
    const name = `${method.toLowerCase()}-valid`;
    const token = await tokenOf(name);
    if (method !== "POST") await create(`${core}/configmaps`, { metadata: { name } });
    const begun = await begin(method, `${core}/configmaps${method === "POST" ? "" : `/${name}`}`, token);
    const body = method === "DELETE" ? {} : { metadata: { name }, data: { late: "true" } };
    expect((await finish(begun, body)).statusCode).toBe(method === "POST" ? 201 : 200);
  });
});

describe("a request that waits for its turn, since its client leaves answers unread", () => {
  it.each([
    ["is answered when its credential is valid", undefined, 200],
    ["A270 reads nothing after the Secret of its token was deleted", `${core}/secrets`, 401],
    ["A270 reads nothing after its rights were taken away", `${rbac}/rolebindings`, 403],
  ])("%s", async (_, revoked, statusCode) => {
    const name = `turn-${statusCode}`;
    const authorization = `Bearer ${await tokenOf(name)}`;
    await create(`${core}/configmaps`, { metadata: { name } });
    const session = connect(server.hub.url, { ca: server.tls.ca, settings: { initialWindowSize: 0 } });
    const ask = (path: string): ClientHttp2Stream => session.request({ ":path": path, authorization }).resume();
    await once(session, "remoteSettings");
    // More than 64 MiB of answers: the hub begins about 130 of them.
    const unread = Array.from({ length: 150 }, () => ask("/openapi/v2"));
    const late = once(ask(`${core}/configmaps/${name}`), "response") as Promise<[IncomingHttpHeaders]>;
    await Promise.all(unread.slice(0, 100).map((stream) => once(stream, "response")));
    if (revoked !== undefined) await server.call({ method: "DELETE", path: `${revoked}/${name}` });
    session.settings({ initialWindowSize: 65_535 });
    expect((await late)[0][":status"]).toBe(statusCode);
    session.destroy();
  });
});
