import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { objectAt } from "../../../src/core/read-json.ts";
import { readQuota, decideCharge } from "../../../src/embedded-hub/quotas/decide-charge.ts";
import { QuotaLedger } from "../../../src/embedded-hub/quotas/quota-ledger.ts";
import type { AdmissionRequest } from "../../../src/embedded-hub/operations/admission.ts";
import type { Operations } from "../../../src/embedded-hub/operations/operations.ts";
import type { Turns } from "../../../src/embedded-hub/operations/turns.ts";
import { builtInResources } from "../../../src/embedded-hub/resources/built-in-resources.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { leastCpuMs } from "../../support/least-cpu-ms.ts";
import { configMap, refusalOf, startHubWorld } from "./controllers/hub-world.ts";
import type { HubWorld } from "./controllers/hub-world.ts";

function quota(hard: JsonObject, name = "all"): KubeObject {
  return { apiVersion: "v1", kind: "ResourceQuota", metadata: { name, namespace: "shop" }, spec: { hard } };
}

function statusOf(world: HubWorld, name = "all"): JsonObject | undefined {
  return objectAt(world.get("resourcequotas", name), "status");
}

function pod(name: string, requests: JsonObject): KubeObject {
  const containers = [{ name: "main", image: "none", resources: { requests } }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "shop" }, spec: { containers } };
}

describe("a namespace with a quota", () => {
  it("counts huge pages that a Pod asks for on behalf of its containers", async () => {
    const world = await startHubWorld();
    await world.create(quota({ "requests.hugepages-2Mi": "10Mi" }));
    await world.settle();
    const limits = { cpu: "1", memory: "100Mi", "hugepages-2Mi": "20Mi" };
    const bare = pod("a", {});
    const large = { ...bare, spec: { ...objectAt(bare, "spec"), resources: { limits } } };
    expect(await refusalOf(world.create(large))).toContain(
      "exceeded quota: all, requested: requests.hugepages-2Mi=20Mi, used: requests.hugepages-2Mi=0, limited: requests.hugepages-2Mi=10Mi",
    );
  });

  it("A99: takes no more objects than the quota allows, however many come at once", async () => {
    const world = await startHubWorld();
    await world.create(quota({ configmaps: "5" }));
    await world.settle();
    const sent = Array.from({ length: 200 }, (_, index) => refusalOf(world.create(configMap(`many-${index}`))));
    const refusals = (await Promise.all(sent)).filter((text) => text !== undefined);
    // One is there already: kube-root-ca.crt.
    expect(world.list("configmaps")).toHaveLength(5);
    expect(refusals).toHaveLength(196);
    expect(refusals[0]).toContain(
      "exceeded quota: all, requested: configmaps=1, used: configmaps=5, limited: configmaps=5",
    );
    await world.settle();
    expect(statusOf(world)).toEqual({ hard: { configmaps: "5" }, used: { configmaps: "5" } });
  });

  it("has room again when something is deleted, and for what was refused later on", async () => {
    const world = await startHubWorld();
    await world.create(quota({ configmaps: "2" }));
    await world.settle();
    await world.create(configMap("a"));
    expect(await refusalOf(world.create(configMap("b")))).toContain("exceeded quota");
    await world.remove("configmaps", "a");
    await world.settle();
    await world.create(configMap("b"));
    expect(await refusalOf(world.create(configMap("b")))).toContain("exceeded quota");
    await world.remove("resourcequotas", "all");
    expect(await refusalOf(world.create(configMap("b")))).toContain("already exists");
  });

  it("does not count a write that failed", async () => {
    const world = await startHubWorld();
    await world.create(quota({ configmaps: "4" }));
    await world.settle();
    await world.create(configMap("a"));
    expect(await refusalOf(world.create(configMap("a")))).toContain("already exists");
    await world.settle();
    expect(statusOf(world)?.["used"]).toEqual({ configmaps: "2" });
  });

  it("reports what is in force soon after another client wrote its status", async () => {
    const world = await startHubWorld();
    await world.create(quota({ configmaps: "4" }));
    await world.settle();
    const forged = { hard: { configmaps: "100" }, used: { configmaps: "0" } };
    await world.change("resourcequotas", "all", (live) => ({ ...live, status: forged }), { subresource: "status" });
    await world.settle();
    expect(statusOf(world)).toEqual(forged);
    await world.clock.advance(10_000);
    await world.settle();
    expect(statusOf(world)).toEqual({ hard: { configmaps: "4" }, used: { configmaps: "1" } });
  });

  it("holds Pods to what they ask for, and frees it when they end", async () => {
    const world = await startHubWorld();
    await world.create(quota({ pods: "5", "requests.cpu": "1" }));
    await world.settle();
    expect(await refusalOf(world.create(pod("a", {})))).toBe(
      'pods "a" is forbidden: failed quota: all: must specify requests.cpu for: main',
    );
    await world.create(pod("a", { cpu: "700m" }));
    expect(await refusalOf(world.create(pod("b", { cpu: "400m" })))).toBe(
      'pods "b" is forbidden: exceeded quota: all, requested: requests.cpu=400m, used: requests.cpu=700m, limited: requests.cpu=1',
    );
    await world.change("pods", "a", (live) => ({ ...live, status: { ...objectAt(live, "status"), phase: "Failed" } }), {
      subresource: "status",
    });
    await world.settle();
    await world.create(pod("b", { cpu: "400m" }));
    expect(statusOf(world)?.["used"]).toEqual({ pods: "1", "requests.cpu": "400m" });
  });

  it("A99: has at most 20 quotas of 200 amounts", async () => {
    const world = await startHubWorld();
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`requests.example.org/r${index}`, "1"]));
    expect(await refusalOf(world.create(quota(many)))).toBe(
      'resourcequotas "all" is forbidden: a ResourceQuota has at most 200 amounts: leave out some',
    );
    for (let index = 0; index < 20; index += 1) await world.create(quota({ pods: "1" }, `q${index}`));
    expect(await refusalOf(world.create(quota({ pods: "1" })))).toBe(
      'resourcequotas "all" is forbidden: a namespace has at most 20 ResourceQuotas: put several amounts into one, or delete one',
    );
  });
});

