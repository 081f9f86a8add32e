import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { readValuesText } from "../../../src/join/rollcall/downstream/values.ts";
import { startKubeCache } from "../../../src/kube/kube-cache.ts";
import type { KubeCache } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { heartbeatSecondsOfThisMachine } from "../../support/of-this-machine.ts";
import { delay } from "../../support/random-deeds.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import type { Gate } from "../../support/tls-gate.ts";
import { openGate } from "../../support/tls-gate.ts";
import { until } from "../../support/until.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { SimulatedAgent } from "../agent/simulated-agent.ts";
import { startSimulatedAgent } from "../agent/simulated-agent.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const { cluster, lease, secret } = resourceTypes;
const names = ["alive", "dead"] as const;
const periodSeconds = heartbeatSecondsOfThisMachine();
/** Less than a window of three heartbeats: no life of the daemon is long enough to watch one. */
const lifeMs = 1200 * periodSeconds;
/** Far more than one window has. */
const mostLives = 20;

const file = (kind: string, name: string, spec: unknown): string =>
  JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { name }, spec });

/** A daemon that is killed before it has watched a window; the same on every hub. */
export function describeRestarts(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`a daemon that crashes in a loop, on ${hubName}`, () => {
    let session: DaemonSession;
    let gate: Gate;
    let watching: KubeCache;
    const agents = new Map<string, SimulatedAgent>();
    /** What Healthy was, by cluster. */
    const seen: Record<string, Set<string>> = { alive: new Set(), dead: new Set() };
    const healthy = async (name: string): Promise<string | undefined> =>
      conditionOf(await session.get(cluster, name), "Healthy");
    /** Nothing of it reaches the hub any more, as after kill -9. */
    const kill = async (): Promise<void> => {
      await gate.close();
      await session.stopDaemon();
      await gate.open();
    };

    beforeAll(async () => {
      const hub = await startHub();
      gate = await openGate(readKubeconfig(hub.kubeconfig).server);
      session = await openDaemonSession(hub, { daemonServer: gate.url });
      const files = names.map((name): [string, string] => [
        `${name}.yaml`,
        file("Cluster", name, { clientID: name, heartbeat: { periodSeconds } }),
      ]);
      const token = file("ClusterRegistrationToken", "token", { clusterNames: [...names] });
      await session.repository.commit({ files: { ...Object.fromEntries(files), "token.yaml": token } });
      await session.startDaemon();
      await session.settle();
      const filled = await until(
        async () => textAt(await session.get(secret, "token"), "data", "values"),
        (values) => values !== undefined,
      );
      const read = readValuesText(Buffer.from(filled ?? "", "base64").toString("utf8"));
      if (read.kind !== "values") throw new Error("the token's values are not complete");
      for (const name of names) agents.set(name, startSimulatedAgent(read.values, { name, clientID: name }));
      for (const name of names)
        await until(
          () => healthy(name),
          (status) => status === "True",
        );
      watching = startKubeCache(
        session.api,
        cluster,
        {
          namespace: session.workspace,
          onChange: ({ ref, object }) => void seen[ref.name]?.add(conditionOf(object, "Healthy") ?? ""),
        },
        { clock: realClock, random: realRandom },
      );
      await watching.whenSynced();
    });
    afterAll(async () => {
      await watching?.stop();
      for (const agent of agents.values()) await agent.stop();
      await session?.close();
      await gate?.stop();
    });

    it("F28 reports the agent that is dead, and none that lives", async () => {
      const record = await session.api.get({ type: lease, namespace: session.namespace, name: "rollcall-watch" });
      expect(textAt(record, "spec", "renewTime")).toBeDefined();
      await agents.get("dead")?.stop();
      // Without the record it stays True for ever. How many lives it takes is counted by hub/watched-time and hub/health: on a
      // busy machine a life watches less of its time.
      for (let lives = 0; lives < mostLives && (await healthy("dead")) === "True"; lives++) {
        await kill();
        await session.startDaemon();
        // Time passes: that is what is tried here.
        await delay(lifeMs);
      }
      expect(await healthy("dead")).toBe("Unknown");
      expect([...(seen["alive"] ?? [])]).toEqual(["True"]);
    });
  });
}
