import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubeApi } from "../../src/kube/kube.ts";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { tellFleetStory } from "../e2e/fleet-story.ts";
import type { ExampleFleetPlane } from "../support/example-fleet-plane.ts";
import { startExampleFleetPlane } from "../support/example-fleet-plane.ts";
import type { Deed } from "../support/random-deeds.ts";
import {
  agentProcesses,
  delay,
  exampleClusters,
  expectOneOfEach,
  killIfThere,
  randomDeeds,
} from "../support/random-deeds.ts";
import { runRollcall } from "../support/rollcall-process.ts";
import type { RunningProgram } from "../support/run-program.ts";
import { isReady } from "../support/running-fleet.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { until } from "../support/until.ts";

const killCount = 50;
const seed = Number(process.env["ROLLCALL_TEST_SEED"] ?? "20");
const deedsByChance: readonly Deed[] = [
  ...(["push a label", "push a label", "label by hand", "label by hand"] as const),
  ...(["delete by hand", "delete by hand", "let go", "take back", "take back"] as const),
];

describe("rollcall run on a real kube-apiserver", () => {
  let stage: ExampleFleetPlane;

  beforeAll(async () => {
    stage = await startExampleFleetPlane();
    await stage.startDaemon();
    await untilAllReady();
  }, 170_000);
  afterAll(async () => stage?.close());

  tellFleetStory(() => stage.fleet);

  async function untilAllReady(): Promise<void> {
    await until(
      () => stage.fleet.listClusters(),
      (clusters) => clusters.length === exampleClusters.length && clusters.every(isReady),
      90_000,
    );
  }
});

describe("kill -9 on a real kube-apiserver", () => {
  let stage: ExampleFleetPlane;

  beforeAll(async () => {
    stage = await startExampleFleetPlane();
  }, 170_000);
  afterAll(async () => stage?.close());

  it(
    `of the daemon and of agents at random moments, ${killCount} times amid pushes, drift, deletions by hand and leaves (seed ${seed}), loses and duplicates nothing`,
    { timeout: 300_000 },
    async () => {
      const { fleet, session } = stage;
      const random = seededRandom(seed);
      const deeds = randomDeeds(fleet, random);
      let daemon: RunningProgram | undefined;
      for (let kills = 0; kills < killCount; kills++) {
        daemon ??= await stage.startDaemon();
        await delay(100 + random() * 1900);
        const deed = random() < 0.7 ? deedsByChance[Math.floor(random() * deedsByChance.length)] : undefined;
        if (deed) await deeds.do(deed);
        const agents = await agentProcesses(session.folder);
        const agent = agents[Math.floor(random() * agents.length)];
        if (agent !== undefined && random() < 0.5) {
          killIfThere(agent);
          continue;
        }
        await daemon.end("SIGKILL");
        daemon = undefined;
      }
      daemon ??= await stage.startDaemon();
      const round = await deeds.settle();
      await until(
        () => fleet.listClusters(),
        (clusters) =>
          clusters.length === exampleClusters.length &&
          clusters.every((cluster) => isReady(cluster) && cluster.metadata.labels?.["round"] === round),
        90_000,
      );
      await until(
        () => runRollcall(["plan", "--kubeconfig", fleet.hubKubeconfigPath]),
        ({ stdout }) => stdout.includes("nothing changes"),
        60_000,
      );
      await expectOneOfEach(fleet.hub, round);
      for (const name of exampleClusters) await expectOneAgent(await fleet.downstreamApi(name));
    },
  );
});

/** One Deployment with one Pod that is ready, also after what killed it. */
async function expectOneAgent(downstream: KubeApi): Promise<void> {
  try {
    const pods = await until(
      async () => (await downstream.list(resourceTypes.pod)).items,
      (items) =>
        items.every((pod) =>
          objectsAt(pod, "status", "conditions").some(
            (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
          ),
        ),
      60_000,
    );
    expect(pods).toHaveLength(1);
    expect((await downstream.list(resourceTypes.deployment)).items).toHaveLength(1);
  } finally {
    await downstream.close();
  }
}
