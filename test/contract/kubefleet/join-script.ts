import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { objectsAt } from "../../../src/core/read-json.ts";
import { foreignCharts, whyNoForeignChart } from "../../support/foreign-charts.ts";
import { readDeployedContainer } from "../../support/deployed-container.ts";
import type { HubPlace, HubUnderTest } from "../../support/hub-under-test.ts";
import type { KubefleetAgentProcess } from "../../support/kubefleet-agent-process.ts";
import { kubefleetAgentBinary, startKubefleetAgent } from "../../support/kubefleet-agent-process.ts";
import { typeIntoShell } from "../../support/shell.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "../daemon/daemon-session.ts";
import { openDaemonSession } from "../daemon/daemon-session.ts";

const why = whyNoForeignChart("kubefleet", kubefleetAgentBinary);
/** KubeFleet's repository: the script is run from its root, where the script expects its chart. */
const checkout = resolve(foreignCharts.kubefleet ?? ".", "../..");
const member = "edge-by-script";
const system = "fleet-system";

/** KubeFleet's unchanged `join.sh`. The test replaces images: the script's docker and kind do nothing. */
export function describeJoinScript(hub: HubPlace, joining: HubPlace): void {
  describe.skipIf(why !== undefined)(
    `KubeFleet's join script from ${joining.name} to ${hub.name} (skipped: ${why ?? "no"})`,
    () => {
      let folder = "";
      let session: DaemonSession;
      let downstream: HubUnderTest;
      let agent: KubefleetAgentProcess | undefined;
      const type = async (text: string, cwd = folder): Promise<string> => {
        const environment = { HUB_CLUSTER_CONTEXT: "hub", MEMBER_CLUSTER_CONTEXT: "member", MEMBER_CLUSTER: member };
        const hubAddress = session.endpoint.url;
        const typed = await typeIntoShell(text, {
          cwd,
          kubeconfig: join(folder, "kubeconfig"),
          programs: [join(folder, "programs")],
          environment: { ...environment, HUB_CLUSTER_ADDRESS: hubAddress, FLEET_VERSION: "v0.0.0" },
        });
        expect(typed.code, typed.output).toBe(0);
        return typed.output;
      };

      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), "rollcall-join-script-"));
        const served = await hub.start();
        session = await openDaemonSession(served);
        downstream = await joining.start();
        await writeFile(
          join(folder, "kubeconfig"),
          contexts({ hub: served.kubeconfig, member: downstream.kubeconfig }),
          { mode: 0o600 },
        );
        await mkdir(join(folder, "programs"));
        for (const program of ["docker", "kind", "jq"]) {
          const path = join(folder, "programs", program);
          await writeFile(path, "#!/bin/sh\nexit 0\n");
          await chmod(path, 0o755);
        }
        await session.repository.commit({ files: { "README.md": "A fleet.\n" } });
        await session.startDaemon({
          spec: { onHubObjects: [{ kinds: ["MemberCluster"], policy: "Commit" }] },
          serves: [{ name: "kubefleet", controllers: "Rollcall" }],
        });
        await session.settle();
      });
      afterAll(async () => {
        await agent?.stop();
        await session.close();
        await downstream.stop();
        await rm(folder, { recursive: true, force: true });
      });

      it("comes to its last line, and the member is a file", async () => {
        const printed = await type("./hack/membership/join.sh", checkout);
        expect(printed).toContain("STATUS: deployed");
        await until(
          () => session.repository.fileNames("main"),
          (names) => names.some((name) => name.endsWith(`/${member}.yaml`)),
        );
      });

      it("the agent with what the chart deployed joins, and kubectl shows it", async () => {
        const deployed = await readDeployedContainer(downstream.kubeconfig, {
          namespace: system,
          name: "member-agent",
        });
        expect(deployed.environment).toMatchObject({ MEMBER_CLUSTER_NAME: member });
        expect(deployed.environment["HUB_CERTIFICATE_AUTHORITY"]).toBe(
          Buffer.from(session.endpoint.caBundle, "utf8").toString("base64"),
        );
        // The sidecar of the Deployment copies this Secret into the file that the agent reads.
        const secret = "kubectl --context member -n default get secret hub-kubeconfig-secret";
        const token = await type(`${secret} -o jsonpath={.data.token} | base64 --decode`);
        const { args, environment, kubeconfig: memberKubeconfig } = deployed;
        agent = await startKubefleetAgent({ memberKubeconfig, environment, token, args });
        await type("kubectl config use-context $HUB_CLUSTER_CONTEXT");
        const row = await until(
          () => type(`kubectl get membercluster ${member} --no-headers`),
          (text) => text.startsWith(`${member}   True`),
        );
        // NAME JOINED AGE MEMBER-AGENT-LAST-SEEN NODE-COUNT AVAILABLE-CPU AVAILABLE-MEMORY
        expect(row).toMatch(/^edge-by-script +True +\S+ +\S+ +\d+ +\S+ +\S+ *$/mu);
        for (const condition of ["ReadyToJoin", "Joined", "Healthy"])
          await type(`kubectl wait --for=condition=${condition} membercluster/${member} --timeout=30s`);
      });
    },
  );
}

/** One kubeconfig with a context for each of these. */
function contexts(kubeconfigs: Readonly<Record<string, string>>): string {
  const parts = Object.entries(kubeconfigs).map(([name, text]) => {
    const config: unknown = parse(text);
    const [cluster, user] = [objectsAt(config, "clusters")[0], objectsAt(config, "users")[0]];
    return {
      cluster: { ...cluster, name },
      user: { ...user, name },
      context: { name, context: { cluster: name, user: name } },
    };
  });
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: parts.map(({ cluster }) => cluster),
    users: parts.map(({ user }) => user),
    contexts: parts.map(({ context }) => context),
    "current-context": "hub",
  });
}
