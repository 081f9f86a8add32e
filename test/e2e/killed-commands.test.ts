import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installFleet } from "../../src/install/install-fleet.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { forgeToken } from "../support/forge/forge-state.ts";
import { startHostingForge } from "../support/forge/hosting-forge.ts";
import { makeTempFolder, runGit } from "../support/git-repositories.ts";
import type { HubUnderTest } from "../support/hub-under-test.ts";
import { readyHub } from "../support/hub-under-test.ts";
import { makeWorkspace, workspace } from "../support/process-fleet.ts";
import { startProxiedHub } from "../support/proxied-hub.ts";
import type { Finished, RollcallProcess } from "../support/rollcall-process.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import type { IsLast } from "../support/run-between-kills.ts";
import { isWrite, never, runBetweenKills, startBehind } from "../support/run-between-kills.ts";
import { neverAborted } from "../support/never-aborted.ts";

/** A run is killed this many requests further than the one before it. */
let folder: Awaited<ReturnType<typeof makeTempFolder>>;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  folder = await makeTempFolder();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await folder.remove();
});

/** `started`: default an empty one. */
async function startHub(name: string, started?: HubUnderTest) {
  const hub = await startProxiedHub(join(folder.path, `${name}.kubeconfig`), started);
  ends.push(hub.stop);
  const start = (args: readonly string[], isLast: IsLast): RollcallProcess => startBehind(hub, args, isLast);
  return { ...hub, start };
}

/** Kind, namespace and name of all objects that a fleet can have. */
async function namesOn(api: KubeApi): Promise<string[]> {
  const lists = await Promise.all(
    Object.values(resourceTypes).map(async (type) => (await api.list(type).catch(() => ({ items: [] }))).items),
  );
  return lists
    .flat()
    .filter(({ kind }) => kind !== "Event")
    .map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name].join("/"))
    .sort();
}

/** A hub with the objects of a fleet. */
async function startFilledHub(name: string, clusters: readonly string[] = []) {
  const hub = await startHub(name, await readyHub());
  await fillHub(hub.api, clusters);
  return hub;
}

async function fillHub(api: KubeApi, clusters: readonly string[]): Promise<void> {
  await makeWorkspace(api);
  const apiVersion = "rollcall.dev/v1alpha1";
  const namespace = workspace;
  const objects: KubeObject[] = [
    {
      apiVersion,
      kind: "Repository",
      metadata: { name: "fleet", namespace: "rollcall-system" },
      spec: { url: "https://git.example.com/fleet.git" },
    },
    { apiVersion, kind: "ClusterRegistrationToken", metadata: { name: "door", namespace }, spec: { ttl: "24h" } },
    { apiVersion, kind: "ClusterGroup", metadata: { name: "all", namespace }, spec: { selector: {} } },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "rollcall-door", namespace, labels: { [labelKeys.token]: "door" } },
    },
    { apiVersion: "v1", kind: "Secret", metadata: { name: "a-kubeconfig", namespace } },
    ...clusters.map((name) => ({ apiVersion, kind: "Cluster", metadata: { name, namespace }, spec: {} })),
  ];
  for (const object of objects) await api.create(object, { fieldManager: "test" });
}

