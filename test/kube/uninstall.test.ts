import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runUninstall } from "../../src/cli/commands/uninstall.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { DaemonPlane } from "../support/daemon-plane.ts";
import { daemonNamespace, fileOf, planeWorkspace as namespace, startDaemonPlane } from "../support/daemon-plane.ts";
import { joinByToken } from "../support/join-by-token.ts";
import { runCommand } from "../support/plain-context.ts";
import type { RunningProgram } from "../support/run-program.ts";

const { cluster, secret, deployment, customResourceDefinition } = resourceTypes;
const workspace = namespace;

describe("rollcall uninstall --all on a real kube-apiserver", () => {
  let session: DaemonPlane;
  let daemon: RunningProgram;

  beforeAll(async () => {
    session = await startDaemonPlane();
    await createKubeconfig("eu-1-kubeconfig", session.plane.kubeconfig);
    await createKubeconfig("lost-kubeconfig", session.plane.kubeconfig);
    await session.repository.commit({
      files: {
        "eu-1.yaml": fileOf("Cluster", "eu-1", hubInitiated("eu-1")),
        "lost.yaml": fileOf("Cluster", "lost", hubInitiated("lost")),
        "door.yaml": fileOf("ClusterRegistrationToken", "door", { ttl: "240h" }),
        "all.yaml": fileOf("ClusterGroup", "all", { selector: { names: ["*"] } }),
      },
    });
    daemon = await session.startDaemon({ args: ["--write-back", "None"] });
    for (const name of ["eu-1", "lost"]) await untilInstalled(`agent-${name}`);
    await session.startAgent("agent-eu-1");
    await session.untilReady("eu-1");
    await joinByToken(session, "door", "us-1");
    await session.untilReady("us-1");
  });
  afterAll(async () => session.close());

  it("refuses without --all, while the daemon runs, and when the answer is no", async () => {
    await expect(uninstall({ all: false })).rejects.toThrow("needs --all");
    await expect(uninstall({ yes: true })).rejects.toThrow("still runs: remove it first, with helm uninstall");
    expect(await daemon.end()).toBe(0);
    await expect(uninstall({}, "no\n")).rejects.toThrow("nothing was removed");
    await expect(uninstall({}, "y\n")).rejects.toThrow("nothing was removed");
    expect((await session.admin.list(cluster)).items).toHaveLength(3);
  });

  it("resumes when the daemon is started again instead: nothing is written", async () => {
    const before = (await session.calls()).length;
    const again = await session.startDaemon({ args: ["--write-back", "None"] });
    await session.untilReady("eu-1");
    // It gives nothing back: uninstalling waits for both of its Leases to end.
    expect(await again.end("SIGKILL")).toBeNull();
    const writes = (await session.calls())
      .slice(before)
      .filter(({ verb }) => ["create", "patch", "update", "delete"].includes(verb))
      .filter(({ resource }) => resource !== "leases");
    expect(writes.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`)).toEqual([]);
  });

  it("removes agents by kubeconfig and lets others remove themselves, names the one it cannot reach, and stops there", async () => {
    await session.admin.mergePatch(
      { type: secret, namespace: workspace, name: "lost-kubeconfig" },
      { data: { value: Buffer.from(session.plane.kubeconfig.replace(/:\d+\n/u, ":1\n")).toString("base64") } },
      { fieldManager: "test" },
    );
    const { code, text } = await uninstall({ yes: true, timeout: "30s" });
    expect(text).toContain("This removes 3 clusters with their agents, 1 token, 1 repository");
    expect(text).toContain("Waiting for the Leases that a daemon left or holds");
    expect(text).toContain("fleet/lost: its agent was not removed (namespace agent-lost of that cluster)");
    expect(code).toBe(3);
    expect(await agentOf("agent-eu-1")).toBeUndefined();
    expect(await agentOf("agent-us-1")).toBeUndefined();
    const left = (await session.admin.list(cluster)).items;
    expect(left.map(({ metadata }) => metadata.name)).toEqual(["lost"]);
  });

  it("continues without that one with --abandon-unreachable, and leaves only objects of other owners", async () => {
    const { code, text } = await uninstall({ timeout: "1s", "abandon-unreachable": true }, "1\n");
    expect(text).toContain("Namespaces stay: fleet, rollcall-system, rollcall-public.");
    expect(code).toBe(3);
    const crds = (await session.admin.list(customResourceDefinition)).items.map(({ metadata }) => metadata.name);
    expect(crds.filter((name) => name.endsWith("rollcall.dev"))).toEqual([]);
    expect(await namesOf(workspace, "secret")).toEqual(["eu-1-kubeconfig", "lost-kubeconfig"]);
    expect(await namesOf(daemonNamespace, "secret")).toEqual([]);
    for (const kind of ["roleBinding", "lease"] as const) expect(await namesOf(workspace, kind)).toEqual([]);
    expect(await namesOf(daemonNamespace, "lease")).toEqual([]);
    expect((await uninstall({})).text).toContain("Nothing of Rollcall is on");
  });

  function uninstall(options: Record<string, boolean | string>, stdin = ""): ReturnType<typeof runCommand> {
    const kubeconfig = session.plane.kubeconfigPath;
    return runCommand("uninstall", runUninstall, { options: { all: true, kubeconfig, ...options }, stdin });
  }

  function hubInitiated(name: string): object {
    return {
      kubeConfigSecretRef: { name: `${name}-kubeconfig` },
      agent: { namespace: `agent-${name}` },
      heartbeat: { periodSeconds: 10 },
    };
  }

  function agentOf(agentNamespace: string): Promise<KubeObject | undefined> {
    return session.admin.get({ type: deployment, namespace: agentNamespace, name: "rollcall-agent" });
  }

  async function untilInstalled(agentNamespace: string): Promise<void> {
    const ref = { type: deployment, namespace: agentNamespace, name: "rollcall-agent" };
    await session.until(ref, (object) => object !== undefined);
  }

  async function createKubeconfig(name: string, kubeconfig: string): Promise<void> {
    const data = { value: Buffer.from(kubeconfig).toString("base64") };
    await session.create({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: workspace }, data });
  }

  async function namesOf(inNamespace: string, kind: "secret" | "roleBinding" | "lease"): Promise<string[]> {
    const { items } = await session.admin.list(resourceTypes[kind], { namespace: inNamespace });
    return items.map(({ metadata }) => metadata.name).filter((name) => !name.startsWith("rollcall.rollcall-system"));
  }
});