it("A99: a write whose charge cannot be stored is refused, and its charge counted again", async () => {
  const definitions = builtInResources();
  const definitionOf = (_group: string, name: string) => definitions.find(({ plural }) => plural === name);
  const definition = definitionOf("", "configmaps");
  if (definition === undefined) throw new Error("ConfigMaps are not served");
  const status = { hard: { configmaps: "5" }, used: { configmaps: "1" } };
  const operations = {
    definitionOf,
    list: () => ({ items: [{ ...quota(status.hard), status }] }),
    patch: () => Promise.reject(new Error("the disk is full")),
  } as unknown as Operations;
  const turns = { enter: () => Promise.resolve() } as unknown as Turns;
  const ledger = new QuotaLedger({ operations: () => operations, clock: createManualClock(), turns });
  const stale: unknown[] = [];
  ledger.onStale((namespace, quotas) => stale.push([namespace, quotas]));
  const user = { username: "a", groups: [] };
  const common = { isDryRun: false, options: {}, warnings: [], user, namespace: "shop", name: "a" };
  const charged = ledger.charge({ ...common, operation: "CREATE", definition, object: configMap("a") });
  await expect(charged).rejects.toThrow("the disk is full");
  expect(ledger.underWay("shop")).toEqual([]);
  expect(stale).toEqual([["shop", ["all"]]]);
});

it("A99: a write is held to as many quotas as a namespace may have in no time", () => {
  const definition = builtInResources().find(({ plural }) => plural === "pods");
  if (definition === undefined) throw new Error("Pods are not served");
  const names = Array.from({ length: 200 }, (_, index) => `requests.example.org/r${index}`);
  const amounts = Object.fromEntries(names.map((name) => [name, "1000000"]));
  const quotas = Array.from({ length: 20 }, (_, index) => ({
    ...quota(amounts, `q${index}`),
    status: { hard: amounts, used: Object.fromEntries(names.map((name) => [name, "0"])) },
  }));
  const resources = Object.fromEntries(names.map((name) => [name.slice("requests.".length), "1"]));
  const containers = Array.from({ length: 40 }, (_, index) => ({
    name: `c${index}`,
    resources: { requests: resources, limits: resources },
  }));
  const object: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers } };
  const user = { username: "a", groups: [] };
  const common = { isDryRun: false, options: {}, warnings: [], user, namespace: "shop", name: "a" };
  const request: AdmissionRequest & { readonly object: KubeObject } = {
    ...common,
    operation: "CREATE",
    definition,
    object,
  };
  const decide = () =>
    decideCharge(
      { ...request, object: { ...object } },
      quotas.map((one) => readQuota({ ...one })),
      0,
    );
  expect(
    decide()
      .get("q19")
      ?.get(names[0] ?? "")?.nanos,
  ).toBe(40_000_000_000n);
  expect(leastCpuMs(decide, 200)).toBeLessThan(200);
});
