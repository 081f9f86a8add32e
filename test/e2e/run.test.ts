import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";

const workspaceFile = (name: string, spec: object) =>
  JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name, namespace: "fleet" },
    spec,
  });

it("runs on a hub that has nothing yet, reports what is missing there and in files, and finds the hub again", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const dir = join(folder.path, "hub");
  const repository = await createRepository(join(folder.path, "fleet.git"));
  await repository.commit({ files: { "door.yaml": workspaceFile("door", { ttl: "24h" }) } });
  const kubeconfigPath = join(dir, "hub.kubeconfig");
  const run = (...options: string[]) =>
    runRollcall(["run", "--once", "--repo", repository.path, "--kubeconfig", kubeconfigPath, ...options]);

  const first = startRollcall(["hub", "--dir", dir]);
  await first.whenPrinted(/The hub is ready/u);
  const kubeconfig = await readFile(kubeconfigPath, "utf8");
  expect(await run()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("start with --install-crds") as string,
  });
  const noWorkspace = await run("--install-crds");
  expect(noWorkspace).toMatchObject({ code: 1 });
  expect(noWorkspace.stdout).toContain("is not a workspace");

  const api = apiOf(readKubeconfig(kubeconfig));
  const namespaceOf = (name: string) => api.get({ type: resourceTypes.namespace, name });
  const theirs = { apiVersion: "v1", kind: "Namespace", metadata: { name: "theirs" } };
  await api.create(theirs, { fieldManager: "test" });
  expect(await run("--install-crds", "--default-workspace", "fleet", "--workspaces", "theirs,edge,f*")).toMatchObject({
    code: 0,
  });
  expect((await namespaceOf("edge"))?.metadata.labels).toMatchObject({ "rollcall.dev/workspace": "true" });
  // An existing namespace has another owner.
  expect((await namespaceOf("theirs"))?.metadata.labels).not.toHaveProperty("rollcall.dev/workspace");
  expect(await namespaceOf("f*")).toBeUndefined();
  const door = { type: resourceTypes.clusterRegistrationToken, namespace: "fleet", name: "door" };
  expect(await api.get(door)).toBeDefined();

  const leader = startRollcall(["run", "--repo", repository.path, "--kubeconfig", kubeconfigPath]);
  await leader.whenPrinted(/run finished/u);
  const other = await createRepository(join(folder.path, "other.git"));
  await other.commit({ files: { "window.yaml": workspaceFile("window", { ttl: "24h" }) } });
  const beside = ["run", "--once", "--repo", other.path, "--kubeconfig", kubeconfigPath];
  expect(await runRollcall(beside)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("E_OTHER_DAEMON: apply the head once: another process holds the Lease") as string,
  });
  const followed = { type: resourceTypes.repository, namespace: "rollcall-system", name: "fleet" };
  expect(await api.get(followed)).toMatchObject({ spec: { url: repository.path } });
  leader.kill("SIGTERM");
  await leader.finished;
  await api.close();

  first.kill("SIGKILL");
  await first.finished;
  await rm(kubeconfigPath);
  const second = startRollcall(["hub", "--dir", dir]);
  await second.whenPrinted(/The hub is ready/u);
  expect(await readFile(kubeconfigPath, "utf8")).toBe(kubeconfig);
  second.kill("SIGTERM");
  await second.finished;
});
