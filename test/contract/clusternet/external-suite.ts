import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { applyCrds } from "../../../src/install/install-crds.ts";
import { objectsAt, textAt, textsAt } from "../../../src/core/read-json.ts";
import { externalClusternetProtocol } from "../../../src/join/clusternet/hub/external-protocol.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { dedicatedNamespaceName } from "../../../src/model/dialects/clusternet.ts";
import { clusternetCrds } from "../../../src/model/generated/clusternet-crds.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import type { LetInByClusternet } from "../../support/clusternet-controllers.ts";
import { answerAsClusternet, forgetClusternet } from "../../support/clusternet-controllers.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";
import { openForeignHubSession } from "../../support/foreign-hub-session.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";

const { cluster, deployment, managedCluster, secret } = resourceTypes;

/** A hub that Clusternet's own controllers serve: Rollcall installs agents by kubeconfig, and reads how they are. */
export function describeExternalClusternet(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`agents for Clusternet's own controllers on ${hubName}`, () => {
    const name = `ext-${randomUUID().slice(0, 6)}`;
    const clusterId = randomUUID();
    const agentRef = { type: deployment, namespace: "clusternet-system", name: "clusternet-agent" };
    let session: ForeignHubSession;
    let downstream: HubUnderTest;
    let downstreamApi: KubeApi;
    let ca = "";
    let home = "";
    let agent: ClusternetAgentClient;
    let old: Omit<LetInByClusternet, "agent"> | undefined;
    const joined = (message: RegExp) =>
      session.eventually(`it says ${message.source}`, async () => {
        const conditions = objectsAt(await session.get(cluster, name), "status", "conditions");
        return message.test(
          textAt(
            conditions.find(({ type }) => type === "Joined"),
            "message",
          ) ?? "",
        );
      });
    const makeSecret = (secretName: string, data: Readonly<Record<string, string>>) =>
      session.api.create(
        {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: secretName, namespace: session.workspace },
          data: Object.fromEntries(
            Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
          ),
        },
        { fieldManager: "test" },
      );
    beforeAll(async () => {
      const installOnHub = (api: KubeApi, signal: AbortSignal) =>
        applyCrds(api, clusternetCrds, { isForeignKept: true, signal });
      session = await openForeignHubSession(await startHub(), { protocol: externalClusternetProtocol, installOnHub });
      ca = (await readKubeconfig(session.kubeconfig).getTls()).caPem ?? "";
      home = dedicatedNamespaceName(session.workspace, name);
      downstream = await embeddedHub();
      downstreamApi = apiOf(readKubeconfig(downstream.kubeconfig));
      await makeSecret("downstream", { value: downstream.kubeconfig });
      const kubeConfigSecretRef = { name: "downstream" };
      await session.declareCluster(name, {
        protocol: "clusternet",
        kubeConfigSecretRef,
        heartbeat: { periodSeconds: 30 },
      });
    });
    afterAll(async () => {
      if (old) await forgetClusternet(session.api, old);
      await downstreamApi.close();
      await session.close();
      await downstream.stop();
    });

    it("are not installed without a credential that those accept, and the condition names the remedy", async () => {
      await joined(/name it in spec\.clusternet\.bootstrapSecretRef, or install the agent yourself/u);
      const patch = { spec: { clusternet: { bootstrapSecretRef: { name: "door" } } } };
      const ref = { type: cluster, namespace: session.workspace, name };
      await session.api.mergePatch(ref, patch, { fieldManager: "rollcall-git" });
      await joined(/Secret members-\w+\/door with a credential for the agent does not exist/u);
      expect(await downstreamApi.get(agentRef)).toBeUndefined();
    });

    it("are installed as soon as there is one, for their own namespace of the hub", async () => {
      await makeSecret("door", { "token-id": "07401b", "token-secret": "f395accd246ae52d" });
      const found = await session.eventually("the agent is installed", () => downstreamApi.get(agentRef));
      const [container] = objectsAt(found, "spec", "template", "spec", "containers");
      expect(textsAt(container, "command").slice(1, 6)).toEqual([
        "--cluster-reg-parent-url=$(PARENT_URL)",
        "--cluster-reg-token=$(REG_TOKEN)",
        `--cluster-reg-name=${name}`,
        `--cluster-reg-namespace=${home}`,
        `--cluster-labels=rollcall.dev/cluster=${name},rollcall.dev/owner-workspace=${session.workspace}`,
      ]);
      const place = { type: secret, namespace: "clusternet-system", name: "clusternet-agent-cluster-registration" };
      const registration = await downstreamApi.get(place);
      const decode = (key: string) => Buffer.from(textAt(registration, "data", key) ?? "", "base64").toString("utf8");
      expect([decode("regToken"), decode("parentURL")]).toEqual(["07401b.f395accd246ae52d", session.api.server]);
    });

    it("are known by what the approver makes of them, and are Ready with their first report", async () => {
      const labels = { "rollcall.dev/cluster": name, "rollcall.dev/owner-workspace": session.workspace };
      const spec = { clusterId, clusterName: name, syncMode: "Pull", clusterNamespace: home, clusterLabels: labels };
      const group = { apiVersion: "clusters.clusternet.io/v1beta1", kind: "ClusterRegistrationRequest" };
      const metadata = { name: `clusternet-${clusterId}` };
      await session.api.create({ ...group, metadata, spec }, { fieldManager: "clusternet-agent" });
      const { token, ...answered } = await answerAsClusternet(
        { api: session.api, endpoint: { url: session.api.server, caBundle: ca } },
        { clusterId, name, syncMode: "Pull", labels, home },
      );
      old = answered;
      agent = new ClusternetAgentClient({
        server: session.api.server,
        ca,
        token,
        clusterId,
        clusterName: name,
        labels,
      });
      expect(await agent.look()).toBe(true);
      await session.eventually("it sends heartbeats", async () => (await agent.heartbeat()).status === 200);
      const ready = await session.eventually("it is ready", async () => {
        const seen = await session.get(cluster, name);
        return conditionOf(seen, "Ready") === "True" ? seen : undefined;
      });
      expect(ready["status"]).toMatchObject({
        kubernetesVersion: "v1.34.4",
        effective: { deletionPolicy: "Uninstall" },
      });
      const seen = await session.get(managedCluster, name, home);
      expect(seen?.["spec"]).toMatchObject({ clusterId, syncMode: "Pull" });
    });

    it("are removed when their cluster leaves; what the approver made stays, and so does the Secret", async () => {
      const ref = { type: cluster, namespace: session.workspace, name };
      const annotations = { "rollcall.dev/leave": "c".repeat(40) };
      await session.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
      await session.eventually("it is gone", async () => (await session.get(cluster, name)) === undefined);
      expect(await downstreamApi.get(agentRef)).toBeUndefined();
      expect(await session.get(managedCluster, name, home)).toBeUndefined();
      const stays = await session.api.get({ type: resourceTypes.namespace, name: home });
      expect(stays?.metadata.deletionTimestamp).toBeUndefined();
      expect(await session.get(secret, "door")).toBeDefined();
    });
  });
}
