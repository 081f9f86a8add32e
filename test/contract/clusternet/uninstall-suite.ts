import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { runUninstall } from "../../../src/cli/commands/uninstall.ts";
import { textAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { until } from "../../support/until.ts";
import { clusterFile, openLifeSession, tokenFile } from "../life/life-session.ts";
import type { LifeSession } from "../life/life-session.ts";

const { clusterRole, clusterRoleBinding, deployment, managedCluster, registrationRequest } = resourceTypes;
const { secret, validatingAdmissionPolicy, validatingAdmissionPolicyBinding } = resourceTypes;
const outside = [
  ...[clusterRole, clusterRoleBinding, managedCluster, registrationRequest],
  ...[validatingAdmissionPolicy, validatingAdmissionPolicyBinding],
];

/** `rollcall uninstall --all` of a fleet of Clusternet's agents. No other test may use the hub: everything is deleted. */
export function describeClusternetUninstall(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`rollcall uninstall of Clusternet's agents on ${hubName}`, () => {
    let session: LifeSession;
    let downstream: HubUnderTest;
    let downstreamApi: KubeApi;
    let folder: string;
    let agent: ClusternetAgentClient;
    const place = { type: deployment, namespace: "clusternet-system", name: "clusternet-agent" };
    const namesOutside = async () => {
      const lists = await Promise.all(outside.map((type) => session.api.list(type)));
      const secrets = await session.api.list(secret, { namespace: "kube-system" });
      return [...lists.flatMap(({ items }) => items), ...secrets.items]
        .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
        .filter((name) => /rollcall|bootstrap-token|clusternet|ManagedCluster/u.test(name));
    };

    beforeAll(async () => {
      const hub = await startHub();
      session = await openLifeSession(hub);
      downstream = await embeddedHub();
      downstreamApi = apiOf(readKubeconfig(downstream.kubeconfig));
      folder = await mkdtemp(join(tmpdir(), "rollcall-uninstall-"));
      await writeFile(join(folder, "hub"), hub.kubeconfig, { mode: 0o600 });
      const data = { value: Buffer.from(downstream.kubeconfig, "utf8").toString("base64") };
      const metadata = { name: "kubeconfig", namespace: session.workspace };
      await session.api.create({ apiVersion: "v1", kind: "Secret", metadata, data }, { fieldManager: "test" });
      await session.startDaemon({
        serves: [{ name: "clusternet", controllers: "Rollcall", bootstrapTokens: true }],
      });
      await session.commit({
        "a.yaml": clusterFile("un-1", ["protocol: clusternet", "kubeConfigSecretRef: { name: kubeconfig }"]),
        "door.yaml": tokenFile("door", ["protocol: clusternet", "clusterNames: [un-2, un-3]"]),
      });
      const seen = await session.until(secret, "door", (found) => textAt(found, "data", "un-2") !== undefined);
      const said: unknown = parse(Buffer.from(textAt(seen, "data", "un-2") ?? "", "base64").toString("utf8"));
      agent = new ClusternetAgentClient({
        server: session.endpoint.url,
        ca: session.endpoint.caBundle,
        token: textAt(said, "registrationToken") ?? "",
        clusterId: randomUUID(),
        clusterName: "un-2",
        labels: { "rollcall.dev/workspace": session.workspace, "rollcall.dev/token": "door" },
      });
      expect((await agent.ask()).status).toBe(201);
      await until(
        () => agent.look(),
        (isIn) => isIn,
      );
      expect((await agent.heartbeat()).status).toBe(200);
      await session.untilReady("un-2");
      await until(
        () => downstreamApi.get(place),
        (found) => found !== undefined,
      );
      await session.stopDaemon();
    });
    afterAll(async () => {
      await session.close();
      await downstreamApi.close();
      await downstream.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it("removes the agent that the hub installed, every credential, and whatever holds agents to their clusters", async () => {
      expect((await namesOutside()).length).toBeGreaterThan(8);
      const { code, text } = await runCommand("uninstall", runUninstall, {
        options: {
          all: true,
          yes: true,
          kubeconfig: join(folder, "hub"),
          namespace: session.namespace,
          timeout: "100s",
        },
      });
      expect(code, text).toBe(0);
      expect(await downstreamApi.get(place)).toBeUndefined();
      // Clusternet's own controllers, where a user starts them again, are to answer any request.
      expect(await namesOutside()).toEqual([]);
      await until(
        async () => (await agent.heartbeat()).status,
        (status) => status === 401 || status === 403,
      );
    });
  });
}
