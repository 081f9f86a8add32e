import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberAt, textAt } from "../../src/core/read-json.ts";
import { installHub } from "../../src/install/install-hub.ts";
import type { KubeObject, ResourceType } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { DaemonPlane } from "../support/daemon-plane.ts";
import { daemonNamespace, fileOf, planeWorkspace as workspace, startDaemonPlane } from "../support/daemon-plane.ts";
import { chartFolder, findHelm, noHelmReason, runHelm } from "../support/helm.ts";
import { joinByToken } from "../support/join-by-token.ts";
import type { RunningProgram } from "../support/run-program.ts";
import { until } from "../support/until.ts";
import { neverAborted } from "../support/never-aborted.ts";

const { cluster, clusterReport, clusterRegistrationToken, configMap, customResourceDefinition } = resourceTypes;
const {
  deployment,
  lease,
  namespace: namespaceType,
  repository,
  role,
  roleBinding,
  secret,
  serviceAccount,
} = resourceTypes;

function isOfHelm({ metadata }: KubeObject): boolean {
  return metadata.annotations?.["meta.helm.sh/release-name"] !== undefined;
}

// There are no nodes: the Pods of the release wait, and the daemon runs beside them with the release's account and rights.
describe.skipIf(findHelm() === undefined)(`a release of the chart (skipped where ${noHelmReason})`, () => {
  let session: DaemonPlane;
  let daemon: RunningProgram;
  let agent: RunningProgram;
  let before: string[];

  beforeAll(async () => {
    session = await startDaemonPlane({ isEmpty: true });
    await install();
    await session.repository.commit({
      files: {
        "door.yaml": fileOf("ClusterRegistrationToken", "door", { ttl: "240h", clusterNames: ["us-1"] }),
        "us-1.yaml": fileOf("Cluster", "us-1", { heartbeat: { periodSeconds: 10 } }),
      },
    });
    daemon = await session.startDaemon({ args: ["--write-back", "None"] });
    agent = await joinByToken(session, "door", "us-1");
    await session.untilReady("us-1");
    // The report of the fleet as a whole follows a second later.
    const ref = { type: repository, namespace: daemonNamespace, name: "fleet" };
    await session.until(ref, (object) => numberAt(object, "status", "counts", "readyClusters") === 1);
    const door = { type: clusterRegistrationToken, namespace: workspace, name: "door" };
    await session.until(door, (object) => numberAt(object, "status", "uses") === 1);
  });
  afterAll(async () => session?.close());

  it("is all that the daemon needs: definitions, workspace, account, rights", async () => {
    const calls = await session.calls();
    expect(calls.filter(({ status }) => status === 403)).toEqual([]);
    expect((await session.admin.list(customResourceDefinition)).items).toHaveLength(6);
  });

  it("takes the program alone away: definitions and fleet stay, and the agent does not notice", async () => {
    expect(await daemon.end()).toBe(0);
    before = await fleetVersions();
    const printed = agent.lines.length;
    await helm("uninstall", "rollcall");
    const inNamespace = { namespace: daemonNamespace };
    expect(await session.admin.get({ type: deployment, ...inNamespace, name: "rollcall" })).toBeUndefined();
    expect(await session.admin.get({ type: serviceAccount, ...inNamespace, name: "rollcall" })).toBeUndefined();
    expect((await session.admin.list(customResourceDefinition)).items).toHaveLength(6);
    expect(await fleetVersions()).toEqual(before);
    await untilNextBeat();
    const told = agent.lines.slice(printed).filter((line) => /"level":"(?:warn|error)"/u.test(line));
    expect(told).toEqual([]);
  });

  it("is installed again over what stayed, and the daemon continues without a write", async () => {
    await install();
    const made = (await session.calls()).length;
    daemon = await session.startDaemon({ args: ["--write-back", "None"] });
    await session.untilReady("us-1");
    await untilNextBeat();
    expect(await daemon.end()).toBe(0);
    const writes = (await session.calls())
      .slice(made)
      .filter(({ verb, resource }) => ["create", "patch", "update", "delete"].includes(verb) && resource !== "leases");

    expect(writes.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`)).toEqual([]);
    expect(await fleetVersions()).toEqual(before);
  });

  it("is installed over what `run --install-crds` has made, which stays as it is", async () => {
    await helm("uninstall", "rollcall");
    for (const { metadata } of (await session.admin.list(customResourceDefinition)).items)
      await session.admin.delete({ type: customResourceDefinition, name: metadata.name });
    for (const type of [namespaceType, role, roleBinding]) {
      const place =
        type === namespaceType
          ? { name: "rollcall-public" }
          : { namespace: "rollcall-public", name: "rollcall-public-reader" };
      await session.admin.mergePatch(
        { type, ...place },
        { metadata: { annotations: null, labels: null } },
        { fieldManager: "test" },
      );
    }
    const left = async () => (await session.admin.list(customResourceDefinition)).items.length;
    await until(left, (count) => count === 0);
    await installHub(session.admin, daemonNamespace, neverAborted());
    await install();
    expect((await session.admin.list(customResourceDefinition)).items.filter(isOfHelm)).toEqual([]);
    await helm("upgrade", "rollcall", chartFolder("rollcall"), "--reuse-values");
    expect(await left()).toBe(6);
  });

  async function install(): Promise<void> {
    const values = {
      options: { repo: session.repository.path },
      workspaces: [workspace],
      createWorkspaces: true,
      hub: { url: session.plane.server },
    };
    const path = await session.fileWith("values.json", JSON.stringify(values));
    await helm("install", "rollcall", chartFolder("rollcall"), "--create-namespace", "--values", path);
  }

  async function helm(...args: string[]): Promise<void> {
    await runHelm([...args, "--namespace", daemonNamespace, "--kubeconfig", session.plane.kubeconfigPath]);
  }

  /** Everything that makes the fleet, with uid and version; no Lease and no Report: those are the agent's to renew. */
  async function fleetVersions(): Promise<string[]> {
    const types: ResourceType[] = [cluster, clusterRegistrationToken, configMap, secret, serviceAccount];
    const objects: KubeObject[] = [];
    for (const type of [...types, role, roleBinding])
      objects.push(...(await session.admin.list(type, { namespace: workspace })).items);
    objects.push(...(await session.admin.list(repository, { namespace: daemonNamespace })).items);
    const report = await session.admin.get({ type: clusterReport, namespace: workspace, name: "us-1" });
    return [
      `ClusterReport us-1 ${report?.metadata.uid}`,
      ...objects
        // The chart's own rights in the workspace come and go with it.
        .filter(({ metadata }) => metadata.labels?.["app.kubernetes.io/managed-by"] !== "Helm")
        .map(({ kind, metadata: { name, uid, resourceVersion } }) => `${kind} ${name} ${uid} ${resourceVersion}`),
    ].sort();
  }

  async function untilNextBeat(): Promise<void> {
    const ref = { type: lease, namespace: workspace, name: "rollcall-us-1" };
    const renewed = async (): Promise<string> => textAt(await session.admin.get(ref), "spec", "renewTime") ?? "";
    const last = await renewed();
    await until(renewed, (time) => time !== last);
  }
});
