import { describe, expect, it } from "vitest";
import { startGarbageCollector } from "../../../../src/embedded-hub/controllers/garbage-collector.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { fixedRequestPem, requestObject } from "../../../support/certificate-request.ts";
import { configMap, startHubWorld } from "./hub-world.ts";
import { loneScope } from "./lone-controller.ts";

const token: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "bootstrap-token-aaaaaa", namespace: "kube-system" },
  type: "bootstrap.kubernetes.io/token",
  data: { expiration: Buffer.from("2030-01-01T00:00:00Z").toString("base64") },
};

const quota: KubeObject = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "few", namespace: "shop" },
  spec: { hard: { pods: "9" } },
};

/** Counts in a quota until its grace period is over. */
const leaving: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "leaving", namespace: "shop" },
  spec: { nodeName: "n", terminationGracePeriodSeconds: 86_400, containers: [{ name: "main", image: "none" }] },
};

describe("an object that is deleted", () => {
  it.each([
    ["certificatesigningrequests", requestObject("asked", fixedRequestPem, { signerName: "example.org/a" })],
    ["secrets", token],
    ["resourcequotas", quota],
  ])("A244 leaves no timer of a controller: %s", async (plural, object) => {
    const world = await startHubWorld();
    await world.create({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
    await world.create(leaving);
    await world.remove("pods", "leaving");
    await world.settle();
    const { sleepers } = world.clock;
    await world.create(object);
    await world.settle();
    expect(world.clock.sleepers).toBe(sleepers + 1);
    const { name, namespace } = object.metadata;
    await world.remove(plural, name, namespace === undefined ? {} : { namespace });
    await world.settle();
    expect(world.clock.sleepers).toBe(sleepers);
  });

  it("A244 is forgotten by the garbage collector, which waits for the kind of its owner", async () => {
    const world = await startHubWorld();
    const lone = loneScope(world);
    const collector = startGarbageCollector(lone.scope);
    const report = (...event: Parameters<typeof lone.report>): Promise<number> => {
      lone.report(...event);
      return lone.doneCount();
    };
    const definition = configMap("any definition");
    const ownerReferences = [{ apiVersion: "example.org/v1", kind: "Other", name: "owner", uid: "1" }];
    const owned = await world.create(configMap("owned", { ownerReferences }));
    const done = await report("configmaps", "added", owned);
    expect(await report("customresourcedefinitions", "added", definition)).toBe(done + 1);
    await world.remove("configmaps", "owned");
    expect(await report("configmaps", "deleted", owned)).toBe(done + 1);
    expect(await report("customresourcedefinitions", "added", definition)).toBe(done + 1);
    await collector.stop();
  });
});
