import { request } from "node:https";
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { realClock } from "../../support/real-time.ts";
import type { Answer, TestHub } from "./hub-client.ts";
import { eventsOf, startTestHub, take } from "./hub-client.ts";

const core = "/api/v1/namespaces/default";
const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";

let server: TestHub;
let laterMs = 0;
const clock: Clock = { ...realClock, monotonicMs: () => realClock.monotonicMs() + laterMs };

beforeAll(async () => {
  server = await startTestHub({ clock });
});
afterAll(() => server.stop());

async function create(path: string, body: object): Promise<Answer> {
  const answer = await server.call({ method: "POST", path, body });
  expect(answer.statusCode).toBe(201);
  return answer;
}

/** An agent may watch one ConfigMap by a token that is bound to a Secret. Resolves with the open watch. */
async function openWatch(name: string, path: string): Promise<IncomingMessage> {
  await create(`${core}/configmaps`, { metadata: { name } });
  await create(`${core}/serviceaccounts`, { metadata: { name } });
  await create(`${core}/secrets`, { metadata: { name } });
  const rules = [{ apiGroups: [""], resources: ["configmaps"], resourceNames: [name], verbs: ["watch"] }];
  await create(`${rbac}/roles`, { metadata: { name }, rules });
  const subjects = [{ kind: "ServiceAccount", name }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  await create(`${rbac}/rolebindings`, { metadata: { name }, subjects, roleRef });
  const spec = { boundObjectRef: { apiVersion: "v1", kind: "Secret", name } };
  const answer = await create(`${core}/serviceaccounts/${name}/token`, { spec });
  const authorization = `Bearer ${textAt(answer.json, "status", "token") ?? ""}`;
  return new Promise((resolve, reject) => {
    const { ca } = server.tls;
    request(`${server.hub.url}${path}`, { ca, agent: false, headers: { authorization } }, resolve)
      .once("error", reject)
      .end();
  });
}

/** Eleven seconds later the ConfigMap changes. */
async function changeLater(name: string): Promise<void> {
  laterMs += 11_000;
  const body = { data: { at: String(laterMs) } };
  const headers = { "content-type": "application/merge-patch+json" };
  const { statusCode } = await server.call({ method: "PATCH", path: `${core}/configmaps/${name}`, body, headers });
  expect(statusCode).toBe(200);
}

const pathsOf = (name: string) => ({
  "of a collection": `${core}/configmaps?watch=1&fieldSelector=metadata.name%3D${name}&timeoutSeconds=2147483647`,
  "of one name": `/api/v1/watch/namespaces/default/configmaps/${name}`,
});

describe.each(["of a collection", "of one name"] as const)("a watch %s", (form) => {
  const prefix = form === "of one name" ? "one" : "all";

  it.each([
    ["the Secret of its token is deleted", `${core}/secrets`],
    ["its account is deleted", `${core}/serviceaccounts`],
    ["its rights are taken away", `${rbac}/rolebindings`],
  ])("A186 ends before it sends anything that changed after %s", async (_, revoked) => {
    const name = `${prefix}-${revoked.split("/").at(-1) ?? ""}`;
    const watch = await openWatch(name, pathsOf(name)[form]);
    const events = eventsOf(watch);
    expect(await take(events, 1)).toMatchObject([{ type: "ADDED" }]);
    expect((await server.call({ method: "DELETE", path: `${revoked}/${name}` })).statusCode).toBe(200);
    await changeLater(name);
    expect(await events.next()).toMatchObject({ done: true });
  });

  it("A186 continues while its credential is valid", async () => {
    const name = `${prefix}-valid`;
    const watch = await openWatch(name, pathsOf(name)[form]);
    const events = eventsOf(watch);
    await take(events, 1);
    for (let change = 1; change <= 3; change += 1) {
      await changeLater(name);
      expect(await take(events, 1)).toMatchObject([{ type: "MODIFIED" }]);
    }
    watch.destroy();
  });
});
