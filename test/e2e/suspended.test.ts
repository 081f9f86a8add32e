import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { startKubeCache } from "../../src/kube/kube-cache.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import type { AgentProcess, HubProcess } from "../support/process-fleet.ts";
import { daemonNamespace, joinByToken, makeWorkspace, startHubProcess, workspace } from "../support/process-fleet.ts";
import { heartbeatSecondsOfThisMachine } from "../support/of-this-machine.ts";
import { delay } from "../support/random-deeds.ts";
import { realClock, realRandom } from "../support/real-time.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { startRollcall } from "../support/rollcall-process.ts";
import { until } from "../support/until.ts";

const { cluster, lease } = resourceTypes;
const periodSeconds = heartbeatSecondsOfThisMachine();
const windowMs = 3000 * periodSeconds;
/** Longer than a window, and than the Lease of a leader lasts. */
const suspendedMs = Math.max(11_000, windowMs + 1000);

const file = (kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { name }, spec });

// Hub, daemon and agent are processes: only a real one can be stopped as a laptop's lid stops it.
describe("a daemon that is suspended", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let hub: HubProcess;
  let daemon: RollcallProcess;
  let agent: AgentProcess;

  beforeAll(async () => {
    folder = await makeTempFolder();
    const repository = await createRepository(join(folder.path, "fleet.git"));
    await repository.commit({
      files: {
        "a.yaml": file("Cluster", "a", { clientID: "a", heartbeat: { periodSeconds } }),
        "token.yaml": file("ClusterRegistrationToken", "token", { clusterNames: ["a"] }),
      },
    });
    hub = await startHubProcess(join(folder.path, "hub"));
    await makeWorkspace(hub.api);
    daemon = startRollcall([
      ...["run", "--install-crds", "--repo", repository.path, "--kubeconfig", hub.kubeconfigPath],
      ...["--workspaces", workspace, "--default-workspace", workspace, "--cache-dir", join(folder.path, "cache")],
    ]);
    agent = await joinByToken(hub.api, { token: "token", name: "a", dir: join(folder.path, "agent") });
  });
  afterAll(async () => {
    daemon.kill("SIGTERM");
    await daemon.finished;
    await agent?.stop();
    await agent?.cluster.stop();
    await hub.stop();
    await folder.remove();
  });

  it("F27 reports no agent unresponsive that lives, also after it lost its Lease", async () => {
    const seen = new Set<string>();
    const watching = startKubeCache(
      hub.api,
      cluster,
      {
        namespace: workspace,
        onChange: ({ object }) => {
          const healthy = objectsAt(object, "status", "conditions").find(({ type }) => type === "Healthy");
          seen.add(`${textAt(healthy, "status")} ${textAt(healthy, "reason")}`);
        },
      },
      { clock: realClock, random: realRandom },
    );
    await until(async () => seen.has("True AgentReports"), Boolean);
    seen.clear();
    const heldBy = async (name: string): Promise<string | undefined> =>
      textAt(await hub.api.get({ type: lease, namespace: daemonNamespace, name }), "spec", "holderIdentity");
    const recorded = async (): Promise<string | undefined> =>
      textAt(
        await hub.api.get({ type: lease, namespace: daemonNamespace, name: "rollcall-watch" }),
        "spec",
        "renewTime",
      );
    const before = await recorded();
    daemon.kill("SIGSTOP");
    // Time passes: that is what is tried here.
    await delay(suspendedMs);
    daemon.kill("SIGCONT");
    await until(recorded, (now) => now !== before);
    await delay(windowMs + 1000);
    expect(await heldBy("rollcall-hub")).not.toBe("");
    expect([...seen].filter((what) => what !== "True AgentReports")).toEqual([]);
    await watching.stop();
  });
});
