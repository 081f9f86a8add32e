import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { CommandContext } from "../../../src/cli/commands/command-context.ts";
import { runDescribe } from "../../../src/cli/commands/describe.ts";
import { runEvents } from "../../../src/cli/commands/events.ts";
import { runGet } from "../../../src/cli/commands/get.ts";
import { runResume, runRevoke, runSuspend } from "../../../src/cli/commands/operate.ts";
import { runStatus } from "../../../src/cli/commands/status.ts";
import { runTop } from "../../../src/cli/commands/top.ts";
import { runWait } from "../../../src/cli/commands/wait.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { inlineKubeconfig } from "../../../src/model/inline-kubeconfig.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { CommandName } from "../../../src/settings/option-entry.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";

type Run = (context: CommandContext) => Promise<number>;
type Options = Readonly<Record<string, string | boolean>>;
const { cluster: type } = resourceTypes;
const rbac = "rbac.authorization.k8s.io";
const manager = { fieldManager: "test" };
const own = (kind: string, namespace: string, name: string, spec = {}): KubeObject => ({
  ...{ apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { namespace, name }, spec },
});

describe("a user with a Role in one workspace", () => {
  let hub: HubUnderTest;
  let api: KubeApi;
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;

  beforeAll(async () => {
    hub = await readyHub();
    folder = await makeTempFolder();
    api = apiOf(readKubeconfig(hub.kubeconfig));
    const user = { name: "user", namespace: "team-a" };
    const rules = [
      { apiGroups: [type.group], resources: [type.plural], verbs: ["get", "list", "watch", "patch"] },
      { apiGroups: [""], resources: ["events"], verbs: ["list"] },
    ];
    const roleRef = { apiGroup: rbac, kind: "Role", name: "user" };
    const subjects = [{ kind: "ServiceAccount", ...user }];
    for (const object of [
      ...["team-a", "team-b"].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
      ...[own("Cluster", "team-a", "eu-1"), own("Cluster", "team-b", "eu-1")],
      own("ClusterGroup", "team-b", "all", { selector: {} }),
      {
        ...{ apiVersion: "v1", kind: "Event", metadata: { namespace: "team-a", name: "eu-1.1" } },
        ...{ type: "Normal", reason: "Joined", message: "It has joined." },
        involvedObject: { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", namespace: "team-a", name: "eu-1" },
      },
      { apiVersion: "v1", kind: "ServiceAccount", metadata: user },
      { apiVersion: `${rbac}/v1`, kind: "Role", metadata: user, rules },
      { apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata: user, roleRef, subjects },
    ])
      await api.create(object, manager);
    const { token } = await api.requestToken({ namespace: "team-a", serviceAccount: "user", expirationSeconds: 3600 });
    const { caPem } = await readKubeconfig(hub.kubeconfig).getTls();
    const access = { server: api.server, token, caPem };
    await writeFile(join(folder.path, "admin"), hub.kubeconfig);
    await writeFile(join(folder.path, "user"), stringify(inlineKubeconfig(access, { cluster: "hub", user: "user" })));
  });
  afterAll(async () => {
    await api.close();
    await hub.stop();
    await folder.remove();
  });

  const run = async (
    command: CommandName,
    work: Run,
    { args = [], options = {}, as = "user" }: { args?: readonly string[]; options?: Options; as?: string },
  ) => {
    const all = { args, options: { kubeconfig: join(folder.path, as), ...options } };
    return (await runCommand(command, (context) => work(context as CommandContext), all)).text;
  };

  it("sees the clusters of it, and that the rest is not for this user", async () => {
    const text = await run("status", runStatus, { options: { workspace: "team-a" } });
    expect(text).toContain("Repositories: this user may not list them\n");
    expect(text).toMatch(/^team-a\/eu-1 /mu);
    expect(text).not.toContain("team-b");
    const rows = JSON.parse(
      await run("status", runStatus, { options: { workspace: "team-a", output: "json" } }),
    ) as unknown[];
    expect(rows).toHaveLength(1);
  });

  it.each<readonly [CommandName, readonly string[], Run, { readonly options?: Options; readonly text: string }]>([
    ["status", ["team-a/eu-1"], runStatus, { text: "Cluster team-a/eu-1: " }],
    ["status", ["eu-1"], runStatus, { options: { workspace: "team-a" }, text: "Cluster team-a/eu-1: " }],
    ["get", ["cluster", "team-a/eu-1"], runGet, { options: { output: "name" }, text: "cluster.rollcall.dev/eu-1\n" }],
    ["describe", ["cluster/team-a/eu-1"], runDescribe, { text: "Cluster team-a/eu-1: " }],
    ["top", ["team-a/eu-1"], runTop, { text: "eu-1" }],
    ["events", ["cluster/team-a/eu-1"], runEvents, { text: "It has joined." }],
    ["suspend", ["team-a/eu-1"], runSuspend, { text: "Cluster/team-a/eu-1 is suspended until " }],
    ["suspend", ["eu-1"], runSuspend, { options: { workspace: "team-a" }, text: "Cluster/team-a/eu-1 is suspended" }],
    ["resume", ["eu-1"], runResume, { options: { workspace: "team-a" }, text: "Cluster/team-a/eu-1 is resumed." }],
    ["revoke", ["eu-1"], runRevoke, { options: { workspace: "team-a" }, text: "Cluster/team-a/eu-1 is revoked." }],
    [
      "wait",
      ["cluster/team-a/eu-1"],
      runWait,
      { options: { for: "create" }, text: "cluster.rollcall.dev/eu-1 created\n" },
    ],
  ])("rollcall %s %j works", async (command, args, work, { options = {}, text }) => {
    expect(await run(command, work, { args, options })).toContain(text);
  });

  it.each<readonly [CommandName, readonly string[], Run, Options]>([
    ["status", [], runStatus, {}],
    ["status", ["eu-1"], runStatus, {}],
    ["get", ["clusters"], runGet, {}],
    ["get", ["clusters"], runGet, { watch: true }],
    ["describe", ["clusters"], runDescribe, {}],
    ["top", [], runTop, {}],
    ["events", [], runEvents, {}],
    ["suspend", ["eu-1"], runSuspend, {}],
    ["wait", ["cluster/eu-1"], runWait, {}],
  ])("rollcall %s %j explains how to name it", async (command, args, work, options) => {
    await expect(run(command, work, { args, options })).rejects.toMatchObject({
      code: "E_KUBE_FORBIDDEN",
      remedy: expect.stringContaining("--workspace NAME") as string,
    });
  });

  it("is what --workspace shows to a user with all rights, too", async () => {
    const text = await run("status", runStatus, { options: { workspace: "team-a" }, as: "admin" });
    expect(text).not.toContain("team-b");
    expect(text).not.toContain("may not list them");
    const all = await run("status", runStatus, { as: "admin" });
    expect(all).toContain("ClusterGroup/team-b/all");
  });
});
