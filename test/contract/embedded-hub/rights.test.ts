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

describe("an account that may deletecollection in the whole cluster", () => {
  const forms = [
    "/api/v1/namespaces//configmaps",
    "/api/v1/namespaces//configmaps/",
    "/api/v1/namespaces//secrets",
    "/apis/apps/v1/namespaces//deployments",
  ];
  it.each(forms)("A48 removes nothing from all namespaces at once: %s", async (path) => {
    await create("/api/v1/namespaces", { metadata: { name: `kept-${forms.indexOf(path)}` } });
    const place = `/api/v1/namespaces/kept-${forms.indexOf(path)}/configmaps`;
    await create(place, { metadata: { name: "kept" } });
    const answer = await callAs("remover", "DELETE", path);
    expect(answer.statusCode).toBe(400);
    expect(answer.json["message"]).toBe("Namespace parameter required.");
    expect((await server.call({ path: `${place}/kept` })).statusCode).toBe(200);
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
