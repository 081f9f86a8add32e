import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { canonicalJson } from "../../src/core/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/core/read-json.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { sendToBoth, twoHubs } from "../support/two-hubs.ts";
import { until } from "../support/until.ts";
import type { RawClient, Request } from "./differential/replay.ts";

const run = randomUUID().slice(0, 8);
const merge = "application/merge-patch+json";
const amounts = ["100m", "0.5", "1", "1500m", "64Mi", "100M", "1Gi", "0"];
type Draw = () => number;

describe("ResourceQuotas, beside kube-apiserver", () => {
  const clients = twoHubs();
  let namespaces = 0;

  async function newNamespace(quotas: Readonly<Record<string, JsonObject>>): Promise<string> {
    const name = `quotas-${run}-${++namespaces}`;
    await sendToBoth(clients, { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
    for (const client of clients) {
      for (const path of ["serviceaccounts/default", "configmaps/kube-root-ca.crt"]) {
        await until(
          () => client.send({ method: "GET", path: `/api/v1/namespaces/${name}/${path}` }),
          ({ code }) => code === 200,
        );
      }
    }
    for (const [quota, spec] of Object.entries(quotas)) {
      const body = { metadata: { name: quota }, spec };
      await sendToBoth(clients, { method: "POST", path: `/api/v1/namespaces/${name}/resourcequotas`, body });
    }
    return name;
  }

  async function statuses(client: RawClient, namespace: string): Promise<readonly JsonObject[]> {
    const { body } = await client.send({ method: "GET", path: `/api/v1/namespaces/${namespace}/resourcequotas` });
    return objectsAt(body, "items").map((item) => ({
      name: textAt(item, "metadata", "name") ?? "",
      spec: objectAt(item, "spec", "hard") ?? {},
      ...objectAt(item, "status"),
    }));
  }

  /** Waits until both controllers have counted everything, and the same. */
  async function agree(namespace: string): Promise<void> {
    const both = () => Promise.all(clients.map((client) => statuses(client, namespace)));
    const isSettled = (found: readonly JsonObject[]): boolean =>
      found.every(({ spec = null, hard = null }) => canonicalJson(spec) === canonicalJson(hard));
    await until(both, ([here = [], there = []]) => {
      return isSettled(here) && isSettled(there) && canonicalJson([...here]) === canonicalJson([...there]);
    });
  }

  async function answers(request: Request): Promise<readonly Json[]> {
    const all = await Promise.all(clients.map((client) => client.send(request)));
    return all.map(({ code, body }) => [code, code < 300 ? "" : withoutOrder(textAt(body, "message") ?? "")]);
  }

  /** Of several quotas that refuse, kube-apiserver names any. */
  function withoutOrder(message: string): string {
    return message.replace(/((?:exceeded|failed) quota: q-).*/u, "$1");
  }

  /** The watch of kube-apiserver's admission may be behind: both are asked until they would answer the same. */
  async function sameAnswer(request: Request): Promise<Json> {
    const separator = request.path.includes("?") ? "&" : "?";
    const trial = { ...request, path: `${request.path}${separator}dryRun=All` };
    await until(
      () => answers(trial),
      ([here, there]) => canonicalJson(here ?? null) === canonicalJson(there ?? null),
    );
    const [here = null, there = null] = await answers(request);
    expect(here, JSON.stringify(request)).toEqual(there);
    return there;
  }

  const pick = <T>(draw: Draw, items: readonly T[]): T => {
    const item = items[Math.floor(draw() * items.length)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  };

  function randomPod(draw: Draw): JsonObject {
    const some = (): JsonObject =>
      Object.fromEntries(
        ["cpu", "memory", "ephemeral-storage"].filter(() => draw() < 0.7).map((name) => [name, pick(draw, amounts)]),
      );
    const container = (name: string): JsonObject => {
      const gpu = draw() < 0.2 ? { "example.org/gpu": "1" } : {};
      const requests = { ...some(), ...gpu };
      const limits = draw() < 0.5 ? { ...requests } : gpu;
      return { name, image: "none", ...(draw() < 0.1 ? {} : { resources: { requests, limits } }) };
    };
    return {
      containers: [container("a"), ...(draw() < 0.4 ? [container("b")] : [])],
      ...(draw() < 0.3
        ? { initContainers: [{ ...container("i"), ...(draw() < 0.5 ? { restartPolicy: "Always" } : {}) }] }
        : {}),
      ...(draw() < 0.3 ? { activeDeadlineSeconds: 100 } : {}),
      ...(draw() < 0.2 ? { priorityClassName: "system-cluster-critical" } : {}),
      terminationGracePeriodSeconds: 0,
    };
  }

  function randomService(draw: Draw): JsonObject {
    const ports = [{ name: "a", port: 80 }, ...(draw() < 0.5 ? [{ name: "b", port: 81 }] : [])];
    const type = pick(draw, ["ClusterIP", "NodePort", "LoadBalancer"]);
    const allocates = type === "LoadBalancer" ? { allocateLoadBalancerNodePorts: draw() < 0.5 } : {};
    return { type, ports, ...allocates };
  }

  /** kube-apiserver counts an object that was there already once more, until it counts all of them again minutes later. */
  async function isNew({ method, path, body }: Request): Promise<boolean> {
    if (method !== "POST") return true;
    const name = textAt(body, "metadata", "name") ?? "";
    const found = await Promise.all(clients.map((client) => client.send({ method: "GET", path: `${path}/${name}` })));
    return found.every(({ code }) => code === 404);
  }

  function randomRequest(draw: Draw, namespace: string): Request {
    const plural = pick(draw, ["pods", "pods", "pods", "services", "services", "configmaps", "secrets", "leases"]);
    const group = plural === "leases" ? "apis/coordination.k8s.io" : "api";
    const path = `/${group}/v1/namespaces/${namespace}/${plural}`;
    const name = pick(draw, ["a", "b", "c"]);
    const chance = draw();
    if (chance < 0.25) return { method: "DELETE", path: `${path}/${name}` };
    if (chance < 0.4 && plural === "services") {
      return { method: "PATCH", path: `${path}/${name}`, contentType: merge, body: { spec: randomService(draw) } };
    }
    if (chance < 0.4 && plural === "pods") {
      const phase = pick(draw, ["Running", "Succeeded", "Failed"]);
      return draw() < 0.5
        ? {
            method: "PATCH",
            path: `${path}/${name}`,
            contentType: merge,
            body: { spec: { activeDeadlineSeconds: 50 } },
          }
        : { method: "PATCH", path: `${path}/${name}/status`, contentType: merge, body: { status: { phase } } };
    }
    const spec = plural === "pods" ? randomPod(draw) : plural === "services" ? randomService(draw) : undefined;
    return { method: "POST", path, body: { metadata: { name }, ...(spec === undefined ? {} : { spec }) } };
  }

  const quotaSets: readonly (readonly [string, Readonly<Record<string, JsonObject>>])[] = [
    ["counts", { all: { hard: { pods: "2", configmaps: "3", secrets: "1", services: "2", "count/pods": "3" } } }],
    [
      "cpu and memory",
      {
        "q-a": { hard: { "requests.cpu": "2", "limits.memory": "1Gi" } },
        "q-b": { hard: { cpu: "1500m", pods: "2" } },
      },
    ],
    [
      "node ports, extended resources and storage",
      {
        ports: { hard: { "services.nodeports": "2", "services.loadbalancers": "1", "count/services": "2" } },
        rest: {
          hard: {
            "requests.example.org/gpu": "1",
            "requests.ephemeral-storage": "1Gi",
            "limits.ephemeral-storage": "2Gi",
            persistentvolumeclaims: "1",
            "requests.storage": "1Gi",
            "count/leases.coordination.k8s.io": "2",
            "count/statefulsets.apps": "1",
            replicationcontrollers: "1",
            resourcequotas: "5",
          },
        },
      },
    ],
    [
      "scopes",
      {
        "q-best": { hard: { pods: "1" }, scopes: ["BestEffort"] },
        "q-deadline": { hard: { pods: "1", "requests.memory": "100M" }, scopes: ["Terminating"] },
        "q-endless": { hard: { pods: "2", cpu: "2" }, scopes: ["NotTerminating", "NotBestEffort"] },
        "q-important": {
          hard: { pods: "1" },
          scopeSelector: {
            matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["system-cluster-critical"] }],
          },
        },
      },
    ],
  ];

  it.each(quotaSets)("of %s admit, refuse and count the same", async (_name, quotas) => {
    const namespace = await newNamespace(quotas);
    const draw = seededRandom(JSON.stringify(quotas).length);
    const codes = new Set<Json>();
    for (let index = 0; index < 100; index += 1) {
      await agree(namespace);
      const request = randomRequest(draw, namespace);
      if (!(await isNew(request))) continue;
      const answer = await sameAnswer(request);
      codes.add(Array.isArray(answer) ? ((answer as Json[])[0] ?? null) : null);
    }
    await agree(namespace);
    expect([...codes]).toEqual(expect.arrayContaining([200, 201, 403]));
  });

  it.each<readonly [string, JsonObject]>([
    ["unknown names", { hard: { storage: "1Gi", "no-such-thing": "1", "a b": "1", "count/a b": "1", "-a/b": "2" } }],
    [
      "fractions of what is counted",
      { hard: { pods: "1500m", "count/secrets": "0.5", "requests.a.org/b": "1m", cpu: "1m" } },
    ],
    ["less than nothing", { hard: { pods: "-1", memory: "-1Gi" } }],
    ["scopes that do not fit", { hard: { cpu: "1", secrets: "2", pods: "1" }, scopes: ["BestEffort", "Odd"] }],
    ["storage in a scope of Pods", { hard: { persistentvolumeclaims: "1" }, scopes: ["Terminating"] }],
    ["a scope of volumes", { hard: { pods: "1", "requests.storage": "1" }, scopes: ["VolumeAttributesClass"] }],
    ["scopes that contradict each other", { hard: { pods: "1" }, scopes: ["Terminating", "NotTerminating"] }],
  ])("with %s are refused with the same causes", async (_name, spec) => {
    const path = "/api/v1/namespaces/default/resourcequotas?dryRun=All";
    const request: Request = { method: "POST", path, body: { metadata: { name: "a" }, spec } };
    const all = await Promise.all(clients.map((client) => client.send(request)));
    const [here, there] = all.map(({ code, body }) => [
      code,
      [...new Set(objectsAt(body, "details", "causes").map((cause) => JSON.stringify(cause)))].sort(),
    ]);
    expect(here).toEqual(there);
    expect(there?.[0]).toBe(422);
  });

  it("are not exceeded by many that come at once", async () => {
    const namespace = await newNamespace({ all: { hard: { configmaps: "10", "count/secrets": "5" } } });
    await agree(namespace);
    for (const [plural, most] of [
      ["configmaps", 9],
      ["secrets", 5],
    ] as const) {
      for (const client of clients) {
        const path = `/api/v1/namespaces/${namespace}/${plural}`;
        const sent = Array.from({ length: 100 }, () =>
          client.send({ method: "POST", path, body: { metadata: { generateName: "many-" } } }),
        );
        const codes = (await Promise.all(sent)).map(({ code }) => code);
        expect(codes.filter((code) => code === 201)).toHaveLength(most);
        expect(codes.filter((code) => code === 403)).toHaveLength(100 - most);
      }
    }
    await agree(namespace);
  });

  it("count again after a change of what they allow", async () => {
    const namespace = await newNamespace({ all: { hard: { configmaps: "2" } } });
    await agree(namespace);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    expect(await sameAnswer({ method: "POST", path, body: { metadata: { name: "a" } } })).toEqual([201, ""]);
    await agree(namespace);
    await sameAnswer({ method: "POST", path, body: { metadata: { name: "b" } } });
    const quota = `/api/v1/namespaces/${namespace}/resourcequotas/all`;
    const body = { spec: { hard: { configmaps: "3", secrets: "1" } } };
    await sendToBoth(clients, { method: "PATCH", path: quota, contentType: merge, body });
    await agree(namespace);
    expect(await sameAnswer({ method: "POST", path, body: { metadata: { name: "b" } } })).toEqual([201, ""]);
    await agree(namespace);
  });
});
