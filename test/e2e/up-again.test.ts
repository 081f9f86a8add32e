import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { makeTempFolder, runGit } from "../support/git-repositories.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import { conditionOf, openRunningFleet } from "../support/running-fleet.ts";
import { until } from "../support/until.ts";

// Each step is a bullet of the README.
it("a demo whose files were all deleted continues after kill -9: no commit of its own, no unresponsive cluster", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const dir = join(folder.path, "demo");
  const hubKubeconfigPath = join(dir, "hub.kubeconfig");
  const repositoryPath = join(dir, "fleet.git");
  const first = startRollcall(["up", "--dir", dir]);
  onTestFinished(() => first.kill("SIGKILL"));
  await first.whenPrinted(/Every cluster is Ready/u);
  const fleet = await openRunningFleet({
    hubKubeconfigPath,
    workTree: join(dir, "fleet"),
    repositoryPath,
    downstreamKubeconfig: (cluster) => readFile(join(dir, "clusters", `${cluster}.kubeconfig`), "utf8"),
    told: () => readFile(join(dir, "rollcall.log"), "utf8"),
  });
  onTestFinished(fleet.close);
  const before = await fleet.listClusters();

  const edited = await fleet.fileOf("dev-us-1");
  await writeFile(edited, (await readFile(edited, "utf8")).replace(/labels:\n/u, "labels:\n    season: autumn\n"));
  await fleet.push("Change a label");
  await until(
    () => fleet.readCluster("dev-us-1"),
    (cluster) => cluster?.metadata.labels?.["season"] === "autumn",
  );
  await rm(await fleet.fileOf("staging-eu-1"));
  await fleet.push("Let a cluster go");
  await until(fleet.listClusters, (clusters) => clusters.length === before.length - 1);
  await fleet.git("rm", "-r", "-q", ".");
  const emptied = await fleet.push("Delete all files");
  const withheld = await until(
    () => runRollcall(["plan", "--kubeconfig", hubKubeconfigPath]),
    ({ stdout }) => stdout.includes("WITHHELD"),
  );
  expect(withheld.stdout).toMatch(/keep one file of the fleet.*\n +Rollcall-Allow-Deletions: 2\n/u);
  first.kill("SIGKILL");
  await first.finished;

  const killedMs = Date.now();
  const second = startRollcall(["up", "--dir", dir]);
  onTestFinished(() => second.kill("SIGKILL"));
  await second.whenPrinted(/Every cluster is Ready/u);
  expect(second.output()).toContain("2 running: dev-us-1, prod-eu-1");
  expect((await runGit(repositoryPath, ["rev-parse", "main"])).trim()).toBe(emptied);
  const leases = async () =>
    (await fleet.hub.list(resourceTypes.lease, { labelSelector: "rollcall.dev/cluster" })).items.map(({ spec }) =>
      Date.parse((spec as { renewTime: string }).renewTime),
    );
  await until(leases, (times) => times.length === 2 && times.every((time) => time > killedMs));
  const clusters = await fleet.listClusters();
  expect(clusters.map(({ metadata }) => metadata.name).sort()).toEqual(["dev-us-1", "prod-eu-1"]);
  for (const cluster of clusters) expect(conditionOf(cluster, "Healthy")).toMatchObject({ status: "True" });

  const refused = await runRollcall(["uninstall", "--all", "--yes", "--kubeconfig", hubKubeconfigPath]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("still runs: remove it first") as string });
  expect(await fleet.listClusters()).toHaveLength(2);
  second.kill("SIGTERM");
  await second.finished;
});
