import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/core/read-json.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { sendToBoth, twoHubs } from "../support/two-hubs.ts";
import { until } from "../support/until.ts";
import type { RawClient } from "./differential/replay.ts";

const run = randomUUID().slice(0, 8);
const amounts = ["0", "50m", "100m", "0.5", "1", "2", "1500m", "64Mi", "100M", "1Gi", "1e3", "3"];

describe("LimitRanges, beside kube-apiserver", () => {
  const clients = twoHubs();
  let namespaces = 0;

  async function newNamespace(limits: readonly JsonObject[]): Promise<string> {
    const name = `limits-${run}-${++namespaces}`;
    await sendToBoth(clients, { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
    for (const client of clients) {
      await until(
        () => client.send({ method: "GET", path: `/api/v1/namespaces/${name}/serviceaccounts/default` }),
        ({ code }) => code === 200,
      );
    }
    const body = { metadata: { name: "all" }, spec: { limits } };
    await sendToBoth(clients, { method: "POST", path: `/api/v1/namespaces/${name}/limitranges`, body });
    return name;
  }

  /** What becomes of a Pod: its resources and annotations, or the refusal with its parts in order. */
  async function admitted(client: RawClient, namespace: string, spec: JsonObject): Promise<Json> {
    const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
    // The watch of kube-apiserver's admission may be behind.
    const { code, body } = await client.send({ method: "POST", path, body: { metadata: { name: "a" }, spec } });
    if (code === 422)
      return [code, ...new Set(objectsAt(body, "details", "causes").map((cause) => JSON.stringify(cause)))].sort();
    if (code >= 300) {
      const message = (textAt(body, "message") ?? "").replace(/^[^:]*: /u, "").replace(/^\[(.*)\]$/u, "$1");
      return [code, message.split(/, (?=minimum |maximum |\S+ max limit to request)/u).sort()];
    }
    const resources = ["initContainers", "containers"].flatMap((field) =>
      objectsAt(body, "spec", field).map((container) => objectAt(container, "resources") ?? {}),
    );
    const note = textAt(body, "metadata", "annotations", "kubernetes.io/limit-ranger") ?? "";
    return [code, resources, note, textAt(body, "status", "qosClass") ?? ""];
  }

  const pick = <T>(draw: () => number, items: readonly T[]): T | undefined => items[Math.floor(draw() * items.length)];

  function randomAmounts(draw: () => number): JsonObject {
    const names = ["cpu", "memory", "example.org/gpu"].filter(() => draw() < 0.5);
    return Object.fromEntries(names.map((name) => [name, name.includes("/") ? "2" : (pick(draw, amounts) ?? "1")]));
  }

  function randomContainer(draw: () => number, name: string): JsonObject {
    const limits = randomAmounts(draw);
    // Amounts that cannot be shared are requested as they are limited.
    const shared = Object.entries(limits).filter(([key]) => key.includes("/"));
    const requests = { ...(draw() < 0.5 ? randomAmounts(draw) : {}), ...Object.fromEntries(shared) };
    return { name, image: "none", ...(draw() < 0.2 ? {} : { resources: { limits, requests } }) };
  }

  function randomPod(draw: () => number): JsonObject {
    const init = { ...randomContainer(draw, "init"), ...(draw() < 0.5 ? { restartPolicy: "Always" } : {}) };
    return {
      containers: [randomContainer(draw, "a"), ...(draw() < 0.5 ? [randomContainer(draw, "b")] : [])],
      ...(draw() < 0.4 ? { initContainers: [init, randomContainer(draw, "init-2")] } : {}),
    };
  }

  const limitSets: readonly (readonly [string, readonly JsonObject[]])[] = [
    ["defaults", [{ type: "Container", default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "100m" } }]],
    ["a maximum and a minimum", [{ type: "Container", max: { cpu: "1500m", memory: "1Gi" }, min: { cpu: "100m" } }]],
    ["a ratio", [{ type: "Container", maxLimitRequestRatio: { cpu: "1500m", memory: "2" } }]],
    [
      "Pods",
      [{ type: "Pod", max: { cpu: "2", memory: "1100Mi" }, min: { cpu: "200m" }, maxLimitRequestRatio: { cpu: "3" } }],
    ],
    [
      "Pods and containers",
      [
        { type: "Container", max: { "example.org/gpu": "2" }, default: { cpu: "300m" } },
        { type: "Pod", max: { "example.org/gpu": "3", cpu: "1" } },
        { type: "PersistentVolumeClaim", max: { storage: "1Gi" } },
      ],
    ],
  ];

  it.each(limitSets)("with %s admit, complete and refuse the same Pods", async (_name, limits) => {
    const namespace = await newNamespace(limits);
    const draw = seededRandom(limits.length * 17 + JSON.stringify(limits).length);
    const differences: Json[] = [];
    const codes = new Set<Json>();
    for (let index = 0; index < 150; index += 1) {
      const spec = randomPod(draw);
      const [here = null, there = null] = await Promise.all(clients.map((client) => admitted(client, namespace, spec)));
      if (JSON.stringify(sorted(here)) !== JSON.stringify(sorted(there))) differences.push({ spec, here, there });
      if (Array.isArray(there)) codes.add((there as Json[])[0] ?? null);
    }
    expect(differences.slice(0, 3)).toEqual([]);
    expect(codes).toContain(201);
  });

  function sorted(value: Json): Json {
    return JSON.parse(
      JSON.stringify(value, (_key, item: unknown) =>
        typeof item === "object" && item !== null && !Array.isArray(item)
          ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
          : item,
      ),
    ) as Json;
  }

  let plain = "";
  beforeAll(async () => {
    plain = await newNamespace([]);
  });

  it("get their defaults, and a name when they have none", async () => {
    const path = `/api/v1/namespaces/${plain}/limitranges`;
    const limits = [
      { type: "Container", max: { cpu: "2", memory: "1Gi" }, min: { cpu: "100m" }, default: { memory: "0.50Gi" } },
      { type: "Pod", max: { cpu: "2000m" } },
    ];
    const answers = await Promise.all(
      clients.map((client) => client.send({ method: "POST", path, body: { metadata: {}, spec: { limits } } })),
    );
    const [here, there] = answers.map(({ code, body }) => [code, sorted(objectAt(body, "spec") ?? {})]);
    expect(here).toEqual(there);
    for (const { code, body } of answers) {
      expect(code).toBe(201);
      expect(textAt(body, "metadata", "name")).toMatch(/^[0-9a-f-]{36}$/u);
    }
  });
});
