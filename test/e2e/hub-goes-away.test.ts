import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import { readyHub } from "../support/hub-under-test.ts";
import { makeWorkspace, workspace } from "../support/process-fleet.ts";
import type { ProxiedHub } from "../support/proxied-hub.ts";
import { startProxiedHub } from "../support/proxied-hub.ts";
import { startRollcall } from "../support/rollcall-process.ts";

const apiVersion = "rollcall.dev/v1alpha1";
let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let repository: TestRepository;
let hub: ProxiedHub;
beforeAll(async () => {
  folder = await makeTempFolder();
  repository = await createRepository(join(folder.path, "fleet.git"));
  await repository.commit({ files: { "a.yaml": `apiVersion: ${apiVersion}\nkind: Cluster\nmetadata: { name: a }\n` } });
  hub = await startProxiedHub(join(folder.path, "hub.kubeconfig"), await readyHub());
  await makeWorkspace(hub.api);
  const url = "https://git.example.com/fleet.git";
  await create("Repository", { name: "fleet", namespace: "rollcall-system" }, { url, defaultWorkspace: workspace });
  await create("Cluster", { name: "a", namespace: workspace }, {});
});
// What a command sees of a hub that stops: only its proxy does.
beforeEach(() => hub.renewProxy());
afterAll(async () => {
  await hub.stop();
  await folder.remove();
});
const create = (kind: string, metadata: KubeObject["metadata"], spec: object): Promise<KubeObject> =>
  hub.api.create({ apiVersion, kind, metadata, spec }, { fieldManager: "test" });
const start = (args: readonly string[]) => startRollcall([...args, "--kubeconfig", hub.kubeconfigPath]);

/** One line of what failed, at the server that has stopped, and one of what to do. */
const oneSentence =
  /^rollcall: E_KUBE_UNREACHABLE: [^\n]*https:\/\/127\.0\.0\.1:\d+: [^\n]+\nWhat to do: [^\n]+\nSee: [^\n]+\n$/u;

describe("a hub that stops while a command runs", () => {
  it.each([
    ["plan", () => ["plan", "--repo", repository.path]],
    ["reconcile", () => ["reconcile"]],
    ["wait", () => ["wait", "cluster/a", "--for=condition=Ready"]],
  ])("ends %s with one sentence, at whichever request it stops", async (_name, argsOf) => {
    for (const last of [1, 2]) {
      let count = 0;
      const proxy = hub.proxy;
      proxy.setFault(() => {
        count++;
        if (count <= last) return undefined;
        if (count === last + 1) void proxy.close();
        return { until: new Promise(() => undefined) };
      });
      const { code, stderr } = await start(argsOf()).finished;
      expect(stderr).toMatch(oneSentence);
      expect(code).toBe(3);
      await hub.renewProxy();
    }
  });

  it("ends get --watch with one sentence after the rows that it printed", async () => {
    const run = start(["get", "clusters", "--watch"]);
    await run.whenPrinted(/^fleet +a /mu);
    await create("Cluster", { name: "later", namespace: workspace }, {});
    await run.whenPrinted(/^fleet +later /mu);
    await hub.proxy.close();
    const { code, stdout, stderr } = await run.finished;
    expect(stdout.trim().split("\n")).toHaveLength(3);
    expect(stderr).toMatch(oneSentence);
    expect(code).toBe(3);
  });

  it("has check name it in each line that needs the hub, and check the rest", async () => {
    let count = 0;
    hub.proxy.setFault(() => {
      count++;
      if (count <= 3) return undefined;
      if (count === 4) void hub.proxy.close();
      return { until: new Promise(() => undefined) };
    });
    const { code, stdout, stderr } = await start(["check", "--repo", repository.path]).finished;
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toMatch(/^failed +\w+ +E_KUBE_UNREACHABLE: /mu);
    expect(stdout).not.toMatch(/^ +at /mu);
  });
});
