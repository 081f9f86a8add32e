import { readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../src/cli/connect-hub.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { makeTempFolder, runGit } from "../support/git-repositories.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import { until } from "../support/until.ts";

const { cluster: clusterType, configMap, deployment, lease, secret, serviceAccount } = resourceTypes;

describe("rollcall up", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let dir: string;
  let fleet: string;
  let up: RollcallProcess;
  let hub: KubeApi;
  let clusters: Cluster[];

  const listClusters = async (): Promise<Cluster[]> => (await hub.list(clusterType)).items as unknown[] as Cluster[];
  const readCluster = async (name: string): Promise<Cluster | undefined> =>
    (await listClusters()).find(({ metadata }) => metadata.name === name);
  const conditionOf = (cluster: Cluster | undefined, type: string) =>
    cluster?.status?.conditions?.find((condition) => condition.type === type);
  const git = async (...args: string[]): Promise<string> => runGit(fleet, args);
  const push = async (message: string): Promise<string> => {
    await git("add", "-A");
    await git("commit", "-q", "-m", message);
    await git("push", "-q");
    return (await git("rev-parse", "HEAD")).trim();
  };
  const fileOf = async (name: string): Promise<string> => {
    const files = await readdir(join(fleet, "clusters"), { recursive: true });
    const found = files.find((path) => path.endsWith(`${name}.yaml`));
    if (found === undefined) throw new Error(`no file declares ${name}`);
    return join(fleet, "clusters", found);
  };
  const downstreamApi = async (name: string): Promise<KubeApi> =>
    apiOf(readKubeconfig(await readFile(join(dir, "clusters", `${name}.kubeconfig`), "utf8")));

  beforeAll(async () => {
    folder = await makeTempFolder();
    dir = join(folder.path, "demo");
    fleet = join(dir, "fleet");
    up = startRollcall(["up", "--dir", dir]);
    await up.whenPrinted(/Every cluster is Ready/u);
    hub = apiOf(readKubeconfig(await readFile(join(dir, "hub.kubeconfig"), "utf8")));
    clusters = await listClusters();
  });
  afterAll(async () => {
    await hub.close();
    up.kill("SIGTERM");
    await up.finished;
    await folder.remove();
  });

  it("brings the three clusters of the example to Ready, and says what to try", () => {
    expect(clusters).toHaveLength(3);
    for (const cluster of clusters) {
      for (const type of ["Ready", "Accepted", "Joined", "Healthy", "AgentUpToDate", "CredentialsValid"]) {
        expect(conditionOf(cluster, type), `${cluster.metadata.name} ${type}`).toMatchObject({ status: "True" });
      }
      expect(cluster.status).toMatchObject({
        kubernetesVersion: expect.stringMatching(/^v1\./u) as string,
        nodes: { total: 1, ready: 1 },
      });
    }
    expect(up.output()).not.toContain("writing an event failed");
    expect(up.output()).toMatch(/kubectl --kubeconfig .*hub\.kubeconfig get clusters\.rollcall\.dev -A/u);
  });

  it("tells the story of each cluster by Events", async () => {
    for (const { metadata } of clusters) {
      const { namespace = "", uid = "" } = metadata;
      const fieldSelector = `involvedObject.uid=${uid}`;
      const events = await until(
        async () => (await hub.list(resourceTypes.event, { namespace, fieldSelector })).items,
        (items) => items.some((event) => event["reason"] === "Joined"),
      );
      expect(events.every((event) => typeof event["message"] === "string")).toBe(true);
    }
  });

  it("carries a pushed label to the hub, and writes a status commit with the trailer", async () => {
    const name = clusters[0]?.metadata.name ?? "";
    const path = await fileOf(name);
    await writeFile(path, (await readFile(path, "utf8")).replace(/labels:\n/u, "labels:\n    season: autumn\n"));
    const commit = await push("Change a label");
    await until(
      () => readCluster(name),
      (cluster) => cluster?.metadata.labels?.["season"] === "autumn",
    );
    await until(
      () => runGit(join(dir, "fleet.git"), ["log", "-1", "--format=%B", "rollcall/status"]),
      (message) => message.includes(`Rollcall-Source-Commit: ${commit}`),
    );
  });

  it("puts back a label that was changed by hand", async () => {
    const { name, namespace = "" } = clusters[0]?.metadata ?? { name: "" };
    await hub.mergePatch(
      { type: clusterType, namespace, name },
      { metadata: { labels: { season: "winter" } } },
      { fieldManager: "kubectl" },
    );
    await until(
      () => readCluster(name),
      (cluster) => cluster?.metadata.labels?.["season"] === "autumn",
    );
  });

  it("brings back a cluster that was deleted by hand, with its agent unharmed", async () => {
    const { name, namespace = "", uid } = clusters[0]?.metadata ?? { name: "" };
    const downstream = await downstreamApi(name);
    const agentPods = async (): Promise<string[]> =>
      (await downstream.list(resourceTypes.pod)).items.map(({ metadata }) => metadata.uid ?? "");
    const before = await agentPods();
    await hub.delete({ type: clusterType, namespace, name });
    await until(
      () => readCluster(name),
      (cluster) =>
        cluster !== undefined && cluster.metadata.uid !== uid && conditionOf(cluster, "Ready")?.status === "True",
      60_000,
    );
    expect(await agentPods()).toEqual(before);
    await downstream.close();
  });

  it("withholds a commit that deletes every file, while other changes apply", async () => {
    for (const { metadata } of clusters.slice(1)) await rm(await fileOf(metadata.name));
    const first = clusters[0]?.metadata.name ?? "";
    const path = await fileOf(first);
    await writeFile(path, (await readFile(path, "utf8")).replace("season: autumn", "season: spring"));
    await push("Remove too much");
    await until(
      () => readCluster(first),
      (cluster) => cluster?.metadata.labels?.["season"] === "spring",
    );
    const plan = await runRollcall(["plan", "--kubeconfig", join(dir, "hub.kubeconfig")]);
    expect(plan.stdout).toContain("WITHHELD 2");
    expect(plan.stdout).toContain("Rollcall-Allow-Deletions: 2");
    expect(await listClusters()).toHaveLength(3);
    await git("revert", "--no-edit", "HEAD");
    await git("push", "-q");
  });

  it("removes cluster, agent and credentials with the file", async () => {
    const { name, namespace = "" } = clusters[2]?.metadata ?? { name: "" };
    const downstream = await downstreamApi(name);
    await rm(await fileOf(name));
    await push("Let a cluster go");
    await until(
      () => readCluster(name),
      (cluster) => cluster === undefined,
      30_000,
    );
    const left = await Promise.all(
      [serviceAccount, secret, configMap, lease].map(
        async (type) => (await hub.list(type, { namespace, labelSelector: `${labelKeys.cluster}=${name}` })).items,
      ),
    );
    expect(left.flat().map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([]);
    await until(
      async () => (await downstream.list(deployment)).items,
      (items: KubeObject[]) => items.length === 0,
    );
    await downstream.close();
  });

  it("plans nothing once everything is applied", async () => {
    await until(
      () => runRollcall(["plan", "--kubeconfig", join(dir, "hub.kubeconfig")]),
      ({ stdout }) => stdout.includes("nothing changes"),
    );
  });

  it("shows the fleet, and explains one cluster", async () => {
    const kubeconfig = join(dir, "hub.kubeconfig");
    const name = clusters[0]?.metadata.name ?? "";
    const table = await runRollcall(["status", "--kubeconfig", kubeconfig]);
    expect(table).toMatchObject({ code: 0, stderr: "" });
    expect(table.stdout).toMatch(new RegExp(`${name} +True +True`, "u"));
    const one = await runRollcall(["status", name, "--kubeconfig", kubeconfig]);
    expect(one.stdout).toContain("last beat");
    expect(one.stdout).toMatch(/Joined +True/u);
  });

  it("runs the commands of the README", async () => {
    const readme = await readFile(join(import.meta.dirname, "../../README.md"), "utf8");
    const commands = [...readme.matchAll(/^npx rollcall (.*)$/gmu)].map((match) => match[1] ?? "");
    const local = commands.filter((command) => !command.startsWith("run "));
    expect(local.length).toBeGreaterThanOrEqual(4);
    for (const command of local) {
      const args = command.replaceAll(".rollcall/", `${dir}/`).split(/\s+/u);
      const result = await runRollcall(args, { cwd: join(import.meta.dirname, "../..") });
      expect(result, `${command}\n${result.stdout}${result.stderr}`).toMatchObject({ code: 0 });
    }
  });

  it("keeps secrets out of logs, status commits and events", async () => {
    const secrets = (await hub.list(secret)).items.flatMap(({ data }) =>
      Object.values((data ?? {}) as Record<string, string>),
    );
    const values = secrets
      .map((value) => Buffer.from(value, "base64").toString("utf8"))
      .filter((value) => value.length > 20 && !value.startsWith("-----BEGIN CERTIFICATE"));
    const texts = [
      await readFile(join(dir, "rollcall.log"), "utf8"),
      up.output(),
      await runGit(join(dir, "fleet.git"), ["log", "-p", "rollcall/status"]),
      JSON.stringify((await hub.list(resourceTypes.event)).items),
      JSON.stringify(await listClusters()),
    ];
    expect(values.length).toBeGreaterThan(3);
    for (const value of values) expect(texts.some((text) => text.includes(value))).toBe(false);
  });

  it("brings every agent back after the hub's folder was lost, with nobody's help at any cluster", async () => {
    const key = join(folder.path, "trust-key.yaml");
    const kubeconfig = join(dir, "hub.kubeconfig");
    const backup = await runRollcall(["backup", "--kubeconfig", kubeconfig, "--output-file", key]);
    expect(backup).toMatchObject({ code: 0, stderr: "" });
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    const agentPods = async (): Promise<string[]> => {
      const downstream = await downstreamApi(clusters[0]?.metadata.name ?? "");
      const pods = (await downstream.list(resourceTypes.pod)).items.map(({ metadata }) => metadata.uid ?? "");
      await downstream.close();
      return pods;
    };
    const before = await agentPods();
    up.kill("SIGTERM");
    await up.finished;
    await hub.close();
    await rm(join(dir, "hub"), { recursive: true });
    const lost = await runRollcall(["up", "--dir", dir, "--clusters", "2", "--restore"]);
    expect(lost.code).toBe(2);
    expect(lost.stderr).toContain("--trust-key-file");
    up = startRollcall(["up", "--dir", dir, "--clusters", "2", "--restore", "--trust-key-file", key]);
    await up.whenPrinted(/Every cluster is Ready/u, 110_000);
    hub = apiOf(readKubeconfig(await readFile(kubeconfig, "utf8")));
    expect(await agentPods()).toEqual(before);
    const log = (await readFile(join(dir, "rollcall.log"), "utf8")).split("\n").map((line) => line.slice(0, 4000));
    expect(log.filter((line) => line.includes('"registration granted"'))).toHaveLength(3);
  });
});
