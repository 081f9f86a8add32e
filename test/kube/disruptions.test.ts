import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { isJsonObject } from "../../src/core/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/core/read-json.ts";
import { until } from "../support/until.ts";
import { sendToBoth, twoHubs } from "../support/two-hubs.ts";
import type { Answer, RawClient, Request } from "./differential/replay.ts";

const namespace = `disruptions-${randomUUID().slice(0, 8)}`;
const node = `node-${namespace}`;
const core = `/api/v1/namespaces/${namespace}`;
const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
const sets = `/apis/apps/v1/namespaces/${namespace}/replicasets`;

const clients = twoHubs();

beforeAll(async () => {
  await both({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
  await both({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name: node } } });
  for (const client of clients) {
    await until(
      () => client.send({ method: "GET", path: `${core}/serviceaccounts/default` }),
      ({ code }) => code === 200,
    );
  }
});
afterAll(async () => {
  // Agents of other suites report the Nodes of this API server.
  await both({ method: "DELETE", path: `/api/v1/nodes/${node}` });
});

function both(request: Request): Promise<void> {
  return sendToBoth(clients, request);
}

async function pod(name: string, ready: "True" | "False", metadata: JsonObject = {}): Promise<void> {
  const spec = { nodeName: node, containers: [{ name: "main", image: "none" }] };
  await both({ method: "POST", path: `${core}/pods`, body: { metadata: { name, ...metadata }, spec } });
  for (const client of clients) await markReady(client, name, ready);
}

