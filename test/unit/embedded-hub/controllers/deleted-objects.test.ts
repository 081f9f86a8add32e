import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import type { WorkQueue } from "../../../../src/core/work-queue.ts";
import { startGarbageCollector } from "../../../../src/embedded-hub/controllers/garbage-collector.ts";
import type { FeedEvent, FeedListener } from "../../../../src/embedded-hub/controllers/object-feed.ts";
import { createOwnerIndex } from "../../../../src/embedded-hub/controllers/owner-index.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { fixedRequestPem, requestObject } from "../../../support/certificate-request.ts";
import { countingTurns } from "../../../support/turns-during.ts";
import { realRandom } from "../../../support/real-time.ts";
import { configMap, startHubWorld } from "./hub-world.ts";

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
    const { operations, clock, ...world } = await startHubWorld();
    const listeners = new Map<string, FeedListener>();
    const queues: WorkQueue[] = [];
    const collector = startGarbageCollector({
      operations,
      feed: {
        on: (_, plural, listener) => listeners.set(plural, listener),
        onAny: (listener) => listeners.set("", listener),
        start: () => () => undefined,
      },
      owners: createOwnerIndex(),
      clock,
      random: realRandom,
      log: silentLog,
      turns: countingTurns(),
      queues,
    });
    const report = async (plural: string, kind: FeedEvent["kind"], object: KubeObject): Promise<number> => {
      const event = { group: "", plural, kind, isFirst: false, object, previous: undefined, mentions: () => true };
      listeners.get(plural === "configmaps" ? "" : plural)?.(event);
      await Promise.all(queues.map((queue) => queue.whenIdle()));
      return queues.reduce((sum, { counts }) => sum + counts.done, 0);
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
