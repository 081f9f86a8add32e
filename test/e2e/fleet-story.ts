import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { runGit } from "../support/git-repositories.ts";
import { runRollcall } from "../support/rollcall-process.ts";
import type { RunningFleet } from "../support/running-fleet.ts";
import { conditionOf, isReady } from "../support/running-fleet.ts";
import { until } from "../support/until.ts";

const { cluster: clusterType, configMap, deployment, lease, secret, serviceAccount } = resourceTypes;
/** Of the example, in the order of their names. */
const [first, , last] = ["dev-us-1", "prod-eu-1", "staging-eu-1"] as const;

/**
 * What a user sees of the example fleet from a push to a leave, step by step: call it within a `describe`, on a fleet whose
 * three clusters are Ready. Two clusters are left at its end.
 */
export function tellFleetStory(fleetNow: () => RunningFleet): void {
  it("brings the three clusters of the example to Ready", async () => {
    const clusters = await fleetNow().listClusters();
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
    expect(await fleetNow().told()).not.toContain("writing an event failed");
  });

  it("records the history of each cluster as Events", async () => {
    const { hub, listClusters } = fleetNow();
    for (const { metadata } of await listClusters()) {
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
    const { fileOf, push, readCluster, repositoryPath } = fleetNow();
    const path = await fileOf(first);
    await writeFile(path, (await readFile(path, "utf8")).replace(/labels:\n/u, "labels:\n    season: autumn\n"));
    const commit = await push("Change a label");
    await until(
      () => readCluster(first),
      (cluster) => cluster?.metadata.labels?.["season"] === "autumn",
    );
    await until(
      () => runGit(repositoryPath, ["log", "-1", "--format=%B", "rollcall/status"]),
      (message) => message.includes(`Rollcall-Source-Commit: ${commit}`),
    );
  });

  it("reverts a label that was changed manually", async () => {
    const { hub, readCluster } = fleetNow();
    const { namespace = "" } = (await readCluster(first))?.metadata ?? {};
    await hub.mergePatch(
      { type: clusterType, namespace, name: first },
      { metadata: { labels: { season: "winter" } } },
      { fieldManager: "kubectl" },
    );
    await until(
      () => readCluster(first),
      (cluster) => cluster?.metadata.labels?.["season"] === "autumn",
    );
  });

  it("creates a manually deleted cluster again, with its agent unharmed", async () => {
    const { downstreamApi, hub, readCluster } = fleetNow();
    const { namespace = "", uid } = (await readCluster(first))?.metadata ?? {};
    const downstream = await downstreamApi(first);
    const agentPods = async (): Promise<string[]> =>
      (await downstream.list(resourceTypes.pod)).items.map(({ metadata }) => metadata.uid ?? "");
    const before = await agentPods();
    await hub.delete({ type: clusterType, namespace, name: first });
    await until(
      () => readCluster(first),
      (cluster) => cluster !== undefined && cluster.metadata.uid !== uid && isReady(cluster),
    );
    expect(await agentPods()).toEqual(before);
    await downstream.close();
  });

  it("withholds a commit that deletes every cluster's file, while other changes apply", async () => {
    const { fileOf, git, hub, hubKubeconfigPath, listClusters, push, workTree } = fleetNow();
    const clusters = await listClusters();
    for (const { metadata } of clusters) await rm(await fileOf(metadata.name));
    const { namespace = "" } = clusters[0]?.metadata ?? {};
    const group = { kind: "ClusterGroup", metadata: { name: "late", namespace }, spec: { selector: { names: ["*"] } } };
    await writeFile(join(workTree, "late.yaml"), JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", ...group }));
    await push("Remove too much");
    await until(
      () => hub.get({ type: resourceTypes.clusterGroup, namespace, name: "late" }),
      (found) => found !== undefined,
    );
    const plan = await runRollcall(["plan", "--kubeconfig", hubKubeconfigPath]);
    expect(plan.stdout, plan.stderr).toContain("WITHHELD 3");
    expect(plan.stdout).toContain("Rollcall-Allow-Deletions: 3");
    expect((await listClusters()).map(({ metadata }) => metadata.uid)).toEqual(
      clusters.map(({ metadata }) => metadata.uid),
    );
    await git("revert", "--no-edit", "HEAD");
    await git("push", "-q");
  });

  it("removes cluster, agent and credentials with the file", async () => {
    const { downstreamApi, fileOf, hub, push, readCluster } = fleetNow();
    const { namespace = "" } = (await readCluster(last))?.metadata ?? {};
    const downstream = await downstreamApi(last);
    await rm(await fileOf(last));
    await push("Let a cluster go");
    await until(
      () => readCluster(last),
      (cluster) => cluster === undefined,
    );
    const left = await Promise.all(
      [serviceAccount, secret, configMap, lease].map(
        async (type) => (await hub.list(type, { namespace, labelSelector: `${labelKeys.cluster}=${last}` })).items,
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
      () => runRollcall(["plan", "--kubeconfig", fleetNow().hubKubeconfigPath]),
      ({ stdout }) => stdout.includes("nothing changes"),
    );
  });

  it("shows the fleet, and explains one cluster", async () => {
    const { hubKubeconfigPath: kubeconfig } = fleetNow();
    const table = await runRollcall(["status", "--kubeconfig", kubeconfig]);
    expect(table).toMatchObject({ code: 0, stderr: "" });
    expect(table.stdout).toMatch(new RegExp(`${first} +Ready`, "u"));
    const one = await runRollcall(["status", first, "--kubeconfig", kubeconfig]);
    expect(one.stdout).toContain("heartbeat");
    expect(one.stdout).toMatch(/Joined +True/u);
  });

  it("keeps secrets out of logs, status commits and events", async () => {
    const { hub, listClusters, repositoryPath, told } = fleetNow();
    const secrets = (await hub.list(secret)).items.flatMap(({ data }) =>
      Object.values((data ?? {}) as Record<string, string>),
    );
    const values = secrets
      .map((value) => Buffer.from(value, "base64").toString("utf8"))
      .filter((value) => value.length > 20 && !value.startsWith("-----BEGIN CERTIFICATE"));
    const texts = [
      await told(),
      await runGit(repositoryPath, ["log", "-p", "rollcall/status"]),
      JSON.stringify((await hub.list(resourceTypes.event)).items),
      JSON.stringify(await listClusters()),
    ];
    expect(values.length).toBeGreaterThan(3);
    for (const value of values) expect(texts.some((text) => text.includes(value))).toBe(false);
  });
}
