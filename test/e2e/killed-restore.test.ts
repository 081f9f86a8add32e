import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt, valueAt } from "../../src/core/read-json.ts";
import { trustKeySecretName } from "../../src/hub/trust-key.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { memberStateName, readMemberState } from "../../src/model/member-state.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { annotationKeys } from "../../src/model/well-known.ts";
import { freePort } from "../support/free-port.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { daemonNamespace, joinByToken, makeWorkspace, startHubProcess, workspace } from "../support/process-fleet.ts";
import { startProxiedHub } from "../support/proxied-hub.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import { isWrite, never, runBetweenKills, startBehind } from "../support/run-between-kills.ts";
import { until } from "../support/until.ts";

const { cluster, clusterRegistrationToken, configMap, secret } = resourceTypes;
const names = ["edge-1", "edge-2", "late"];

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let repository: TestRepository;
const inFolder = (name: string): string => join(folder.path, name);
const ends: (() => Promise<unknown>)[] = [];

const runArgs = (fleet: string): string[] => [
  ...[
    "run",
    "--install-crds",
    "--no-leader-election",
    "--repo",
    inFolder(fleet),
    "--cache-dir",
    inFolder(`${fleet}.cache`),
  ],
  ...["--workspaces", workspace, "--default-workspace", workspace, "--write-back-interval", "1s"],
];
const restoreArgs = (fleet: string): string[] => [
  ...runArgs(fleet),
  ...["--once", "--restore", "--trust-key-file", inFolder("trust-key.yaml")],
];

/** A hub is lost. Its status branch has three clusters, a revocation and the uses of a token; `copy` lacks one cluster and the revocation. */
beforeAll(async () => {
  folder = await makeTempFolder();
  repository = await createRepository(inFolder("fleet.git"));
  await repository.commit({ files: { "edge-1.yaml": fileOf("Cluster", "edge-1"), "door.yaml": tokenFile } });
  let hub = await startHubProcess(inFolder("hub"));
  const { port } = hub;
  await makeWorkspace(hub.api);
  const startDaemon = () => startRollcall([...runArgs("fleet.git"), "--kubeconfig", hub.kubeconfigPath]);
  let daemon = startDaemon();
  const join = async (name: string): Promise<void> => {
    const agent = await joinByToken(hub.api, { token: "door", name, dir: inFolder(name) });
    await untilRecorded(name, "signingKey");
    await agent.stop();
    await agent.cluster.stop();
  };
  await join("edge-1");
  await join("edge-2");
  daemon.kill("SIGTERM");
  await daemon.finished;
  await hub.stop();
  await cp(hub.dir, inFolder("copy"), { recursive: true });
  hub = await startHubProcess(hub.dir, port);
  daemon = startDaemon();
  await join("late");
  const atHub = ["--kubeconfig", hub.kubeconfigPath];
  expect(await runRollcall(["revoke", "edge-2", "--yes", ...atHub])).toMatchObject({ code: 0 });
  await untilRecorded("edge-2", "revoked:");
  expect(await runRollcall(["backup", ...atHub, "--output-file", inFolder("trust-key.yaml")])).toMatchObject({
    code: 0,
  });
  daemon.kill("SIGKILL");
  await daemon.finished;
  await hub.stop("SIGKILL");
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await folder.remove();
});

function untilRecorded(name: string, text: string): Promise<string> {
  const read = () => repository.git("show", `rollcall/status:clusters/${workspace}/${name}.yaml`).catch(() => "");
  return until(read, (record) => record.includes(text));
}

/** What a restore gives back: who each member is, who is revoked, uses of the token, the epoch. */
async function restoredOn(api: KubeApi) {
  const members = await Promise.all(
    names.map(async (name) => {
      const state = readMemberState(
        await api.get({ type: configMap, namespace: workspace, name: memberStateName(name) }),
      );
      const live = await api.get({ type: cluster, namespace: workspace, name });
      const isRevoked = live?.metadata.annotations?.[annotationKeys.revoked] !== undefined;
      return { name, keys: state?.keys, clientID: state?.clientID, number: state?.credential?.number, isRevoked };
    }),
  );
  const token = await api.get({ type: clusterRegistrationToken, namespace: workspace, name: "door" });
  const key = await api.get({ type: secret, namespace: daemonNamespace, name: trustKeySecretName });
  const clusters = (await api.list(cluster)).items.map(({ metadata }) => metadata.name).sort();
  return { members, clusters, uses: valueAt(token, "status", "uses"), epoch: textAt(key, "data", "epoch") };
}

/** A hub, and a repository of its own to restore it from. */
async function startPlace(name: string, copied?: string) {
  await cp(inFolder("fleet.git"), inFolder(`${name}.git`), { recursive: true });
  const started = copied === undefined ? undefined : await startCopy(name, copied);
  const hub = await startProxiedHub(inFolder(`${name}.kubeconfig`), started);
  ends.push(hub.stop);
  return hub;
}

async function startCopy(name: string, copied: string) {
  await cp(inFolder(copied), inFolder(name), { recursive: true });
  const hub = await startHubProcess(inFolder(name), await freePort());
  return { kubeconfig: await readFile(hub.kubeconfigPath, "utf8"), stop: () => hub.stop() };
}

describe("rollcall run --restore that is killed at one write after another and run again", () => {
  it.each([
    { of: "an empty hub", copied: undefined },
    { of: "an older copy of the hub", copied: "copy" },
  ])("restores $of as one that nothing disturbed", async ({ copied }) => {
    const [calmName, killedName] = [`calm-${copied}`, `killed-${copied}`];
    const [calm, killed] = [await startPlace(calmName, copied), await startPlace(killedName, copied)];
    const undisturbed = await startBehind(calm, restoreArgs(`${calmName}.git`), never).finished;
    expect(undisturbed, undisturbed.stdout + undisturbed.stderr).toMatchObject({ code: 0 });
    const start = (isLast: typeof never) => startBehind(killed, restoreArgs(`${killedName}.git`), isLast);
    const { kills, finished } = await runBetweenKills(start, isWrite);
    expect(finished, finished.stdout + finished.stderr).toMatchObject({ code: 0 });
    expect(kills).toBeGreaterThan(6);
    const restored = await restoredOn(calm.api);
    expect(restored).toMatchObject({ clusters: names, uses: 3, epoch: Buffer.from("2").toString("base64") });
    expect(restored.members.map(({ keys, isRevoked }) => [keys !== undefined, isRevoked])).toEqual([
      [true, false],
      [true, true],
      [true, false],
    ]);
    expect(await restoredOn(killed.api)).toEqual(restored);
  });
});

function fileOf(kind: string, name: string, spec = "{}"): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
}

const tokenFile = fileOf("ClusterRegistrationToken", "door", "{ ttl: 24h, clusterNames: [edge-1, edge-2, late] }");
