import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer, TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

const namespace = "/api/v1/namespaces/default";
let server: TestHub;

/** `reader` may get, list and watch, `remover` may deletecollection, and nothing else. */
beforeAll(async () => {
  server = await startTestHub();
  await create(`${namespace}/serviceaccounts`, { metadata: { name: "reader" } });
  await create(`${namespace}/serviceaccounts`, { metadata: { name: "rich" } });
  await grant("reader", ["get", "list", "watch"]);
  await grant("remover", ["deletecollection"]);
});
afterAll(() => server.stop());

async function grant(name: string, verbs: readonly string[]): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs }];
  await create(`${rbac}/clusterroles`, { metadata: { name }, rules });
  await create(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", namespace: "default", name }],
  });
}

async function create(path: string, body: object): Promise<Answer> {
  const answer = await server.call({ method: "POST", path, body });
  expect(answer.statusCode).toBe(201);
  return answer;
}

function asReader(method: string, path: string, body?: object): Promise<Answer> {
  return callAs("reader", method, path, body);
}

function callAs(account: string, method: string, path: string, body?: object): Promise<Answer> {
  const user = `system:serviceaccount:default:${account}`;
  const headers = { "impersonate-user": user, "content-type": "application/json" };
  return server.call({ method, path, headers, ...(body === undefined ? {} : { body }) });
}

describe("an account with get, list and watch alone", () => {
  it("A48 creates nothing by the watch form of a path", async () => {
    const body = { metadata: { name: "intruder" } };
    const answer = await asReader("POST", "/api/v1/watch/namespaces/default/configmaps", body);
    expect(answer.statusCode).toBe(405);
    const found = await server.call({ path: `${namespace}/configmaps/intruder` });
    expect(found.statusCode).toBe(404);
  });

  it("A48 deletes nothing by the watch form of a path", async () => {
    await create(`${namespace}/configmaps`, { metadata: { name: "kept" } });
    const watch = "/api/v1/watch/namespaces/default/configmaps";
    expect((await asReader("DELETE", watch)).statusCode).toBe(405);
    expect((await asReader("DELETE", `${watch}/kept`)).statusCode).toBe(405);
    const found = await server.call({ path: `${namespace}/configmaps/kept` });
    expect(found.statusCode).toBe(200);
  });

  it.each(["POST", "PUT", "PATCH", "GET"])(
    "A48 uses no subresource by the watch form of a path: %s",
    async (method) => {
      const path = "/api/v1/watch/namespaces/default/serviceaccounts/rich/token";
      expect((await asReader(method, path, method === "GET" ? undefined : {})).statusCode).toBe(404);
    },
  );
});

describe("a form of a path that kube-apiserver knows", () => {
  it.each([
    ["PATCH", "/apis//v1/", 404],
    ["GET", "/apis//v1", 404],
    ["GET", "/apis//", 404],
    ["GET", "/apis/apps//", 200],
    ["PUT", "/apis/apps//", 405],
    ["PUT", "/apis/apps/", 200],
    ["PUT", "/apis/apps/v1//", 405],
  ])("A48 is answered as there: %s %s", async (method, path, code) => {
    expect((await server.call({ method, path })).statusCode).toBe(code);
  });

  it("A48 refuses a body that is no Scale before it reads the object", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments/missing/scale";
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "missing" } };
    const answer = await server.call({ method: "PUT", path, body });
    expect(answer.statusCode).toBe(400);
    expect(answer.json["message"]).toMatch(/^Namespace in version "v1" cannot be handled as a Scale: /u);
  });
});

describe("an account that may deletecollection in the whole cluster", () => {
  const forms = ["/api/v1/namespaces//configmaps", "/api/v1/namespaces//configmaps/", "/api/v1/namespaces//secrets"];
  it.each(forms)("A48 removes nothing from all namespaces at once: %s", async (path) => {
    await create("/api/v1/namespaces", { metadata: { name: `kept-${forms.indexOf(path)}` } });
    const places = ["configmaps", "secrets"].map((kind) => `/api/v1/namespaces/kept-${forms.indexOf(path)}/${kind}`);
    for (const place of places) await create(place, { metadata: { name: "kept" } });
    const answer = await callAs("remover", "DELETE", path);
    expect(answer.statusCode).toBe(400);
    expect(answer.json["message"]).toBe("Namespace parameter required.");
    for (const place of places) expect((await server.call({ path: `${place}/kept` })).statusCode).toBe(200);
  });

  it("A48 is refused at the first object alone: a collection that is empty everywhere is deleted", async () => {
    const answer = await callAs("remover", "DELETE", "/apis/apps/v1/namespaces//deployments");
    expect(answer.statusCode).toBe(200);
    expect(answer.json["items"]).toEqual([]);
  });

  it("A48 removes a collection of one namespace", async () => {
    await create("/api/v1/namespaces", { metadata: { name: "emptied" } });
    await create("/api/v1/namespaces/emptied/configmaps", { metadata: { name: "gone" } });
    const answer = await callAs("remover", "DELETE", "/api/v1/namespaces/emptied/configmaps");
    expect(answer.statusCode).toBe(200);
    const found = await server.call({ path: "/api/v1/namespaces/emptied/configmaps/gone" });
    expect(found.statusCode).toBe(404);
  });
});
