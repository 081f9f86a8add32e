// What people and faults do to the example fleet while it runs, at random; and what must be there when they have stopped.
import { readFile, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect } from "vitest";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import type { RunningFleet } from "./running-fleet.ts";

/** Clusters of the example. */
export const exampleClusters = ["dev-us-1", "prod-eu-1", "staging-eu-1"] as const;
export type Deed = "push a label" | "label by hand" | "delete by hand" | "let go" | "take back";

export interface Deeds {
  /** Does it to a cluster that chance chooses. */
  readonly do: (deed: Deed) => Promise<void>;
  /** Declares every cluster again; resolves with the label `round` that all must have now. */
  readonly settle: () => Promise<string>;
}

export function randomDeeds(fleet: RunningFleet, random: () => number): Deeds {
  let round = 0;
  const absent = new Map<string, string>();
  const pick = (): string => exampleClusters[Math.floor(random() * exampleClusters.length)] ?? exampleClusters[0];
  const writeRound = async (): Promise<void> => {
    round++;
    for (const name of exampleClusters) {
      if (absent.has(name)) continue;
      const path = await fleet.fileOf(name);
      const without = (await readFile(path, "utf8")).replaceAll(/^ {4}round: .*\n/gmu, "");
      await writeFile(path, without.replace(/labels:\n/u, `labels:\n    round: "${round}"\n`));
    }
  };
  const takeBack = async (): Promise<void> => {
    const start = (await fleet.git("rev-list", "--max-parents=0", "HEAD")).trim();
    for (const path of absent.values()) await fleet.git("checkout", "-q", start, "--", path);
    absent.clear();
  };
  return {
    do: async (deed) => {
      const name = pick();
      switch (deed) {
        case "push a label":
          await writeRound();
          await fleet.push(`Round ${round}`);
          return;
        case "label by hand":
          return byHand(fleet, name, async (ref) => {
            await fleet.hub.mergePatch(
              ref,
              { metadata: { labels: { round: "by-hand" } } },
              { fieldManager: "kubectl" },
            );
          });
        case "delete by hand":
          return byHand(fleet, name, (ref) => fleet.hub.delete(ref));
        case "let go": {
          if (absent.has(name)) return;
          const path = await fleet.fileOf(name);
          await rm(path);
          absent.set(name, relative(fleet.workTree, path));
          await fleet.push(`Let ${name} go\n\nRollcall-Allow-Deletions: 9\n`);
          return;
        }
        case "take back":
          if (absent.size === 0) return;
          await takeBack();
          await writeRound();
          await fleet.push("Take all back");
      }
    },
    settle: async () => {
      await takeBack();
      await writeRound();
      await fleet.push("Settle");
      return String(round);
    },
  };
}

async function byHand(
  { readCluster }: RunningFleet,
  name: string,
  act: (ref: Parameters<KubeApi["delete"]>[0]) => Promise<void>,
): Promise<void> {
  const { namespace } = (await readCluster(name))?.metadata ?? {};
  if (namespace === undefined) return;
  try {
    await act({ type: resourceTypes.cluster, namespace, name });
  } catch (error) {
    // It may have left between the look and the deed.
    if ((await readCluster(name)) !== undefined) throw error;
  }
}

/** The three clusters of the example with this label, each with exactly one of every object that the hub keeps for it. */
export async function expectOneOfEach(hub: KubeApi, round: string): Promise<void> {
  const clusters = (await hub.list(resourceTypes.cluster)).items as unknown[] as Cluster[];
  expect(clusters.map(({ metadata }) => metadata.name)).toEqual(exampleClusters);
  for (const { metadata } of clusters) {
    expect(metadata.labels?.["round"], metadata.name).toBe(round);
    const { name, namespace = "" } = metadata;
    const owned = { namespace, labelSelector: `${labelKeys.cluster}=${name}` };
    const namesOf = async (type: (typeof resourceTypes)[keyof typeof resourceTypes]): Promise<string[]> =>
      (await hub.list(type, owned)).items.map((object) => object.metadata.name);
    expect(await namesOf(resourceTypes.serviceAccount)).toEqual([`rollcall-${name}`, `rollcall-${name}.recovery`]);
    expect(await namesOf(resourceTypes.lease)).toEqual([`rollcall-${name}`]);
    expect(await namesOf(resourceTypes.clusterReport)).toEqual([name]);
    expect(await namesOf(resourceTypes.configMap)).toEqual([`rollcall-agent-${name}`, `rollcall-cluster-${name}`]);
  }
}

/** Pids of the agents that the nodes below `folder` run, found by their working folder; never by name alone. */
export async function agentProcesses(folder: string): Promise<number[]> {
  const pids: number[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/u.test(entry)) continue;
    try {
      const [cwd, command] = await Promise.all([
        readlink(`/proc/${entry}/cwd`),
        readFile(`/proc/${entry}/cmdline`, "utf8"),
      ]);
      if (cwd.startsWith(join(folder, "clusters")) && command.includes("\0agent")) pids.push(Number(entry));
    } catch {
      // The process ended while it was read.
    }
  }
  return pids;
}

export function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}

/** The random moment of a kill is the point, not a synchronisation. */
export async function delay(durationMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, durationMs));
}
