import { readFile, readdir, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../src/cli/connect-hub.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { makeTempFolder, runGit } from "../support/git-repositories.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import { seededRandom } from "../support/seeded-random.ts";

/** Kills in all, about half of each kind. Promise 5: stop anywhere. */
const killCount = 50;
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
      const fleet = join(dir, "fleet");
      let value = 0;
      let up: RollcallProcess | undefined;
      for (let kills = 0; kills < killCount; kills++) {
        up ??= startRollcall(["up", "--dir", dir]);
        await delay(100 + random() * 1900);
        if (random() < 0.4) value = await pushLabel(fleet, value + 1);
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

      const last = await runRollcall(["up", "--dir", dir, "--exit-when-healthy"]);
      expect(last, last.stdout + last.stderr).toMatchObject({ code: 0 });
      expect(await agentProcesses(dir)).toEqual([]);
      await expectOneOfEach(dir, String(value));
    },
  );
});

/** State after everything settled: read from a hub that is started alone on the same folder. */
async function expectOneOfEach(dir: string, value: string): Promise<void> {
  const server = startRollcall(["hub", "--dir", dir]);
  try {
    await server.whenPrinted(/The hub is ready/u);
    const api = apiOf(readKubeconfig(await readFile(join(dir, "hub.kubeconfig"), "utf8")));
    const clusters = (await api.list(resourceTypes.cluster)).items as unknown[] as Cluster[];
    expect(clusters).toHaveLength(3);
    for (const { metadata } of clusters) {
      expect(metadata.labels?.["round"], metadata.name).toBe(value);
      const { name, namespace = "" } = metadata;
      const owned = { namespace, labelSelector: `${labelKeys.cluster}=${name}` };
      const namesOf = async (type: (typeof resourceTypes)[keyof typeof resourceTypes]): Promise<string[]> =>
        (await api.list(type, owned)).items.map((object) => object.metadata.name);
      expect(await namesOf(resourceTypes.serviceAccount)).toEqual([`rollcall-${name}`, `rollcall-${name}.recovery`]);
      expect(await namesOf(resourceTypes.lease)).toEqual([`rollcall-${name}`]);
      expect(await namesOf(resourceTypes.clusterReport)).toEqual([name]);
      expect(await namesOf(resourceTypes.configMap)).toEqual([`rollcall-agent-${name}`, `rollcall-cluster-${name}`]);
    }
    await api.close();
  } finally {
    server.kill("SIGTERM");
    await server.finished;
  }
}

async function pushLabel(fleet: string, value: number): Promise<number> {
  for (const path of await readdir(join(fleet, "clusters"), { recursive: true })) {
    if (!path.endsWith(".yaml")) continue;
    const text = await readFile(join(fleet, "clusters", path), "utf8");
    const without = text.replaceAll(/^ {4}round: .*\n/gmu, "");
    await writeFile(join(fleet, "clusters", path), without.replace(/labels:\n/u, `labels:\n    round: "${value}"\n`));
  }
  await runGit(fleet, ["commit", "-q", "-a", "-m", `Round ${value}`]);
  await runGit(fleet, ["push", "-q"]);
  return value;
}

/** Pids of the agents that the nodes of `dir` run, found by their working folder; never by name alone. */
async function agentProcesses(dir: string): Promise<number[]> {
  const pids: number[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/u.test(entry)) continue;
    try {
      const [cwd, command] = await Promise.all([
        readlink(`/proc/${entry}/cwd`),
        readFile(`/proc/${entry}/cmdline`, "utf8"),
      ]);
      if (cwd.startsWith(join(dir, "clusters")) && command.includes("\0agent")) pids.push(Number(entry));
    } catch {
      // The process ended while it was looked at.
    }
  }
  return pids;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}

/** The random moment of a kill is the point of this test, not a synchronisation. */
async function delay(durationMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, durationMs));
}
