// A fleet whose agents join by tokens: hub and daemon are processes of their own.
import { join } from "node:path";
import { textAt } from "../../src/core/read-json.ts";
import { installCrds } from "../../src/install/install-crds.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { createRepository } from "../support/git-repositories.ts";
import type { RunningProgram } from "../support/run-program.ts";
import { startProgram } from "../support/run-program.ts";
import { until } from "../support/until.ts";
import { workspace } from "./serving-hub.ts";
import { neverAborted } from "../support/never-aborted.ts";

/** Where the agents of a benchmark join: one workspace, or as many as it takes for so many clusters in each. */
export function workspacesFor(agentCount: number, inEach = Infinity): readonly string[] {
  const count = Math.ceil(agentCount / inEach);
  return count <= 1 ? [workspace] : Array.from({ length: count }, (_, index) => `${workspace}-${index}`);
}

export interface JoinHub {
  readonly api: KubeApi;
  readonly kubeconfigPath: string;
  readonly workspaces: readonly string[];
  /** Of the repository and of caches. */
  readonly folder: string;
}

export interface JoinDaemon extends RunningProgram {
  readonly pid: number;
  /** Its calls of the hub so far, by verb. */
  readonly callsByVerb: () => Promise<ReadonlyMap<string, number>>;
}

/** Definitions, workspaces, and a repository with a token of each by which all may join. Resolves with the repository's path. */
export async function prepareFleet({ api, workspaces, folder }: JoinHub): Promise<string> {
  await installCrds(api, neverAborted());
  const namespace = { apiVersion: "v1", kind: "Namespace" };
  const options = { fieldManager: "bench" };
  await api.create({ ...namespace, metadata: { name: "rollcall-system" } }, options);
  const labels = { [labelKeys.workspace]: "true" };
  for (const name of workspaces) await api.create({ ...namespace, metadata: { name, labels } }, options);
  const repository = await createRepository(join(folder, "fleet.git"));
  const token = (name: string): string =>
    `apiVersion: rollcall.dev/v1alpha1\nkind: ClusterRegistrationToken\nmetadata: { name: all, namespace: ${name} }\n`;
  const files = workspaces.map((name) => [`${name}/token.yaml`, token(name)] as const);
  await repository.commit({ files: Object.fromEntries(files) });
  return repository.path;
}

/** Resolves when it serves metrics. `name`: of its cache. */
export async function startJoinDaemon(hub: JoinHub, repository: string, name: string): Promise<JoinDaemon> {
  const daemon = startProgram([
    ...["run", "--repo", repository, "--kubeconfig", hub.kubeconfigPath, "--metrics-address", "127.0.0.1:0"],
    ...["--workspaces", hub.workspaces.join(","), "--cache-dir", join(hub.folder, name)],
  ]);
  const serving = await daemon.untilLine((line) => line.includes('"serving health and metrics"'));
  const port = /"port":(\d+)/u.exec(serving)?.[1];
  const callsByVerb = async (): Promise<ReadonlyMap<string, number>> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const counts = [...text.matchAll(/^rollcall_hub_requests_total\{verb="(\w+)"\} (\d+)/gmu)];
    return new Map(counts.map(([, verb = "", count]) => [verb, Number(count)]));
  };
  return { ...daemon, pid: daemon.child.pid ?? 0, callsByVerb };
}

/** What the agents of the workspace's token are started with. */
export async function tokenValues({ api }: JoinHub, namespace: string): Promise<string> {
  const secrets = await until(
    async () => (await api.list(resourceTypes.secret, { namespace })).items,
    (items) => items.some((secret) => textAt(secret, "data", "values") !== undefined),
  );
  const encoded = secrets.map((secret) => textAt(secret, "data", "values")).find((text) => text !== undefined);
  return Buffer.from(encoded ?? "", "base64").toString("utf8");
}

/** The status of one of its conditions; undefined where it has none. */
export function conditionStatus(cluster: Cluster | undefined, wanted: string): string | undefined {
  return cluster?.status?.conditions?.find(({ type }) => type === wanted)?.status;
}

/** All that were counted. */
export function totalOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
