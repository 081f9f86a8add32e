import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { textAt } from "../../src/core/read-json.ts";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import type { HubUnderTest } from "../support/hub-under-test.ts";
import { embeddedHub } from "../support/hub-under-test.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import { until } from "../support/until.ts";

const { deployment, lease, namespace: namespaceType, repository: repositoryType } = resourceTypes;

describe("an option of rollcall run takes effect", () => {
  let hub: HubUnderTest;
  let api: KubeApi;
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository: TestRepository;
  const fileOf = (name: string) => join(folder.path, name);

  beforeAll(async () => {
    hub = await embeddedHub();
    api = apiOf(readKubeconfig(hub.kubeconfig));
    folder = await makeTempFolder();
    repository = await createRepository(fileOf("fleet.git"));
    await repository.commit({ files: { ".gitkeep": "" } });
    await writeFile(fileOf("kubeconfig"), hub.kubeconfig);
    await writeFile(fileOf("config.yaml"), "branch: of-the-file\n");
    await writeFile(fileOf("webhook"), "a secret of webhooks\n");
  });
  afterAll(async () => {
    await api.close();
    await hub.stop();
    await folder.remove();
  });

  /** A namespace of the daemon and a workspace that no other test has, and the options by which a daemon uses them. */
  async function makePlace() {
    const id = randomBytes(4).toString("hex");
    const [namespace, workspace] = [`daemon-${id}`, `workspace-${id}`];
    const metadata = { name: workspace, labels: { "rollcall.dev/workspace": "true" } };
    await api.create({ apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager: "test" });
    const options = ["--repo", repository.path, "--kubeconfig", fileOf("kubeconfig"), "--cache-dir", fileOf(id)];
    return { id, namespace, workspace, options: [...options, "--workspaces", workspace, "--write-back", "None"] };
  }

  it("--config and --print-config: the settings of the file are printed, and nothing else happens", async () => {
    const printed = await runRollcall(["run", "--config", fileOf("config.yaml"), "--print-config"]);
    expect(printed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^branch: .*of-the-file/mu) as string });
  });

  it("--print-config: a value that the daemon would refuse is reported below the settings", async () => {
    const printed = await runRollcall(["run", "--interval", "abc", "--print-config"]);
    expect(printed).toMatchObject({ code: 2, stdout: expect.stringContaining("interval: abc # --interval") as string });
    expect(printed.stderr).toContain("--interval: abc is no duration such as 15m");
  });

  it("a variable that does nothing is named by a warning, before the command works", async () => {
    const { stderr } = await runRollcall(["run"], { env: { ROLLCALL_FORGE_SECRET: "s", HOME: "/nonexistent" } });
    expect(stderr).toMatch(/^warning: ROLLCALL_FORGE_SECRET has no effect: it requires --forge\n/u);
  });

  it("--namespace and --install-crds: the Repository and the definitions are made there", async () => {
    const { namespace, options } = await makePlace();
    const once = ["run", "--once", "--install-crds", "--namespace", namespace, ...options];
    expect(await runRollcall(once)).toMatchObject({ code: 0 });
    expect(await api.get({ type: repositoryType, namespace, name: "fleet" })).toBeDefined();
    expect((await api.list(lease, { namespace })).items.map(({ metadata }) => metadata.name)).toContain("rollcall-hub");
    expect(await api.get({ type: namespaceType, name: namespace })).toBeDefined();
  });

  it("--no-leader-election: no Lease of a leader is made", async () => {
    const { namespace, options } = await makePlace();
    const once = ["run", "--once", "--install-crds", "--namespace", namespace, "--no-leader-election", ...options];
    expect(await runRollcall(once)).toMatchObject({ code: 0 });
    const leases = (await api.list(lease, { namespace })).items.map(({ metadata }) => metadata.name);
    expect(leases).not.toContain("rollcall-hub");
  });

  it("options of a daemon that keeps running: its identity, log, ports and image of agents", async () => {
    const { id, namespace, workspace, options } = await makePlace();
    const data = { value: Buffer.from(hub.kubeconfig).toString("base64") };
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "kubeconfig", namespace: workspace }, data };
    await api.create(secret, { fieldManager: "test" });
    const spec = { kubeConfigSecretRef: { name: "kubeconfig" }, agent: { namespace: `agent-${id}` } };
    const metadata = { name: `c-${id}`, namespace: workspace };
    const file = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec };
    await repository.commit({ files: { "cluster.yaml": JSON.stringify(file) } });
    const daemon = startRollcall([
      ...["run", "--install-crds", "--namespace", namespace, ...options],
      ...["--identity", `me-${id}`, "--agent-image", "registry.example.com/agent"],
      ...["--metrics-address", "127.0.0.1:0", "--page-address", "127.0.0.1:0"],
      ...["--webhook-secret-file", fileOf("webhook"), "--serve-install-manifests"],
      ...["--log-level", "debug", "--log-format", "text"],
    ]);
    onTestFinished(async () => {
      daemon.kill("SIGKILL");
      await daemon.finished;
    });
    const portOf = async (what: string): Promise<string> => {
      await daemon.whenPrinted(new RegExp(`${what} .*port=\\d+`, "u"));
      return new RegExp(`${what} .*port=(\\d+)`, "u").exec(daemon.output())?.[1] ?? "";
    };
    const web = `http://127.0.0.1:${await portOf("serving health and metrics")}`;
    const page = `http://127.0.0.1:${await portOf("serving the page")}/`;
    expect((await fetch(page)).status).not.toBe(404);
    expect((await fetch(`${web}/webhook`, { method: "POST", body: "{}" })).status).toBe(401);
    expect(await (await fetch(`${web}/v1/import/nothing.yaml`)).text()).toContain("used already, or too old");
    const ref = { type: lease, namespace, name: "rollcall-hub" };
    const held = await until(
      () => api.get(ref),
      (seen) => textAt(seen, "spec", "holderIdentity") !== undefined,
    );
    expect(textAt(held, "spec", "holderIdentity")).toBe(`me-${id}`);
    const agent = await until(
      () => api.get({ type: deployment, namespace: `agent-${id}`, name: "rollcall-agent" }),
      (seen) => seen !== undefined,
    );
    expect(JSON.stringify(agent)).toContain('"image":"registry.example.com/agent');
    expect(daemon.output()).toMatch(/debug/iu);
  });
});
