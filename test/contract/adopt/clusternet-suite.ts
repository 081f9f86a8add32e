import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { applyCrds } from "../../../src/install/install-crds.ts";
import { objectAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { clusternetCrds } from "../../../src/model/generated/clusternet-crds.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import { forgetClusternet, letInByClusternet } from "../../support/clusternet-controllers.ts";
import type { LetInByClusternet } from "../../support/clusternet-controllers.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import { openImportStage, untilReady } from "./suite.ts";
import type { ImportStage } from "./suite.ts";

const {
  cluster,
  clusterRole,
  clusterRoleBinding,
  managedCluster,
  namespace: namespaceType,
  registrationRequest,
} = resourceTypes;
const { role, roleBinding, serviceAccount } = resourceTypes;
const hubTaint = { key: "clusters.clusternet.io/unschedulable", effect: "NoSchedule", value: "ManagedClusterNotReady" };
const ownTaint = { key: "edge", effect: "NoSchedule", value: "yes" };

/** `rollcall import clusternet` and the run after it, on a hub that Clusternet's controllers kept until now. */
export function describeClusternetImport(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`rollcall import clusternet, on ${hubName}`, () => {
    let stage: ImportStage;
    let old: LetInByClusternet;
    let path: string;
    const name = `c-${randomUUID().slice(0, 6)}`;
    const waiting = `clusternet-${randomUUID()}`;
    const group = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterGroup", metadata: { name: "all" } };
    const before = new Map<string, KubeObject | undefined>();

    beforeAll(async () => {
      stage = await openImportStage(startHub, installDefinitions);
      const { api } = stage.session;
      old = await letInByClusternet(stage.session, name, { env: "prod" });
      path = `clusters/${old.home}/${name}.yaml`;
      const ref = { type: managedCluster, namespace: old.home, name };
      const taints = [ownTaint, hubTaint];
      await api.mergePatch(ref, { spec: { taints } }, { fieldManager: "clusternet-controller-manager" });
      expect((await old.agent.heartbeat({ nodeLabels: { "node.clusternet.io/zone": "a" } })).status).toBe(200);
      await api.create(
        {
          apiVersion: "clusters.clusternet.io/v1beta1",
          kind: "ClusterRegistrationRequest",
          metadata: { name: waiting },
          spec: { clusterId: waiting.slice("clusternet-".length), clusterName: "late", syncMode: "Pull" },
        },
        { fieldManager: "clusternet-agent" },
      );
    });
    afterAll(async () => {
      await stage?.session.stopDaemon();
      if (old) await forgetClusternet(stage.session.api, old);
      await stage?.session.api.delete({ type: registrationRequest, name: waiting });
      await stage?.close();
    });

    it("writes the cluster as it is, without what agent and controllers write again, and changes nothing", async () => {
      for (const [key, object] of await readKept()) before.set(key, object);
      const { text } = await stage.runImport("clusternet", { workspace: stage.session.workspace });
      expect(parse(await stage.fileText(path)), text).toEqual({
        apiVersion: "clusters.clusternet.io/v1beta1",
        kind: "ManagedCluster",
        metadata: {
          name,
          namespace: old.home,
          labels: { env: "prod" },
          annotations: { "rollcall.dev/adopt": "true" },
        },
        spec: { clusterId: old.clusterId, clusterType: "StandardCluster", syncMode: "Dual", taints: [ownTaint] },
      });
      expect(text).toContain(
        `not imported: ClusterRegistrationRequest/clusternet-${old.clusterId}: it was approved; ManagedCluster/${old.home}/${name} represents it`,
      );
      expect(text).toContain(`not imported: ClusterRegistrationRequest/${waiting}: it has no answer`);
      expect(text).toContain(`docs/protocols/moving-from-clusternet.md`);
      await expectUnchanged((object) => object);
    });

    it("is followed by a run that leaves it to Clusternet's controllers, and shows how it is", async () => {
      const { session } = stage;
      await stage.commitFiles(old.home);
      await session.startDaemon({ serves: [{ name: "clusternet", controllers: "External" }] });
      expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
      expect(await beatsOn()).toBe(true);
      const seen = await untilReady(session, name);
      expect(conditionOf(seen, "CredentialsValid")).toBe("Unknown");
      await expectUnchanged(whatAgentsSee);
      const home = await session.api.get({ type: namespaceType, name: old.home });
      expect(home?.metadata.labels).toEqual(before.get("its namespace")?.metadata.labels);
      expect(await session.settle()).toMatchObject({ isApplied: true, changeCount: 0 });
      await session.stopDaemon();
    });

    it("is followed by a run that adopts it, while its agent works on", async () => {
      const { session } = stage;
      const spec = { selector: { names: ["*"] } };
      await session.repository.commit({ files: { "group.yaml": JSON.stringify({ ...group, spec }) } });
      await session.startDaemon({ serves: [{ name: "clusternet", controllers: "Rollcall" }] });
      expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
      expect(await beatsOn()).toBe(true);
      await untilReady(session, name);
      // No controller is left that removes the other taint.
      await until(
        () => session.get(managedCluster, name, old.home),
        (managed) => objectsAt(managed, "spec", "taints").length === 1,
      );
      await until(
        () => session.api.get({ type: namespaceType, name: old.home }),
        (home) => home?.metadata.labels?.["rollcall.dev/cluster"] === name,
      );
      await expectUnchanged((object) => withoutTaints(whatAgentsSee(object)));
      expect(await session.settle()).toMatchObject({ isApplied: true, changeCount: 0 });
    });

    it("lets its agent start again with what it has from Clusternet", async () => {
      expect(await old.agent.restart()).toBe(true);
      expect(await beatsOn()).toBe(true);
    });

    it("gives it an account of Rollcall's by a token, once its former request is deleted", async () => {
      const { session } = stage;
      const { workspace, endpoint, repository } = session;
      const spec = { protocol: "clusternet", clusterNames: [name] };
      const door = {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "ClusterRegistrationToken",
        metadata: { name: "door" },
      };
      await repository.commit({ files: { "door.yaml": JSON.stringify({ ...door, spec }) } });
      await session.settle();
      const values = await until(
        async () => textAt(await session.get(resourceTypes.secret, "door"), "data", name) ?? "",
        (text) => text !== "",
      );
      const said: unknown = parse(Buffer.from(values, "base64").toString("utf8"));
      const agent = new ClusternetAgentClient({
        server: endpoint.url,
        ca: endpoint.caBundle,
        token: textAt(said, "registrationToken") ?? "",
        clusterId: old.clusterId,
        clusterName: name,
        labels: { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "door" },
      });
      expect((await agent.ask(old.agent.answer?.token)).status).toBe(403);
      await session.api.delete({ type: registrationRequest, name: agent.requestName });
      expect((await agent.ask()).status).toBe(201);
      await until(
        () => agent.look(),
        (isIn) => isIn,
      );
      expect(agent.answer?.namespace).toBe(old.home);
      expect(agent.answer?.token).not.toBe(old.agent.answer?.token);
      const place = { namespace: old.home };
      await session.api.delete({ type: serviceAccount, ...place, name: old.account });
      for (const type of [role, roleBinding])
        await session.api.delete({ type, ...place, name: "clusternet-managedcluster-role" });
      for (const type of [clusterRole, clusterRoleBinding]) await session.api.delete({ type, name: agent.requestName });
      expect((await agent.heartbeat({ nodeLabels: { "node.clusternet.io/zone": "a" } })).status).toBe(200);
      expect(await agent.restart()).toBe(true);
      expect((await agent.heartbeat({ nodeLabels: { "node.clusternet.io/zone": "a" } })).status).toBe(200);
      await untilReady(session, name);
    });

    it("has nothing left to take after that", async () => {
      const { text } = await stage.runImport("clusternet", { "dry-run": true });
      expect(text).toContain(`not imported: ManagedCluster/${old.home}/${name}: Rollcall has it already`);
      expect(text).not.toContain(`# ${path}`);
    });

    it("deletes it with its file, and keeps what was there before Rollcall", async () => {
      const { session } = stage;
      await session.repository.commit({
        files: { [path]: null },
        message: "Let it go\n\nRollcall-Allow-Deletions: 1\n",
      });
      await session.settle();
      await until(
        async () => [await session.get(cluster, name), await session.get(managedCluster, name, old.home)],
        (left) => left.every((object) => object === undefined),
      );
      const home = await session.api.get({ type: namespaceType, name: old.home });
      expect(home?.metadata.uid).toBe(before.get("its namespace")?.metadata.uid);
      expect(home?.metadata.deletionTimestamp).toBeUndefined();
    });

    /** It reads its answer with the credential that it has, and heartbeats. */
    async function beatsOn(): Promise<boolean> {
      const nodeLabels = { "node.clusternet.io/zone": "a" };
      return (await old.agent.look()) && (await old.agent.heartbeat({ nodeLabels })).status === 200;
    }

    function whatAgentsSee({ metadata: { uid }, ...rest }: KubeObject): Record<string, unknown> {
      const spec = objectAt(rest, "spec");
      return { uid, spec, rules: rest["rules"], subjects: rest["subjects"], status: textAt(rest, "status", "result") };
    }

    function withoutTaints({ spec, ...rest }: Record<string, unknown>): unknown {
      return { ...rest, spec: { ...(spec as object | undefined), taints: undefined } };
    }

    async function readKept(): Promise<[string, KubeObject | undefined][]> {
      const { session } = stage;
      const { home, account } = old;
      const request = `clusternet-${old.clusterId}`;
      return [
        ["the ManagedCluster", await session.get(managedCluster, name, home)],
        ["its namespace", await session.api.get({ type: namespaceType, name: home })],
        ["its request", await session.api.get({ type: registrationRequest, name: request })],
        ["the agent's right to its request", await session.api.get({ type: clusterRole, name: request })],
        ["the agent's account", await session.get(serviceAccount, account, home)],
        ["its role", await session.get(role, "clusternet-managedcluster-role", home)],
        ["its binding", await session.get(roleBinding, "clusternet-managedcluster-role", home)],
      ];
    }

    async function expectUnchanged(view: (object: KubeObject) => unknown): Promise<void> {
      for (const [key, now] of await readKept()) {
        const then = before.get(key);
        expect(then, key).toBeDefined();
        expect(now && view(now), key).toEqual(then && view(then));
      }
    }
  });
}

/** What Clusternet's own installation brings; nothing of Rollcall's. */
async function installDefinitions(api: KubeApi, signal: AbortSignal): Promise<void> {
  await applyCrds(api, clusternetCrds, { isForeignKept: true, signal });
}