async function markReady(client: RawClient, name: string, ready: "True" | "False"): Promise<void> {
  const conditions = [{ type: "Ready", status: ready, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const body = { status: { phase: "Running", conditions } };
  const contentType = "application/merge-patch+json";
  await client.send({ method: "PATCH", path: `${core}/pods/${name}/status`, body, contentType });
}

async function budget(name: string, spec: JsonObject): Promise<void> {
  await both({ method: "POST", path: budgets, body: { metadata: { name }, spec } });
}

async function writersOfStatus(client: RawClient, name: string): Promise<Json> {
  const { body } = await client.send({ method: "GET", path: `${budgets}/${name}` });
  const entries = objectsAt(body, "metadata", "managedFields").filter(({ subresource }) => subresource === "status");
  return entries.map((entry) => textAt(entry, "manager") ?? "").sort();
}

/** The statuses of all budgets by name, without times. */
async function statuses(client: RawClient): Promise<Json> {
  const { body } = await client.send({ method: "GET", path: budgets });
  return objectsAt(body, "items").map((item) => [
    textAt(item, "metadata", "name") ?? "",
    timeless(objectAt(item, "status") ?? {}),
  ]);
}

function timeless(value: Json | undefined): Json {
  if (typeof value === "string") return value.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u, "TIME");
  if (Array.isArray(value)) return (value as Json[]).map(timeless);
  if (!isJsonObject(value)) return value ?? null;
  const entries = Object.entries(value).map(([name, item]): [string, Json] => [name, timeless(item)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Waits until every budget of the real hub is as new as its spec and fits; then compares. */
async function agree(isDone: (text: string) => boolean = () => true): Promise<void> {
  const [here, there] = clients;
  if (here === undefined || there === undefined) throw new Error("a hub is missing");
  await until(
    () => statuses(there),
    (seen) => isDone(JSON.stringify(seen)) && !JSON.stringify(seen).includes("{}"),
  );
  const isSame = async (): Promise<boolean> =>
    JSON.stringify(await statuses(here)) === JSON.stringify(await statuses(there));
  // The comparison reports what differs.
  await until(isSame, (same) => same).catch(() => undefined);
  expect(await statuses(here)).toEqual(await statuses(there));
}

async function conditions(client: RawClient, name: string): Promise<Json> {
  const { code, body } = await client.send({ method: "GET", path: `${core}/pods/${name}` });
  const listed = objectsAt(body, "status", "conditions").map(timeless);
  return [code, textAt(body, "status", "phase") ?? "", listed];
}

const selector = (app: string): JsonObject => ({ selector: { matchLabels: { app } } });

describe("PodDisruptionBudgets beside kube-controller-manager", () => {
  it("count the Pods that they select: by number, in percent, at most so many missing", async () => {
    const labels = { app: "set" };
    const template = { metadata: { labels }, spec: { nodeName: node, containers: [{ name: "main", image: "none" }] } };
    const spec = { replicas: 3, selector: { matchLabels: labels }, template };
    await both({ method: "POST", path: sets, body: { metadata: { name: "set" }, spec } });
    for (const client of clients) {
      const list = { method: "GET", path: `${core}/pods?labelSelector=app=set` } as const;
      const { body } = await until(
        () => client.send(list),
        (answer) => objectsAt(answer.body, "items").length === 3,
      );
      const names = objectsAt(body, "items").map((item) => textAt(item, "metadata", "name") ?? "");
      for (const name of names.slice(0, 2)) await markReady(client, name, "True");
    }
    await budget("least", { minAvailable: 1, ...selector("set") });
    await budget("half", { minAvailable: "50%", ...selector("set") });
    await budget("most", { maxUnavailable: 1, ...selector("set") });
    await budget("third", { maxUnavailable: "33%", ...selector("set") });
    await budget("none", { minAvailable: 1, ...selector("none") });
    await budget("nothing", { minAvailable: 1 });
    await pod("bare", "True", { labels: { app: "bare" } });
    await budget("bare", { maxUnavailable: 1, ...selector("bare") });
    await budget("bare-least", { minAvailable: 0, ...selector("bare") });
    await agree();
  });

  it("let nothing be evicted when the number of replicas cannot be known", async () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "", controller: true };
    for (const client of clients) {
      const made = await client.send({
        method: "POST",
        path: `${core}/configmaps`,
        body: { metadata: { name: "owner" } },
      });
      const ownerReferences = [{ ...owner, uid: textAt(made.body, "metadata", "uid") ?? "" }];
      const spec = { nodeName: node, containers: [{ name: "main", image: "none" }] };
      const metadata = { name: "odd", labels: { app: "odd" }, ownerReferences };
      await client.send({ method: "POST", path: `${core}/pods`, body: { metadata, spec } });
      await markReady(client, "odd", "True");
    }
    await budget("odd", { maxUnavailable: 1, ...selector("odd") });
    await agree((text) => text.includes("SyncFailed"));
  });

  it("refuse an eviction that they have no room for, and count those that they let through", async () => {
    await pod("e-1", "True", { labels: { app: "evicted" } });
    await pod("e-2", "True", { labels: { app: "evicted" } });
    await pod("e-3", "False", { labels: { app: "evicted", slow: "yes" } });
    await pod("both", "True", { labels: { app: "evicted", second: "yes" } });
    await budget("evicted", { minAvailable: 2, ...selector("evicted") });
    await budget("second", { minAvailable: 0, selector: { matchLabels: { second: "yes" } } });
    await agree((text) => text.includes('"expectedPods":4'));
    const evict = async (name: string, query = ""): Promise<void> => {
      const answers: Answer[] = [];
      for (const client of clients) {
        const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
        answers.push(await client.send({ method: "POST", path: `${core}/pods/${name}/eviction${query}`, body }));
      }
      expect(timeless(answers[0] as never), name).toEqual(timeless(answers[1] as never));
      const [here, there] = await Promise.all(clients.map((client) => conditions(client, name)));
      expect(here, name).toEqual(there);
    };
    await evict("both");
    await evict("e-1", "?dryRun=All");
    await evict("e-1");
    await agree();
    const [here, there] = await Promise.all(clients.map((client) => writersOfStatus(client, "evicted")));
    expect(here).toEqual(there);
    await evict("e-2");
    await evict("e-3");
    await evict("odd");
    await evict("missing");
    await both({
      method: "PATCH",
      path: `${budgets}/evicted`,
      contentType: "application/merge-patch+json",
      body: { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } },
    });
    await agree();
    await evict("e-3");
    await agree();
  });
});

it("refuses a mirror Pod without a node, another mark, and debugging in one", async () => {
  const key = "kubernetes.io/config.mirror";
  const spec = { containers: [{ name: "main", image: "none" }] };
  const made = (name: string, metadata: JsonObject, more: JsonObject = {}): Request => ({
    method: "POST",
    path: `${core}/pods`,
    body: { metadata: { name, ...metadata }, spec: { ...spec, ...more } },
  });
  const patch = (name: string, body: JsonObject): Request => {
    return { method: "PATCH", path: `${core}/pods/${name}`, body, contentType: "application/merge-patch+json" };
  };
  await both(made("mirror", { annotations: { [key]: "x" } }, { nodeName: node }));
  await both(made("plain", {}, { nodeName: node }));
  for (const request of [
    made("placeless", { annotations: { [key]: "x" } }),
    patch("plain", { metadata: { annotations: { [key]: "x" } } }),
    patch("plain/status", { metadata: { annotations: { [key]: "x" } } }),
    patch("mirror", { metadata: { annotations: { [key]: "y" } } }),
    patch("mirror", { metadata: { annotations: { [key]: null } } }),
    patch("mirror/ephemeralcontainers", { spec: { ephemeralContainers: [{ name: "d", image: "i" }] } }),
  ]) {
    const [here, there] = await Promise.all(clients.map((client) => client.send(request)));
    expect(here?.code).toBe(422);
    expect(here, JSON.stringify(request)).toEqual(there);
  }
});

it("marks a Pod whose Node is missing as failed, and deletes it", async () => {
  const spec = { nodeName: "none", containers: [{ name: "main", image: "none" }] };
  const metadata = { name: "lost", finalizers: ["example.org/hold"] };
  await both({ method: "POST", path: `${core}/pods`, body: { metadata, spec } });
  const deleted = (client: RawClient) =>
    until(
      () => client.send({ method: "GET", path: `${core}/pods/lost` }),
      ({ body }) => textAt(body, "metadata", "deletionTimestamp") !== undefined,
    );
  // kube-controller-manager waits 40 s for the Node, and checks every 20 s.
  const [here, there] = (await Promise.all(clients.map(deleted))).map(({ body }) => timeless(objectAt(body, "status")));
  expect(here).toEqual(there);
});
