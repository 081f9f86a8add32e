import { afterAll, beforeAll, describe, it } from "vitest";
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
import type { RunningFleet } from "../support/running-fleet.ts";
import { untilAllReady } from "../support/running-fleet.ts";
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
    await untilAllReady(stage.fleet, exampleClusters);
  });
  afterAll(async () => stage?.close());

  tellFleetStory(() => stage.fleet);
});

describe("kill -9 on a real kube-apiserver", () => {
  let stage: ExampleFleetPlane;

  beforeAll(async () => {
    stage = await startExampleFleetPlane();
  });
  afterAll(async () => stage?.close());

  it(
    `of the daemon and of agents at random moments, ${killCount} times amid pushes, drift, manual deletions and removals (seed ${seed}), loses and duplicates nothing`,
    { timeout: 600_000 },
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
      await untilAllReady(fleet, exampleClusters, { round });
      await until(
        () => runRollcall(["plan", "--kubeconfig", fleet.hubKubeconfigPath]),
        ({ stdout }) => stdout.includes("nothing changes"),
      );
      await expectOneOfEach(fleet.hub, round);
      for (const name of exampleClusters) await expectOneAgent(fleet, name);
    },
  );
});

/** One Deployment with one Pod that is ready, also after what killed it. */
async function expectOneAgent(fleet: RunningFleet, cluster: string): Promise<void> {
  const downstream = await fleet.downstreamApi(cluster);
  try {
    await until(
      async () => [
        ...(await downstream.list(resourceTypes.deployment)).items.map(({ metadata }) => metadata.name),
        ...(await downstream.list(resourceTypes.pod)).items.map((pod) => {
          const ready = objectsAt(pod, "status", "conditions").find(({ type }) => type === "Ready");
          return `a Pod, Ready=${textAt(ready, "status")}`;
        }),
      ],
      (seen) => seen.join() === "rollcall-agent,a Pod, Ready=True",
    );
  } catch (error) {
    const told = (await fleet.told())
      .split("\n")
      .filter((line) => line.includes(cluster) || line.includes('"level":"warn"'));
    throw new Error(`${cluster}: ${String(error)}\n${told.slice(-40).join("\n")}`, { cause: error });
  } finally {
    await downstream.close();
  }
}
