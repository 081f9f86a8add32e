import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer, TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

const namespace = "/api/v1/namespaces/default";
let server: TestHub;

/** An account that may get, list and watch, and nothing else. */
beforeAll(async () => {
  server = await startTestHub();
  await create(`${namespace}/serviceaccounts`, { metadata: { name: "reader" } });
  await create(`${namespace}/serviceaccounts`, { metadata: { name: "rich" } });
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }];
  await create(`${rbac}/clusterroles`, { metadata: { name: "reader" }, rules });
  await create(`${rbac}/clusterrolebindings`, {
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ kind: "ServiceAccount", namespace: "default", name: "reader" }],
  });
});
afterAll(() => server.stop());

async function create(path: string, body: object): Promise<Answer> {
  const answer = await server.call({ method: "POST", path, body });
  expect(answer.statusCode).toBe(201);
  return answer;
}

function asReader(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { "impersonate-user": "system:serviceaccount:default:reader", "content-type": "application/json" };
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
