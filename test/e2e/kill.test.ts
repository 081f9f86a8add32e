import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
import { agentProcesses, delay, expectOneOfEach, killIfThere, randomDeeds } from "../support/random-deeds.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import { openRunningFleet } from "../support/running-fleet.ts";
import { seededRandom } from "../support/seeded-random.ts";

/** Kills in all, about half of each kind. Promise 5: stop anywhere. */
const killCount = 30;
const seed = Number(process.env.ROLLCALL_TEST_SEED ?? "20");

describe("kill -9", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let dir: string;

  beforeAll(async () => {
    folder = await makeTempFolder();
    dir = join(folder.path, "demo");
    const first = await runRollcall(["up", "--dir", dir, "--exit-when-healthy"]);
    expect(first, first.stdout + first.stderr).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await folder.remove();
  });

  it(
    `of the daemon and of agents at random moments, ${killCount} times (seed ${seed}), loses and duplicates nothing`,
    { timeout: 280_000 },
    async () => {
      const random = seededRandom(seed);
      // Files only: a kill of the daemon of `up` kills its hub, too.
      const fleet = await openRunningFleet({
        hubKubeconfigPath: join(dir, "hub.kubeconfig"),
        workTree: join(dir, "fleet"),
        repositoryPath: join(dir, "fleet.git"),
        downstreamKubeconfig: (cluster) => readFile(join(dir, "clusters", `${cluster}.kubeconfig`), "utf8"),
        told: () => readFile(join(dir, "rollcall.log"), "utf8"),
      });
      const deeds = randomDeeds(fleet, random);
      let up: RollcallProcess | undefined;
      for (let kills = 0; kills < killCount; kills++) {
        up ??= startRollcall(["up", "--dir", dir]);
        await delay(100 + random() * 1900);
        if (random() < 0.4) await deeds.do("push a label");
        const agents = await agentProcesses(dir);
        const [agent] = agents;
        if (agent !== undefined && random() < 0.5) {
          killIfThere(agent);
          continue;
        }
        up.kill("SIGKILL");
        await up.finished;
        up = undefined;
      }
      up?.kill("SIGKILL");
      await up?.finished;
      const round = await deeds.settle();
      await fleet.close();

      const last = await runRollcall(["up", "--dir", dir, "--exit-when-healthy"]);
      expect(last, last.stdout + last.stderr).toMatchObject({ code: 0 });
      expect(await agentProcesses(dir)).toEqual([]);
      await expectSettled(dir, round);
    },
  );
});

/** State after everything settled: read from a hub that is started alone on the same folder. */
async function expectSettled(dir: string, round: string): Promise<void> {
  const server = startRollcall(["hub", "--dir", dir]);
  try {
    await server.whenPrinted(/The hub is ready/u);
    const api = apiOf(readKubeconfig(await readFile(join(dir, "hub.kubeconfig"), "utf8")));
    await expectOneOfEach(api, round);
    await api.close();
  } finally {
    server.kill("SIGTERM");
    await server.finished;
  }
}
