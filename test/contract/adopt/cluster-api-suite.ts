import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { isAppError } from "../../../src/core/errors.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { defaultAgentNamespace } from "../../../src/model/dialects/rollcall.ts";
import { clusterApiSecret } from "../../support/cluster-api-secret.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { until } from "../../support/until.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { RunningAgent } from "../agent/fleet-session.ts";
import { startAgent } from "../agent/fleet-session.ts";
import { openImportStage, untilReady } from "./suite.ts";
import type { ImportStage } from "./suite.ts";

const group = "cluster.x-k8s.io";
const manager = { fieldManager: "capi-manager" };

/** `rollcall import cluster-api`, on a hub that has Cluster API's kind in one version, and a cluster that it made. */
export function describeClusterApiImport(
  hubName: string,
  startHub: () => Promise<HubUnderTest>,
  { version, startCluster }: { readonly version: "v1beta1" | "v1beta2"; readonly startCluster: typeof startHub },
): void {
  describe(`rollcall import cluster-api, of ${version}, on ${hubName}`, () => {
    let stage: ImportStage;
    /** That of Cluster API's controllers, which knows their kind. */
    let theirApi: KubeApi;
    const type: ResourceType = { group, version, kind: "Cluster", plural: "clusters", isNamespaced: true };
    const id = randomUUID().slice(0, 6);
    const [first, later, last] = [`first-${id}`, `later-${id}`, `last-${id}`];

    beforeAll(async () => {
      stage = await openImportStage(
        async () => {
          const hub = await startHub();
          const transport = createUndiciTransport(readKubeconfig(hub.kubeconfig));
          theirApi = createKubeApi({ transport, clock: realClock, random: realRandom, types: [type] });
          return hub;
        },
        (api) => installKind(api, type),
      );
      await makeCluster(first, {
        env: "prod",
        "topology.cluster.x-k8s.io/owned": "",
        "app.kubernetes.io/instance": "capi",
        "kustomize.toolkit.fluxcd.io/name": "infra",
      });
    });
    afterAll(async () => {
      await stage?.session.stopDaemon();
      await theirApi?.close();
      await stage?.close();
    });

    it("writes a file that names the kubeconfig which Cluster API keeps, and changes nothing", async () => {
      const before = await stage.session.get(type, first);
      const { text } = await stage.runImport("cluster-api");
      expect(await stage.fileText(pathOf(first)), text).toBe(
        [
          "apiVersion: rollcall.dev/v1alpha1",
          "kind: Cluster",
          "metadata:",
          `  name: ${first}`,
          `  namespace: ${stage.session.workspace}`,
          "  labels:",
          "    env: prod",
          "spec:",
          "  kubeConfigSecretRef:",
          `    name: ${first}-kubeconfig`,
          "",
        ].join("\n"),
      );
      expect(text).toContain("docs/protocols/cluster-api.md");
      expect(await stage.session.get(type, first)).toEqual(before);
    });

    it("is followed by a run that declares the cluster and waits for its Secret; Cluster API's object stays as it is", async () => {
      const { session } = stage;
      const before = await session.get(type, first);
      await stage.commitFiles();
      await session.startDaemon();
      expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
      const seen = await until(
        () => session.get(resourceTypes.cluster, first),
        (object) => conditionOf(object, "Ready") !== undefined,
      );
      expect(conditionOf(seen, "Ready")).not.toBe("True");
      expect(JSON.stringify(seen?.["status"])).toContain(`${first}-kubeconfig`);
      expect(await session.settle()).toMatchObject({ isApplied: true, changeCount: 0 });
      await session.stopDaemon();
      expect(await session.get(type, first)).toEqual(before);
    });

    it("joins the cluster by the kubeconfig that Cluster API keeps, once its Secret is there", async () => {
      const { session } = stage;
      const made = await startCluster();
      const madeApi = apiOf(readKubeconfig(made.kubeconfig));
      const place = { type: resourceTypes.deployment, namespace: defaultAgentNamespace, name: "rollcall-agent" };
      let agent: RunningAgent | undefined;
      try {
        await session.startDaemon();
        const object = await session.get(type, first);
        if (object === undefined) throw new Error("Cluster API's object is gone");
        const secret = clusterApiSecret(object, made.kubeconfig);
        await session.api.create(secret, manager);
        await until(
          () => madeApi.get(place),
          (deployment) => deployment !== undefined,
        );
        const caBundle = (await readKubeconfig(made.kubeconfig).getTls()).caPem ?? "";
        agent = await startAgent(madeApi, { url: madeApi.server, caBundle }, place.namespace, {});
        const ready = await untilReady(session, first);
        expect(ready.metadata.labels).toMatchObject({ env: "prod" });
        const kept = await session.get(resourceTypes.secret, `${first}-kubeconfig`);
        expect(kept).toMatchObject({ type: "cluster.x-k8s.io/secret", data: secret["data"] });
        expect(kept?.metadata.labels).toEqual(secret.metadata.labels);
        expect(await session.get(type, first)).toEqual(object);
      } finally {
        await agent?.stop();
        await session.stopDaemon();
        await madeApi.close();
        await made.stop();
      }
    });

    it("leaves alone what the fleet has", async () => {
      const { text } = await stage.runImport("cluster-api", { "dry-run": true });
      expect(text).toContain(`not imported: Cluster/${stage.session.workspace}/${first}: Rollcall has it already`);
      expect(text).not.toContain(`# ${pathOf(first)}`);
    });

    it("with --watch continues: a new cluster becomes a file, a deleted one is named, and a stop ends it", async () => {
      const ending = new AbortController();
      let printed = "";
      const ended = stage.runImport(
        "cluster-api",
        { watch: true },
        { signal: ending.signal, onText: (part) => (printed += part) },
      );
      const printedText = (): Promise<string> => Promise.resolve(printed);
      try {
        await Promise.race([until(printedText, (text) => text.includes("Watching for new clusters")), ended]);
        await makeCluster(later, {});
        await until(printedText, (text) => text.includes(pathOf(later)));
        expect(await stage.fileText(pathOf(later))).toContain(`name: ${later}-kubeconfig`);
        await stage.session.api.delete({ type, namespace: stage.session.workspace, name: later });
        await until(printedText, (text) => text.includes(`deleted: Cluster/${stage.session.workspace}/${later};`));
        // It has the same name and is another one: the existing file declares the same.
        await makeCluster(later, {});
        await makeCluster(last, {});
        await until(printedText, (text) => text.includes(pathOf(last)));
      } finally {
        ending.abort();
      }
      expect((await ended).code, printed).toBe(0);
      expect(printed).not.toContain("not written");
      expect(printed.split(pathOf(later))).toHaveLength(2);
    });

    function pathOf(name: string): string {
      return `clusters/${stage.session.workspace}/${name}.yaml`;
    }

    function makeCluster(name: string, labels: Record<string, string>): Promise<KubeObject> {
      const metadata = { name, namespace: stage.session.workspace, labels };
      return theirApi.create({ apiVersion: `${group}/${version}`, kind: "Cluster", metadata, spec: {} }, manager);
    }
  });
}

async function installKind(api: KubeApi, type: ResourceType): Promise<void> {
  const schema = {
    openAPIV3Schema: { type: "object", properties: { spec: { type: "object" }, status: { type: "object" } } },
  };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `clusters.${group}` },
    spec: {
      group,
      names: { kind: "Cluster", listKind: "ClusterList", plural: "clusters", singular: "cluster" },
      scope: "Namespaced",
      versions: [{ name: type.version, served: true, storage: true, schema }],
    },
  };
  await api.create(crd, manager);
  await until(
    () =>
      api.list(type).then(
        () => true,
        (error: unknown) => {
          if (isAppError(error, "E_KUBE_NOT_FOUND", "E_KUBE_THROTTLED")) return false;
          throw error;
        },
      ),
    (isServed) => isServed,
  );
}