describe("a command that is killed between its steps and run again", () => {
  it("uninstall: ends as one that nothing disturbed, and prints that it continues", async () => {
    const args = ["uninstall", "--all", "--yes"];
    const [calm, killed] = [await startFilledHub("calm"), await startFilledHub("killed")];
    expect(await calm.start(args, never).finished).toMatchObject({ code: 0, stderr: "" });
    const { kills, finished } = await runBetweenKills((isLast) => killed.start(args, isLast), isWrite);
    expect(finished, finished.stdout + finished.stderr).toMatchObject({ code: 0, stderr: "" });
    expect(kills).toBeGreaterThan(3);
    expect(finished.stdout).toContain("An uninstall was stopped on this hub: this run continues with what is left.");
    expect(await namesOn(killed.api)).toEqual(await namesOn(calm.api));
    expect(await namesOn(killed.api)).toContain(`Secret/${workspace}/a-kubeconfig`);
    expect((await runRollcall([...args, "--kubeconfig", killed.kubeconfigPath])).stdout).toContain(
      "Nothing of Rollcall",
    );
  });

  it("uninstall: removes each cluster once after it was killed before the second was ordered to leave", async () => {
    const args = ["uninstall", "--all", "--yes"];
    const hub = await startFilledHub("killed", ["a", "b"]);
    const first: RollcallProcess = hub.start(args, (method, path) => {
      const isSecond = method === "PATCH" && /\/clusters\/b\?.*rollcall-operator/u.test(path);
      if (isSecond) first.kill("SIGKILL");
      return isSecond;
    });
    expect((await first.finished).signal).toBe("SIGKILL");
    const second = await hub.start(args, never).finished;
    expect(second, second.stdout + second.stderr).toMatchObject({ code: 0, stderr: "" });
    expect((await namesOn(hub.api)).filter((name) => /rollcall\.dev|Cluster\//u.test(name))).toEqual([]);
  });

  it("import: writes the same files, once each, and counts those of the earlier run", async () => {
    const hub = await startHub("hub");
    await installFleet(hub.api, neverAborted());
    await hub.api.create(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "theirs" } },
      { fieldManager: "test" },
    );
    for (const name of ["a", "b", "c"])
      await hub.api.create(
        {
          apiVersion: "fleet.cattle.io/v1alpha1",
          kind: "ClusterRegistrationToken",
          metadata: { name, namespace: "theirs" },
          spec: { ttl: "24h" },
        },
        { fieldManager: "test" },
      );
    const importTo = (dir: string): string[] => ["import", "fleet", "--dir", join(folder.path, dir)];
    const filesOf = async (dir: string) => {
      const names = (await readdir(join(folder.path, dir), { recursive: true })).filter((name) =>
        name.endsWith(".yaml"),
      );
      return Promise.all(
        names.sort().map(async (name) => [name, await readFile(join(folder.path, dir, name), "utf8")]),
      );
    };
    const calm = await hub.start(importTo("calm"), never).finished;
    expect(calm, calm.stdout + calm.stderr).toMatchObject({ code: 0, stderr: "" });
    const files = await filesOf("calm");
    expect(files).toHaveLength(3);

    const isRead: IsLast = (method) => method === "GET";
    const { kills } = await runBetweenKills((isLast) => hub.start(importTo("read"), isLast), isRead);
    expect(kills).toBeGreaterThan(2);
    expect(await filesOf("read")).toEqual(files);

    // Killed while it wrote: one file is there, one has a part, one nothing.
    await mkdir(join(folder.path, "written/tokens/theirs"), { recursive: true });
    const [[first = "", whole = ""] = [], [second = "", part = ""] = [], [third = ""] = []] = files;
    await mkdir(join(folder.path, "written", second, ".."), { recursive: true });
    await writeFile(join(folder.path, "written", first), whole);
    await writeFile(join(folder.path, "written", second), part.slice(0, 40));
    await writeFile(join(folder.path, "written", third), "");
    const again = await hub.start(importTo("written"), never).finished;
    expect(again, again.stdout).toMatchObject({ code: 0 });
    expect(again.stdout).toContain("unchanged: 1 file of an earlier import");
    expect(await filesOf("written")).toEqual(files);
  });

  it("bootstrap: makes one repository, key and commit, and prints which steps were done", async () => {
    await mkdir(join(folder.path, "forge"));
    const forge = await startHostingForge(join(folder.path, "forge"), { provider: "Gitea", isThere: false });
    ends.push(() => forge.stop());
    const out = join(folder.path, "out");
    const knownHosts = join(folder.path, "known_hosts");
    await writeFile(knownHosts, "ssh.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5\n");
    const start = (isLast: IsLast): RollcallProcess => {
      forge.isSwallowed = () => isLast("", "");
      return startRollcall(
        [
          "bootstrap",
          "gitea",
          forge.repositoryUrl,
          "--dir",
          out,
          "--api-url",
          `${forge.url}/api/v1`,
          "--known-hosts-file",
          knownHosts,
        ],
        { env: { ROLLCALL_FORGE_TOKEN: forgeToken, XDG_CACHE_HOME: join(folder.path, "cache") } },
      );
    };
    const { kills, finished } = await runBetweenKills(start, () => true);
    expect(finished, finished.stdout + finished.stderr).toMatchObject({ code: 0, stderr: "" });
    expect(kills).toBeGreaterThan(4);
    expect(finished.stdout).toMatch(/^unchanged +repository/mu);
    expect(forge.api.state.deployKeys).toHaveLength(1);
    expect(forge.api.lines().filter((line) => line.startsWith("POST"))).toHaveLength(2);
    const commits = await runGit(join(folder.path, "forge/acme/fleet.git"), ["rev-list", "--count", "main"]);
    expect(commits.trim()).toBe("1");
    expect((await readdir(out)).sort()).toEqual(["git-secret.yaml", "values.yaml"]);
  });

  it("ends with one sentence and 130 after Ctrl-C", async () => {
    const hub = await startFilledHub("hub");
    let count = 0;
    const run: RollcallProcess = hub.start(["uninstall", "--all", "--yes"], (method, path) => {
      const isThird = isWrite(method, path) && ++count === 3;
      if (isThird) run.kill("SIGINT");
      return isThird;
    });
    const { code, stdout, stderr }: Finished = await run.finished;
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: "rollcall: stopped by SIGINT; run the same command again to continue\n",
    });
    expect(stdout).toContain("This removes 0 clusters");
  });
});
