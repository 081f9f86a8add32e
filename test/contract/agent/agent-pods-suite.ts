import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectAt } from "../../../src/core/read-json.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { installationObjects, renderManifest } from "../../../src/join/rollcall/manifests/agent-manifest.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";

const namespace = "agent-pods";
const writing = { fieldManager: "test" };
const container = { name: "c", image: "rollcall:0.1.0" };

/** Which Pods a cluster admits in the namespace of an agent that was installed into it. */
export function describeAgentPods(name: string, startCluster: () => Promise<HubUnderTest>): void {
  describe(`the Pods beside an agent on ${name}`, () => {
    let cluster: HubUnderTest;
    let api: KubeApi;
    const manifest = renderManifest({ namespace, image: "rollcall:0.1.0", settings: {}, deadlineSeconds: 600 });
    const deployment = manifest.objects.find(({ kind }) => kind === "Deployment");
    beforeAll(async () => {
      cluster = await startCluster();
      api = apiOf(readKubeconfig(cluster.kubeconfig));
      for (const object of installationObjects(manifest, undefined)) await api.apply(object, writing);
    });
    afterAll(async () => {
      await api.delete({ type: resourceTypes.namespace, name: namespace });
      await api.close();
      await cluster.stop();
    });
    const create = (spec: unknown): Promise<KubeObject> =>
      api.create(
        { apiVersion: "v1", kind: "Pod", metadata: { generateName: "p-", name: "", namespace }, spec },
        writing,
      );

    it("are admitted as its Deployment makes them", async () => {
      const spec = objectAt(deployment, "spec", "template", "spec");
      await expect(create(spec)).resolves.toMatchObject({ kind: "Pod" });
    });

    it.each<readonly [string, object]>([
      ["is privileged", { containers: [{ ...container, securityContext: { privileged: true } }] }],
      ["has the files of its node", { containers: [container], volumes: [{ name: "v", hostPath: { path: "/" } }] }],
      ["sees the processes of its node", { containers: [container], hostPID: true }],
      ["is in the node's network", { containers: [container], hostNetwork: true }],
      ["runs as root", { containers: [{ ...container, securityContext: { runAsUser: 0 } }] }],
    ])("A146 are refused where one %s, which the hub could put into its Deployment", async (_what, spec) => {
      await expect(create(spec)).rejects.toMatchObject({ code: "E_KUBE_FORBIDDEN" });
    });
  });
}
