import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import type { FleetPlace, RunningFleet } from "../support/running-fleet.ts";
import { openRunningFleet } from "../support/running-fleet.ts";
import { tellFleetStory } from "./fleet-story.ts";

describe("rollcall up", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let dir: string;
  let place: FleetPlace;
  let up: RollcallProcess;
  let fleet: RunningFleet;

  beforeAll(async () => {
    folder = await makeTempFolder();
    dir = join(folder.path, "demo");
    place = {
      hubKubeconfigPath: join(dir, "hub.kubeconfig"),
      workTree: join(dir, "fleet"),
      repositoryPath: join(dir, "fleet.git"),
      downstreamKubeconfig: (cluster) => readFile(join(dir, "clusters", `${cluster}.kubeconfig`), "utf8"),
      told: async () => (await readFile(join(dir, "rollcall.log"), "utf8")) + up.output(),
    };
    up = startRollcall(["up", "--dir", dir]);
    await up.whenPrinted(/Every cluster is Ready/u);
    fleet = await openRunningFleet(place);
  });
  afterAll(async () => {
    await fleet?.close();
    up.kill("SIGTERM");
    await up.finished;
    await folder.remove();
  });

  it("prints what to try", () => {
    expect(up.output()).toMatch(/kubectl --kubeconfig .*hub\.kubeconfig get clusters\.rollcall\.dev -A/u);
  });

  tellFleetStory(() => fleet);

  it("brings every agent back after the hub's folder was lost, without manual steps at any cluster", async () => {
    const key = join(folder.path, "trust-key.yaml");
    const { hubKubeconfigPath: kubeconfig } = place;
    const backup = await runRollcall(["backup", "--kubeconfig", kubeconfig, "--output-file", key]);
    expect(backup).toMatchObject({ code: 0, stderr: "" });
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    const agentPods = async (): Promise<string[]> => {
      const downstream = await fleet.downstreamApi("dev-us-1");
      const pods = (await downstream.list(resourceTypes.pod)).items.map(({ metadata }) => metadata.uid ?? "");
      await downstream.close();
      return pods;
    };
    const before = await agentPods();
    up.kill("SIGTERM");
    await up.finished;
    await fleet.close();
    await rm(join(dir, "hub"), { recursive: true });
    const lost = await runRollcall(["up", "--dir", dir, "--clusters", "2", "--restore"]);
    expect(lost.code).toBe(2);
    expect(lost.stderr).toContain("--trust-key-file");
    up = startRollcall(["up", "--dir", dir, "--clusters", "2", "--restore", "--trust-key-file", key]);
    await up.whenPrinted(/Every cluster is Ready/u);
    fleet = await openRunningFleet(place);
    expect(await agentPods()).toEqual(before);
    const granted = async (): Promise<string[]> =>
      (await readFile(join(dir, "rollcall.log"), "utf8"))
        .split("\n")
        .filter((line) => line.includes('"registration granted"'))
        .map((line) => line.slice(0, 4000));
    await expect.poll(granted).toHaveLength(3);
  });

  it("begins anew with its repository and status branch when its hub and clusters were deleted", async () => {
    up.kill("SIGTERM");
    await up.finished;
    await fleet.close();
    for (const name of ["hub", "clusters"]) await rm(join(dir, name), { recursive: true });
    up = startRollcall(["up", "--dir", dir, "--clusters", "2"]);
    await up.whenPrinted(/Every cluster is Ready/u);
    fleet = await openRunningFleet(place);
  });
});
