import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentProcess } from "../../support/agent-process.ts";
import { readDeployedContainer } from "../../support/deployed-container.ts";
import { fleetAgentBinary, startFleetAgent } from "../../support/fleet-agent-process.ts";
import { foreignCharts, whyNoForeignChart } from "../../support/foreign-charts.ts";
import type { HubPlace, HubUnderTest } from "../../support/hub-under-test.ts";
import { typeIntoShell } from "../../support/shell.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "../daemon/daemon-session.ts";
import { openDaemonSession } from "../daemon/daemon-session.ts";

const why = whyNoForeignChart("fleet", fleetAgentBinary);
const system = "cattle-fleet-system";
const onHub = "kubectl --kubeconfig hub.kubeconfig -n clusters";

const token = `kind: ClusterRegistrationToken
apiVersion: "fleet.cattle.io/v1alpha1"
metadata:
  name: new-token
  namespace: clusters
spec:
  ttl: 240h
`;
const predefined = `kind: Cluster
apiVersion: fleet.cattle.io/v1alpha1
metadata:
  name: my-cluster
  namespace: clusters
spec:
  clientID: "really-random"
`;

/** What Fleet's page about tokens has its reader type, with the chart and the agent that the reader has. */
export function describeRealChart(hub: HubPlace, member: HubPlace): void {
  describe.skipIf(why !== undefined)(
    `Fleet's own chart and agent in ${member.name}, on ${hub.name} (skipped: ${why ?? "no"})`,
    () => {
      let folder = "";
      let session: DaemonSession;
      let downstream: HubUnderTest;
      let agent: AgentProcess | undefined;
      const type = async (text: string): Promise<string> => {
        const typed = await typeIntoShell(text, { cwd: folder, kubeconfig: join(folder, "member.kubeconfig") });
        expect(typed.code, typed.output).toBe(0);
        return typed.output;
      };
      /** What a node of the member would do with the Deployment. */
      const startDeployed = async (): Promise<void> => {
        const deployed = await readDeployedContainer(downstream.kubeconfig, { namespace: system, name: "fleet-agent" });
        const { environment, kubeconfig: childKubeconfig } = deployed;
        agent = await startFleetAgent({ childKubeconfig, namespace: system, environment });
      };
      const listed = (name: RegExp): Promise<string> =>
        until(
          () => type(`${onHub} get clusters.fleet.cattle.io --no-headers`),
          (text) => name.test(text),
        );

      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), "rollcall-fleet-chart-"));
        const served = await hub.start();
        session = await openDaemonSession(served);
        downstream = await member.start();
        const files = { "hub.kubeconfig": served.kubeconfig, "member.kubeconfig": downstream.kubeconfig };
        const texts = { ...files, "token.yaml": token, "cluster.yaml": predefined };
        for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text, { mode: 0o600 });
        const metadata = { name: "clusters", labels: { "rollcall.dev/workspace": "true" } };
        await session.api.create({ apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager: "test" });
        await session.repository.commit({ files: { "README.md": "A fleet.\n" } });
        const spec = { workspaces: ["clusters"], defaultWorkspace: "clusters" };
        await session.startDaemon({
          spec: { ...spec, onHubObjects: [{ policy: "Commit" }] },
          serves: [{ name: "fleet", controllers: "Rollcall" }],
        });
        await session.settle();
      });
      afterAll(async () => {
        await agent?.stop();
        await session.close();
        await downstream.stop();
        await rm(folder, { recursive: true, force: true });
      });

      it("a token by kubectl apply, its values, and the chart as a template: Ready, and the token is a file", async () => {
        await type(`${onHub} apply -f token.yaml
          while ! ${onHub} get secret new-token; do sleep 1; done
          ${onHub} get secret new-token -o 'jsonpath={.data.values}' | base64 --decode > values.yaml`);
        const chart = `"${foreignCharts.fleet ?? ""}"`;
        await type(`kubectl create namespace ${system}
          helm -n ${system} template fleet-agent ${chart} --values values.yaml | kubectl -n ${system} apply -f -`);
        await startDeployed();
        await listed(/^cluster-[0-9a-f]{12} +0\/0 +\d{4}-\S+ *$/mu);
        await type(`${onHub} wait --for=condition=Ready clusters.fleet.cattle.io --all --timeout=30s`);
        const log = await session.repository.git("log", "--format=%an: %s", "--name-only", "main");
        expect(log).toContain("hub: create ClusterRegistrationToken clusters/new-token");
        expect(log).toContain("tokens/clusters/new-token.yaml\n");
      });

      it("a Cluster by kubectl apply is the one that helm installs an agent for with its clientID", async () => {
        await agent?.stop();
        await type(`helm -n ${system} template fleet-agent "${foreignCharts.fleet ?? ""}" --values values.yaml |
            kubectl -n ${system} delete --wait -f -
          kubectl delete namespace ${system} --wait`);
        await type(`${onHub} apply -f cluster.yaml`);
        await listed(/^my-cluster +0\/0/mu);
        await type(`CLUSTER_CLIENT_ID="really-random"
          CLUSTER_LABELS="--set-string labels.example=true --set-string labels.env=dev"
          SERVER="{.clusters[0].cluster.server}" CA="{.clusters[0].cluster.certificate-authority-data}"
          API_SERVER_URL=$(kubectl --kubeconfig hub.kubeconfig config view --raw -o jsonpath="$SERVER")
          API_SERVER_CA_DATA=$(kubectl --kubeconfig hub.kubeconfig config view --raw -o jsonpath="$CA" | base64 --decode)
          helm -n ${system} install --create-namespace $CLUSTER_LABELS --set clientID="$CLUSTER_CLIENT_ID" \\
            --values values.yaml --set apiServerCA="$API_SERVER_CA_DATA" --set apiServerURL="$API_SERVER_URL" \\
            fleet-agent "${foreignCharts.fleet ?? ""}"`);
        await startDeployed();
        await listed(/^my-cluster +0\/0 +\d{4}-\S+ *$/mu);
        await type(`${onHub} wait --for=condition=Ready clusters.fleet.cattle.io/my-cluster --timeout=30s`);
        const names = (await session.repository.fileNames("main")).sort();
        expect(names).toEqual(["README.md", "clusters/clusters/my-cluster.yaml", "tokens/clusters/new-token.yaml"]);
        const labels = await type(`${onHub} get clusters.fleet.cattle.io my-cluster -o jsonpath={.metadata.labels}`);
        expect(labels).not.toContain("example");
      });
    },
  );
}
