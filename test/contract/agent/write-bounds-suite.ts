import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { installObjects } from "../../../src/install/install-objects.ts";
import { fixedConnection } from "../../../src/kube/connection.ts";
import { createHttpsTransport } from "../../../src/kube/https-transport.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { agentWritesPolicy } from "../../../src/model/agent-writes-policy.ts";
import type { ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import { forgedRequest, holderOf } from "../../support/flood-hub.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { conditionOf, install, token, valuesOf } from "./fleet-helpers.ts";
import { openFleetSession } from "./fleet-session.ts";
import type { FleetSession } from "./fleet-session.ts";
import { neverAborted } from "../../support/never-aborted.ts";

const { cluster, clusterReport, lease } = resourceTypes;
const writer = { fieldManager: "test" };

/** What a hub with the policy refuses of the holder of an agent's or a token's credential, however it is written. */
export function describeWriteBounds(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`A104: the size of what agents write on ${name}`, () => {
    let session: FleetSession;
    let values: Awaited<ReturnType<typeof valuesOf>>;
    const holders = new Map<string, KubeApi>();

    beforeAll(async () => {
      session = await openFleetSession(await startHub());
      await installObjects(session.api, agentWritesPolicy, neverAborted());
      await session.create(token(session, "door", { ttl: "1h" }));
      values = await valuesOf(session, "door");
      holders.set("token", holderOf(values));
      // An API server takes a policy up a moment after it was created.
      await until(
        () => refusalOf(() => ask({ finalizers: ["example.com/mine"] })),
        (refusal) => refusal.includes("finalizers"),
      );
      const namespace = session.agentNamespace();
      await install(session, namespace, {
        ...values,
        cluster: { name: "one", clientID: "one" },
      });
      await session.startAgent(namespace);
      await session.until(cluster, "one", (object) => conditionOf(object, "Healthy") === "True");
      await hold("working", "rollcall-one");
    });
    afterAll(async () => {
      for (const api of holders.values()) await api.close();
      await session.close();
    });

    async function hold(holder: string, serviceAccount: string): Promise<void> {
      await session.until(resourceTypes.serviceAccount, serviceAccount, (object) => object !== undefined);
      const { url, caBundle } = session.hubFacts().endpoint;
      const issued = await session.api.requestToken({
        namespace: session.workspace,
        serviceAccount,
        expirationSeconds: 3600,
      });
      const transport = createHttpsTransport(fixedConnection({ server: url, caPem: caBundle, token: issued.token }));
      holders.set(holder, createKubeApi({ transport, clock: realClock, random: realRandom }));
    }
    const as = (holder: string): KubeApi => {
      const api = holders.get(holder);
      if (api === undefined) throw new Error(`no token of ${holder}`);
      return api;
    };
    const refusalOf = (send: () => Promise<unknown>): Promise<string> => send().then(() => "", String);
    let asked = 0;
    const ask = (metadata: JsonObject) => {
      const request = forgedRequest(values, `asked-${asked++}`);
      return as("token").create({ ...request, metadata: { ...request.metadata, ...metadata } }, writer);
    };
    const own = (type: ResourceType) => ({
      type,
      namespace: session.workspace,
      name: type === lease ? "rollcall-one" : "one",
    });
    const change = (api: KubeApi, type: ResourceType, body: JsonObject) =>
      refusalOf(() => api.mergePatch(own(type), body, writer));
    const entries = (count: number, value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]));
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "any", uid: "1" };

    it.each([
      ["labels", { labels: entries(33, "v") }],
      ["annotations", { annotations: entries(33, "v") }],
      ["annotations of 1024 characters", { annotations: { n: "<".repeat(1025) } }],
      ["finalizers", { finalizers: ["example.com/mine"] }],
      ["owners", { ownerReferences: [owner] }],
    ])("is refused beyond the bound of %s", async (bound, metadata) => {
      for (const type of [lease, clusterReport])
        expect(await change(as("working"), type, { metadata }), type.kind).toContain(bound);
      expect(await refusalOf(() => ask(metadata))).toContain(bound);
    });

    // A hub whose feature gate of the second one is off drops it.
    it.each(["holderIdentity", "preferredHolder"])("stays small whatever %s of its Lease it writes", async (field) => {
      const spec = { strategy: "OldestEmulationVersion", [field]: "<".repeat(1_000_000) };
      expect(await change(as("working"), lease, { spec })).toMatch(/^$|1024 characters/u);
      expect(JSON.stringify(await session.api.get(own(lease))).length).toBeLessThan(10_000);
    });

    it("is refused for managed fields of ever more managers", async () => {
      const object = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
      const metadata = { name: "rollcall-one", namespace: session.workspace, labels: { any: "v" } };
      const refusals = [];
      for (let manager = 0; manager < 70; manager++)
        refusals.push(
          await refusalOf(() => as("working").apply({ ...object, metadata }, { fieldManager: `m${manager}` })),
        );
      expect(refusals[0]).toBe("");
      expect(refusals.at(-1)).toContain("64 entries of managed fields");
      expect(await change(as("working"), lease, { spec: { leaseTransitions: 1 } })).toBe("");
    });

    it("accepts heartbeats of a Lease to which another user wrote more", async () => {
      const metadata = { labels: entries(40, "v"), annotations: { long: "x".repeat(2000) } };
      expect(await change(session.api, lease, { metadata })).toBe("");
      expect(await change(as("working"), lease, { spec: { leaseTransitions: 1 } })).toBe("");
    });
  });
}
