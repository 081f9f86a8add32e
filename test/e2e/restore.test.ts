import { cp, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberAt, objectsAt, textAt } from "../../src/core/read-json.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import type { AgentProcess, HubProcess } from "../support/process-fleet.ts";
import {
  clusterWithKubeconfig,
  joinByToken,
  makeWorkspace,
  startAgentProcess,
  startHubProcess,
  untilInstalled,
  workspace,
} from "../support/process-fleet.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import { until } from "../support/until.ts";

const { cluster, clusterRegistrationToken, clusterReport, configMap, lease } = resourceTypes;
const { role, roleBinding, secret, serviceAccount } = resourceTypes;

// Hub, daemon and each agent are processes of their own; nothing is done manually at a cluster once its agent has joined.
describe("a hub that was lost, and rollcall run --restore", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository: TestRepository;
  let hub: HubProcess;
  let daemon: RollcallProcess;
  const agents = new Map<string, AgentProcess>();
  const dirOf = (name: string) => join(folder.path, name);
  const startDaemon = (...more: string[]): RollcallProcess =>
    startRollcall([
      "run",
      "--install-crds",
      ...["--repo", repository.path, "--kubeconfig", hub.kubeconfigPath, "--cache-dir", dirOf("cache")],
      ...["--workspaces", workspace, "--default-workspace", workspace, "--write-back-interval", "1s"],
      ...more,
    ]);
  /** One that is killed leaves a Lease behind, which the next one waits for. */
  const stopDaemon = async (signal: NodeJS.Signals = "SIGTERM") => {
    daemon.kill(signal);
    await daemon.finished;
  };
  const get = (type: typeof cluster, name: string) => hub.api.get({ type, namespace: workspace, name });
  const isTrue = (object: unknown, type: string) =>
    objectsAt(object, "status", "conditions").some(
      (condition) => condition["type"] === type && condition["status"] === "True",
    );
  const untilReady = async (...names: string[]) => {
    for (const name of names)
      await until(
        () => get(cluster, name),
        (seen) => isTrue(seen, "Ready"),
      );
  };
  const recordOf = async (path: string) => repository.git("show", `rollcall/status:${path}`).catch(() => "");
  const untilRecorded = (path: string, text: string) =>
    until(
      () => recordOf(path),
      (record) => record.includes(text),
    );
  const untilCredential = (name: string, number: number) =>
    until(
      () => get(clusterReport, name),
      (seen) => numberAt(seen, "spec", "credentialNumber") === number,
    );
  const joins = (name: string) => agents.get(name)?.process.output().split('"joined the hub"').length ?? 0;

  beforeAll(async () => {
    folder = await makeTempFolder();
    repository = await createRepository(dirOf("fleet.git"));
    hub = await startHubProcess(dirOf("hub"));
    await makeWorkspace(hub.api);
    await repository.commit({
      files: {
        "installed.yaml": clusterFile("installed", "  kubeConfigSecretRef: { name: installed-kubeconfig }\n"),
        "asking.yaml": clusterFile("asking", ""),
        "dropped.yaml": clusterFile("dropped", ""),
        "door.yaml": tokenFile("door", "  clusterNames: [asking, dropped, guest, late]\n"),
        "single.yaml": tokenFile("single", "  maxRegistrations: 1\n  clusterNames: [gone]\n"),
      },
    });
    daemon = startDaemon();
    const installed = await clusterWithKubeconfig(hub.api, "installed-kubeconfig");
    await untilInstalled(installed);
    agents.set("installed", await startAgentProcess(installed, dirOf("installed")));
    for (const name of ["asking", "guest", "dropped"])
      agents.set(name, await joinByToken(hub.api, { token: "door", name, dir: dirOf(name) }));
    await untilReady("installed", "asking", "guest", "dropped");
    for (const name of ["guest", "dropped"]) await untilRecorded(`clusters/fleet/${name}.yaml`, "signingKey");
  });
  afterAll(async () => {
    await stopDaemon();
    await hub.stop();
    for (const agent of agents.values()) {
      await agent.stop();
      await agent.cluster.stop();
    }
    await folder.remove();
  });

  it("names what it needs when the trust key is missing, and writes nothing", async () => {
    const key = dirOf("trust-key.yaml");
    const backup = await runRollcall(["backup", "--kubeconfig", hub.kubeconfigPath, "--output-file", key]);
    expect(backup).toMatchObject({ code: 0, stderr: "" });
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    await stopDaemon("SIGKILL");
    await hub.stop("SIGKILL");
    await rm(hub.dir, { recursive: true });
    hub = await startHubProcess(hub.dir, hub.port);
    daemon = startDaemon("--restore");
    const { code, stdout, stderr } = await daemon.finished;
    expect(code).toBe(2);
    expect(stdout + stderr).toContain("--trust-key-file");
    expect((await hub.api.list(cluster)).items).toEqual([]);
  });

  it("brings every agent back, at a hub with another CA, and no agent joins again", async () => {
    await repository.commit({ files: { "dropped.yaml": null }, message: "Let it go while the hub is lost" });
    daemon = startDaemon("--restore", "--trust-key-file", dirOf("trust-key.yaml"));
    await untilReady("installed", "asking", "guest", "dropped");
    for (const name of agents.keys()) {
      expect(joins(name), name).toBe(2);
      const report = await get(clusterReport, name);
      expect(numberAt(report, "spec", "epoch"), name).toBe(2);
    }
    expect(daemon.output()).not.toContain("registration granted");
    // One that had no file has none now, and is there nevertheless.
    expect(textAt(await get(cluster, "guest"), "status", "source", "file")).toBeUndefined();
    for (const agent of agents.values()) expect(agent.process.output()).not.toContain("joining again");
  });

  it("removes a cluster whose file was deleted meanwhile as always, once that is approved; nothing of it comes back", async () => {
    const summary = await until(
      () => recordOf("summary.yaml"),
      (text) => text.includes("fleet/dropped"),
    );
    expect(summary).toContain("not-applied-before");
    const head = (await repository.git("rev-parse", "main")).trim();
    const approve = ["approve-deletions", head, "1", "--kubeconfig", hub.kubeconfigPath];
    expect(await runRollcall(approve)).toMatchObject({ code: 0 });
    const leftOf = async () =>
      (
        await Promise.all(
          [cluster, clusterReport, configMap, lease, role, roleBinding, secret, serviceAccount].map((type) =>
            hub.api.list(type, { namespace: workspace, labelSelector: "rollcall.dev/cluster=dropped" }),
          ),
        )
      ).flatMap(({ items }) => items.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    await until(leftOf, (left) => left.length === 0);
    // The Cluster is deleted last, and has no label of its own.
    await until(
      () => get(cluster, "dropped"),
      (found) => found === undefined,
    );
    await until(
      () => recordOf("clusters/fleet/dropped.yaml"),
      (record) => record === "",
    );
    const gone = agents.get("dropped");
    agents.delete("dropped");
    await gone?.stop();
    await gone?.cluster.stop();
  });

  it("reports that there is nothing to restore where nothing is missing, and raises no epoch", async () => {
    await untilRecorded("summary.yaml", "epoch: 2");
    await stopDaemon();
    daemon = startDaemon("--restore", "--trust-key-file", dirOf("trust-key.yaml"));
    await daemon.whenPrinted(/nothing to restore/u);
    await untilReady("installed");
    expect(numberAt(await get(clusterReport, "installed"), "spec", "epoch")).toBe(2);
  });

  it(
    "F4: continues from an older copy of the hub: newer credentials, revocations and uses count, later clusters come back",
    { timeout: 280_000 },
    async () => {
      const copy = dirOf("copy");
      await stopDaemon();
      await hub.stop();
      await cp(hub.dir, copy, { recursive: true });
      hub = await startHubProcess(hub.dir, hub.port);
      daemon = startDaemon();
      await untilReady("installed");

      // What the copy knows nothing of: a credential, a cluster, a revocation, the only use of a token.
      const number = numberAt(await get(clusterReport, "asking"), "spec", "credentialNumber") ?? 0;
      await hub.api.delete({ type: secret, namespace: workspace, name: `rollcall-asking.${number}` });
      agents.set("late", await joinByToken(hub.api, { token: "door", name: "late", dir: dirOf("late") }));
      const gone = await joinByToken(hub.api, { token: "single", name: "gone", dir: dirOf("gone") });
      await untilReady("late", "gone");
      const revoke = ["revoke", "guest", "--kubeconfig", hub.kubeconfigPath];
      expect(await runRollcall(revoke)).toMatchObject({ code: 0 });
      await untilRecorded("clusters/fleet/guest.yaml", "revoked:");
      await untilRecorded("clusters/fleet/asking.yaml", `credentialNumber: ${number + 1}`);
      // With the former one, which the copy knows, it would come back and need no newer.
      await untilCredential("asking", number + 1);
      await untilRecorded("tokens/fleet/single.yaml", "uses: 1");
      await untilRecorded("clusters/fleet/late.yaml", "signingKey");
      await gone.stop();

      await stopDaemon("SIGKILL");
      await hub.stop("SIGKILL");
      await rm(hub.dir, { recursive: true });
      await cp(copy, hub.dir, { recursive: true });
      hub = await startHubProcess(hub.dir, hub.port);
      daemon = startDaemon("--restore", "--trust-key-file", dirOf("trust-key.yaml"));
      await daemon.whenPrinted(/restored from the status branch/u);
      await untilReady("installed", "asking", "late");
      // The copy has Ready of the time before: what agents report after it counts.
      await untilCredential("asking", number + 2);
      for (const name of ["installed", "asking", "late"]) {
        await until(
          () => get(clusterReport, name),
          (seen) => numberAt(seen, "spec", "epoch") === 3,
        );
        expect(joins(name), name).toBe(2);
      }
      await untilReady("installed", "asking", "late");
      await until(
        () => get(cluster, "guest"),
        (seen) => JSON.stringify(seen?.["status"]).includes('"Revoked"'),
      );
      expect(numberAt(await get(clusterRegistrationToken, "single"), "status", "uses")).toBe(1);
      expect(await readFile(hub.kubeconfigPath, "utf8")).toContain("server:");
      await gone.cluster.stop();
    },
  );
});

function clusterFile(name: string, spec: string): string {
  const head = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\n";
  return `${head}metadata: { name: ${name} }\nspec:\n  clientID: ${name}\n  heartbeat: { periodSeconds: 2 }\n${spec}`;
}

function tokenFile(name: string, spec: string): string {
  const head = "apiVersion: rollcall.dev/v1alpha1\nkind: ClusterRegistrationToken\n";
  return `${head}metadata: { name: ${name} }\nspec:\n  ttl: 24h\n${spec}`;
}
