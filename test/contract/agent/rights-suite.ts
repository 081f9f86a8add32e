import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import { objectsAt, textAt, textsAt } from "../../../src/core/read-json.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { makeIdentity, readIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import { makeRenewal } from "../../../src/join/rollcall/downstream/membership.ts";
import { fixedConnection } from "../../../src/kube/connection.ts";
import { createHttpsTransport } from "../../../src/kube/https-transport.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { ObjectRef, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys, fieldManagers, labelKeys } from "../../../src/model/well-known.ts";
import { isAppliedBy } from "../../../src/planning/owned-fields.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { conditionOf, declare, install, kubeconfigSecret, token, valuesOf } from "./fleet-helpers.ts";
import { openFleetSession } from "./fleet-session.ts";
import type { FleetSession } from "./fleet-session.ts";

const rulesReview: ResourceType = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  plural: "selfsubjectrulesreviews",
  isNamespaced: false,
};
const { cluster, clusterReport, clusterRegistration, configMap, lease, secret, serviceAccount } = resourceTypes;

/** What every account that the program creates may do, asked and tried from its holder's side. */
export function describeRights(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`the rights of accounts on ${name}`, () => {
    let session: FleetSession;
    let agentNamespace = "";
    let neighbour = "";
    const holders = new Map<string, KubeApi>();

    beforeAll(async () => {
      session = await openFleetSession(await startHub());
      agentNamespace = session.agentNamespace();
      neighbour = session.agentNamespace();
      await declare(session, "one", {
        clientID: "one",
        kubeConfigSecretRef: await kubeconfigSecret(session, "one"),
        agent: { namespace: agentNamespace },
      });
      await session.create(token(session, "door", { ttl: "1h" }));
      await install(session, neighbour, {
        ...(await valuesOf(session, "door")),
        cluster: { name: "two", clientID: "two" },
      });
      // Its agent never comes: what it would join by stays.
      await declare(session, "waiting", {
        kubeConfigSecretRef: { name: "one-kubeconfig" },
        agent: { namespace: session.agentNamespace() },
      });
      await session.until(serviceAccount, "rollcall-waiting.bootstrap", (object) => object !== undefined);
      await hold("bootstrap", "rollcall-waiting.bootstrap");
      await hold("token", "rollcall.token.door");
      await session.untilIn(
        agentNamespace,
        resourceTypes.deployment,
        "rollcall-agent",
        (object) => object !== undefined,
      );
      await session.startAgent(agentNamespace);
      await session.startAgent(neighbour);
      for (const member of ["one", "two"])
        await session.until(cluster, member, (object) => conditionOf(object, "Joined") === "True");
      await hold("working", "rollcall-one");
      await hold("recovery", "rollcall-one.recovery");
      await hold("agent", "rollcall-agent", agentNamespace);
    });
    afterAll(async () => {
      for (const api of holders.values()) await api.close();
      await session.close();
    });

    async function hold(holder: string, account: string, namespace = session.workspace): Promise<void> {
      const issued = await session.api.requestToken({ namespace, serviceAccount: account, expirationSeconds: 3600 });
      const { url, caBundle } = session.hubFacts().endpoint;
      const transport = createHttpsTransport(fixedConnection({ server: url, caPem: caBundle, token: issued.token }));
      holders.set(holder, createKubeApi({ transport, clock: realClock, random: realRandom, types: [rulesReview] }));
    }
    const as = (holder: string): KubeApi => {
      const api = holders.get(holder);
      if (api === undefined) throw new Error(`no token of ${holder}`);
      return api;
    };
    /** All rights in a namespace, but for those that every account has. */
    const rightsOf = async (holder: string, namespace: string): Promise<string[]> => {
      const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", metadata: { name: "" } };
      const answer = await as(holder).create({ ...review, spec: { namespace } }, { fieldManager: "test" });
      return objectsAt(answer, "status", "resourceRules")
        .filter((rule) => !textsAt(rule, "apiGroups").every((group) => group.startsWith("auth")))
        .map(describeRule)
        .sort();
    };
    const one = (type: ResourceType, object = "one", namespace = session.workspace) => ({
      type,
      namespace,
      name: object,
    });
    const patch = (api: KubeApi, ref: ReturnType<typeof one>, body: JsonObject, subresource?: "status") =>
      api.mergePatch(ref, body, { fieldManager: "test", ...(subresource ? { subresource } : {}) });

    it("A4: are for a working credential its report, its lease and its manifest, by name", async () => {
      expect(await rightsOf("working", session.workspace)).toEqual([
        "get,list,patch,watch coordination.k8s.io/leases rollcall-one",
        "get,list,patch,watch rollcall.dev/clusterreports one",
        "get,list,watch /configmaps rollcall-agent-one",
      ]);
    });

    it("are for a recovery credential its report alone", async () => {
      expect(await rightsOf("recovery", session.workspace)).toEqual(["get,patch rollcall.dev/clusterreports one"]);
    });

    it("A5: are for tokens, of both makings, to ask and to read an answer", async () => {
      for (const holder of ["token", "bootstrap"])
        expect(await rightsOf(holder, session.workspace)).toEqual(["create,get rollcall.dev/clusterregistrations"]);
    });

    it("A6: are for the agent in its own cluster what its installation lists", async () => {
      expect(await rightsOf("agent", agentNamespace)).toEqual(
        [
          "delete,get,patch /serviceaccounts rollcall-agent",
          "delete,get,patch rbac.authorization.k8s.io/roles,rolebindings rollcall-agent",
          "delete,get,patch /secrets rollcall-agent-identity",
          "delete,get,patch /secrets rollcall-agent-values",
          "delete,get,patch apps/deployments rollcall-agent",
          "delete,get,patch,update coordination.k8s.io/leases rollcall-agent",
          ...clusterWide(agentNamespace),
        ].sort(),
      );
      expect(await rightsOf("agent", session.workspace)).toEqual(clusterWide(agentNamespace).sort());
      expect(await rightsOf("agent", "kube-system")).toEqual(clusterWide(agentNamespace).sort());
    });

    it("are none in other namespaces, for every account of the hub", async () => {
      for (const holder of ["working", "recovery", "token", "bootstrap"])
        for (const namespace of ["kube-system", "default", agentNamespace])
          expect(await rightsOf(holder, namespace)).toEqual([]);
    });

    it("A1: do not let an agent write what the hub decides by", async () => {
      const working = as("working");
      const tries = [
        patch(working, one(clusterReport), { status: { leave: null } }, "status"),
        patch(working, one(cluster), { spec: { clientID: "mine" } }),
        patch(working, one(cluster), { status: { identity: { clientID: "mine" } } }, "status"),
        patch(working, one(configMap, "rollcall-cluster-one"), { data: { memory: "{}" } }),
        patch(working, one(configMap, "rollcall-agent-one"), { data: { manifest: "[]" } }),
      ];
      await refused(tries);
    });

    it("A4: do not let an agent read or write anything of another's", async () => {
      for (const holder of ["working", "recovery"]) {
        const api = as(holder);
        await refused([
          api.get(one(clusterReport, "two")),
          api.get(one(lease, "rollcall-two")),
          api.get(one(configMap, "rollcall-agent-two")),
          patch(api, one(clusterReport, "two"), { spec: { agentVersion: "x" } }),
          patch(api, one(lease, "rollcall-two"), { spec: { holderIdentity: "x" } }),
          api.list(clusterReport, { namespace: session.workspace }),
          api.list(clusterReport, { namespace: session.workspace, fieldSelector: "metadata.name=two" }),
          api.list(cluster, { namespace: session.workspace }),
          api.list(clusterRegistration, { namespace: session.workspace }),
        ]);
      }
    });

    it("A5, A7: let no account read a Secret, list registrations, or make a token", async () => {
      for (const holder of ["working", "recovery", "token", "bootstrap"]) {
        const api = as(holder);
        const request = { namespace: session.workspace, serviceAccount: "rollcall-one", expirationSeconds: 3600 };
        await refused([
          api.list(secret, { namespace: session.workspace }),
          api.get(one(secret, "door")),
          api.get(one(secret, "one-kubeconfig")),
          api.get(one(secret, "rollcall-one.1")),
          api.list(clusterRegistration, { namespace: session.workspace }),
          api.requestToken(request),
          api.delete(one(clusterReport)),
          api.create(
            { apiVersion: "v1", kind: "Secret", metadata: { name: "mine", namespace: session.workspace } },
            { fieldManager: "test" },
          ),
        ]);
      }
    });

    it("A3: let an agent ask for a credential by its own key alone", async () => {
      const heldIn = async (namespace: string) => {
        const held = await session.get(secret, "rollcall-agent-identity", namespace);
        const text = Buffer.from(textAt(held, "data", "identity") ?? "", "base64").toString("utf8");
        const identity = readIdentity(JSON.parse(text));
        if (identity?.membership === undefined) throw new Error("the agent was not let in");
        return { identity, membership: identity.membership };
      };
      const [mine, theirs] = [await heldIn(agentNamespace), await heldIn(neighbour)];
      const thief = makeIdentity(
        { hub: { id: "", url: "", caBundle: "" }, workspace: session.workspace },
        "",
        randomBytes(64),
      );
      const nonce = Date.now();
      const own = makeRenewal(mine.identity, mine.membership, nonce);
      const forged = [
        makeRenewal({ ...mine.identity, keys: thief.keys }, mine.membership, nonce),
        makeRenewal(theirs.identity, theirs.membership, nonce),
        { ...own, nonce: nonce + 1 },
        { ...own, credential: 7 },
        { ...own, signature: Buffer.alloc(64).toString("base64") },
      ];
      const number = async () => textAt(await session.get(configMap, "rollcall-cluster-one"), "data", "memory");
      const before = await number();
      for (const [index, renewal] of forged.entries()) {
        await patch(as("recovery"), one(clusterReport), { spec: { renewal, platform: `try/${index}` } });
        // What the hub shows of it is of this report, or a later one: it has read the request.
        await session.until(cluster, "one", (object) => textAt(object, "status", "platform") === `try/${index}`);
      }
      await session.controllers.whenIdle();
      expect(await number()).toBe(before);
      expect(textAt(await session.get(clusterReport, "one"), "status", "renewal", "sealed", "enc")).toBeUndefined();
      await patch(as("recovery"), one(clusterReport), { spec: { renewal: null } });
    });

    it("A6: let no agent give its own account more", async () => {
      const role = { type: resourceTypes.clusterRole, name: `rollcall-agent.${agentNamespace}` };
      const binding = { type: resourceTypes.clusterRoleBinding, name: role.name };
      const change = (ref: ObjectRef, body: JsonObject) => as("agent").mergePatch(ref, body, { fieldManager: "test" });
      const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
      await refused([
        change(role, { rules: [secrets] }),
        change(role, { rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] }),
        change(role, { aggregationRule: { clusterRoleSelectors: [{}] } }),
        change(binding, {
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        }),
        change({ type: resourceTypes.role, namespace: agentNamespace, name: "rollcall-agent" }, { rules: [secrets] }),
        change({ ...role, name: "view" }, { metadata: { labels: { mine: "yes" } } }),
      ]);
    });

    it("A69: let an agent relabel its own Lease, and that is reverted without waiting for anything else", async () => {
      await patch(as("working"), one(lease, "rollcall-one"), {
        metadata: { labels: { "rollcall.dev/cluster": "two" } },
      });
      await session.until(
        lease,
        "rollcall-one",
        (object) => object?.metadata.labels?.["rollcall.dev/cluster"] === "one",
      );
    });

    it("A1: let an agent relabel its own report, which gives it no other identity", async () => {
      await patch(as("working"), one(clusterReport), { metadata: { labels: { "rollcall.dev/cluster": "two" } } });
      await session.until(
        clusterReport,
        "one",
        (object) => object?.metadata.labels?.["rollcall.dev/cluster"] === "one",
      );
      expect(textAt(await session.get(cluster, "two"), "status", "agent", "namespace")).toBe(neighbour);
    });

    it.each([
      {
        type: lease,
        object: "rollcall-one",
        takes: "a cluster that does not exist",
        labels: { [labelKeys.cluster]: "none" },
      },
      { type: lease, object: "rollcall-one", takes: "no cluster", labels: null },
      {
        type: clusterReport,
        object: "one",
        takes: "a cluster that does not exist",
        labels: { [labelKeys.cluster]: "none" },
      },
      { type: clusterReport, object: "one", takes: "no cluster", labels: null },
    ])(
      "A117: let an agent label its $type.kind as that of $takes, without the hub's managed fields, and revert it",
      async ({ type, object, labels }) => {
        const before = await session.get(type, object);
        await patch(as("working"), one(type, object), { metadata: { labels, managedFields: [{}] } });
        const reverted = await session.until(
          type,
          object,
          (live) => live?.metadata.labels?.[labelKeys.cluster] === "one",
        );
        expect(reverted.metadata.uid).toBe(before?.metadata.uid);
        expect(isAppliedBy(reverted, fieldManagers.hub)).toBe(true);
      },
    );

    it("A102: make no Lease so large that the hub sees the heartbeats of no other cluster", async () => {
      const name = `${"x".repeat(60)}.${"y".repeat(60)}.${"z".repeat(60)}/${"n".repeat(50)}`;
      const labels = (part: number) =>
        Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${name}${part}-${index}`, "v".repeat(60)]));
      // An API server writes each of these characters as six.
      const bodies = [
        { spec: { holderIdentity: "<".repeat(1_400_000) } },
        ...[1, 2, 3, 4, 5, 6].map((part) => ({ metadata: { labels: labels(part) } })),
      ];
      await expectOthersSeen(bodies);
    });

    it("A163: nest nothing in a Lease so deeply that the hub sees the heartbeats of no other cluster", async () => {
      const manager = { manager: "x", operation: "Update", apiVersion: "coordination.k8s.io/v1" };
      const nested = (depth: number): JsonObject => (depth === 0 ? {} : { "f:spec": nested(depth - 1) });
      const managedBy = (fieldsV1: JsonObject) => [{ ...manager, fieldsType: "FieldsV1", fieldsV1 }];
      await expectOthersSeen([122, 500].map((depth) => ({ metadata: { managedFields: managedBy(nested(depth)) } })));
      expect((await session.api.list(lease, { namespace: session.workspace })).items.length).toBeGreaterThan(1);
    });

    /** What the holder of one agent's credential writes to its Lease keeps the hub from no change of another one. */
    async function expectOthersSeen(bodies: readonly JsonObject[]): Promise<void> {
      const [own, other] = [one(lease, "rollcall-one"), one(lease, "rollcall-two")];
      // Refused, or answered with more than an agent reads.
      const send = (body: JsonObject) => patch(as("working"), own, body).catch(() => undefined);
      for (const body of bodies) await send(body);
      const ending = new AbortController();
      const renewing = (async () => {
        for (let leaseTransitions = 0; !ending.signal.aborted; leaseTransitions++)
          await send({ spec: { leaseTransitions } });
      })();
      try {
        for (let round = 0; round < 3; round++) {
          await patch(session.api, other, { metadata: { labels: { "rollcall.dev/cluster": "one" } } });
          await session.until(lease, other.name, (object) => object?.metadata.labels?.[labelKeys.cluster] === "two");
          expect(session.hubAwaySinceMs()).toBeUndefined();
        }
      } finally {
        ending.abort();
        await renewing;
        await send({ spec: { holderIdentity: "one" } });
      }
    }

    it("A117: keep neither report nor Lease of a cluster that leaves, though its agent labels them as no cluster's", async () => {
      const [report, heartbeat] = [one(clusterReport, "three"), one(lease, "rollcall-three")];
      await declare(session, "three", { clientID: "three", deletionGracePeriod: "1h" });
      await session.create(token(session, "named", { ttl: "1h", clusterNames: ["three"] }));
      const namespace = session.agentNamespace();
      const values = { ...(await valuesOf(session, "named")), cluster: { name: "three", clientID: "three" } };
      await install(session, namespace, values);
      const agent = await session.startAgent(namespace);
      await session.until(cluster, "three", (object) => conditionOf(object, "Joined") === "True");
      await hold("last", "rollcall-three");
      await agent.stop();
      await session.api.mergePatch(
        one(cluster, "three"),
        { metadata: { annotations: { [annotationKeys.leave]: "c0ffee".padEnd(40, "0") } } },
        { fieldManager: "test" },
      );
      await session.until(cluster, "three", (object) => textAt(object, "status", "leave", "phase") === "Waiting");
      for (const ref of [report, heartbeat])
        await patch(as("last"), ref, { metadata: { labels: null, managedFields: [{}] } });
      session.shiftHubTime(2 * 3600_000);
      await session.untilDeleted(cluster, "three");
      session.shiftHubTime(0);
      for (const ref of [report, heartbeat]) expect(await session.api.get(ref)).toBeUndefined();
    });

    it("A100: keep no cluster that leaves by a report that no status can hold", async () => {
      await hold("leaving", "rollcall-two");
      const url = `https://eyJhbGciOi${"x".repeat(20)}`;
      await patch(as("leaving"), one(clusterReport, "two"), { spec: { apiServer: { url } } });
      await session.api.mergePatch(
        one(cluster, "two"),
        { metadata: { annotations: { "rollcall.dev/leave": "c0ffee".padEnd(40, "0") } } },
        { fieldManager: "test" },
      );
      await session.untilDeleted(cluster, "two");
      expect(await session.get(serviceAccount, "rollcall-two.recovery")).toBeUndefined();
    });
  });
}

function clusterWide(agentNamespace: string): string[] {
  return [
    "get,list /nodes",
    "get /namespaces kube-system",
    `delete,get /namespaces ${agentNamespace}`,
    `delete,get,patch rbac.authorization.k8s.io/clusterroles,clusterrolebindings rollcall-agent.${agentNamespace}`,
  ];
}

function describeRule(rule: unknown): string {
  const list = (key: string) => textsAt(rule, key);
  return `${[...list("verbs")].sort().join(",")} ${list("apiGroups").join(",")}/${list("resources").join(",")} ${list("resourceNames").join(",")}`.trimEnd();
}

async function refused(tries: readonly Promise<unknown>[]): Promise<void> {
  for (const [index, outcome] of (await Promise.allSettled(tries)).entries())
    expect(outcome, `try ${index}`).toMatchObject({ status: "rejected", reason: { code: "E_KUBE_FORBIDDEN" } });
}
