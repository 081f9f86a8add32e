import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { CommandContext } from "../../../src/cli/commands/command-context.ts";
import { runDescribe } from "../../../src/cli/commands/describe.ts";
import { runEvents } from "../../../src/cli/commands/events.ts";
import { runGet } from "../../../src/cli/commands/get.ts";
import { runStatus } from "../../../src/cli/commands/status.ts";
import { runTop } from "../../../src/cli/commands/top.ts";
import { runWait } from "../../../src/cli/commands/wait.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { inlineKubeconfig } from "../../../src/model/inline-kubeconfig.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { ClusterRow } from "../../../src/model/generated/page-api.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { CommandName } from "../../../src/settings/option-entry.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import type { RunCommandOptions } from "../../support/plain-context.ts";
import { runCommand } from "../../support/plain-context.ts";
import { longestWaitMs } from "../../support/until.ts";

type Run = (context: CommandContext) => Promise<number>;
const manager = { fieldManager: "test" };
const { cluster: type } = resourceTypes;
const rbac = "rbac.authorization.k8s.io";
const request = {
  ...{ protocolVersion: 1, tokenName: "t", clientID: "uid-1", proof: "0".repeat(64) },
  ...{ signingKey: "A".repeat(59) + "=", sealingKey: "A".repeat(59) + "=" },
};
const own = (kind: string, namespace: string, name: string, more: object = {}): KubeObject => ({
  ...{ apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { namespace, name }, spec: {} },
  ...more,
});

describe("commands that show what the hub has", () => {
  let hub: HubUnderTest;
  let api: KubeApi;
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;

  const run = async (command: CommandName, work: Run, { options = {}, ...more }: RunCommandOptions) => {
    let errorText = "";
    const stderr = new Writable({
      write: (part, _encoding, done) => {
        errorText += String(part);
        done();
      },
    }) as unknown as NodeJS.WriteStream;
    const kubeconfig = join(folder.path, "admin");
    const all = { ...more, options: { kubeconfig, ...options } };
    const result = await runCommand(command, (context) => work({ ...context, stderr } as CommandContext), all);
    return { ...result, errorText };
  };
  const asViewer = () => ({ kubeconfig: join(folder.path, "viewer") });
  const setStatus = (name: string, status: object, kind = type) =>
    api.mergePatch({ type: kind, namespace: "eu", name }, { status } as never, { ...manager, subresource: "status" });
  const setReady = (name: string) => {
    const ready = { type: "Ready", status: "True", reason: "Tested", message: "It is." };
    return setStatus(name, { conditions: [{ ...ready, lastTransitionTime: "2026-01-01T00:00:00Z" }] });
  };

  beforeAll(async () => {
    hub = await readyHub();
    folder = await makeTempFolder();
    api = apiOf(readKubeconfig(hub.kubeconfig));
    const heartbeat = rollcallProtocol.heartbeatRef({
      workspace: "eu",
      name: "c10",
      cluster: own("Cluster", "eu", "c10") as Cluster,
    });
    const place = { namespace: "eu", name: heartbeat.name };
    const viewer = { name: "viewer", namespace: "eu" };
    const rules = [{ apiGroups: [type.group], resources: [type.plural], verbs: ["get", "list", "watch"] }];
    const roleRef = { apiGroup: rbac, kind: "ClusterRole", name: "viewer" };
    const subjects = [{ kind: "ServiceAccount", ...viewer }];
    const event = { apiVersion: "v1", kind: "Event", type: "Normal", reason: "Joined", message: "It has joined." };
    const eventOf = (namespace: string) => {
      const involvedObject = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", namespace, name: "c2" };
      return { ...event, metadata: { namespace, name: "c2.1" }, involvedObject };
    };
    for (const object of [
      ...["eu", "us", "empty"].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
      ...[own("Cluster", "eu", "c10"), own("Cluster", "eu", "c2"), own("Cluster", "us", "c2")],
      own("ClusterGroup", "eu", "all", { spec: { selector: {} } }),
      own("ClusterRegistration", "eu", "asked", { spec: { ...request, clusterName: "c10" } }),
      {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: place,
        spec: { renewTime: "2026-01-01T00:00:00.000000Z" },
      },
      ...[eventOf("eu"), eventOf("us")],
      { apiVersion: "v1", kind: "ServiceAccount", metadata: viewer },
      { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name: "viewer" }, rules },
      { apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata: { name: "viewer" }, roleRef, subjects },
    ])
      await api.create(object, manager);
    const decision = { decision: "Refused", reason: "NotNamed", message: "The token does not name it." };
    await setStatus("asked", decision, resourceTypes.clusterRegistration);
    const { token } = await api.requestToken({ namespace: "eu", serviceAccount: "viewer", expirationSeconds: 3600 });
    const { caPem } = await readKubeconfig(hub.kubeconfig).getTls();
    const access = { server: api.server, token, caPem };
    await writeFile(join(folder.path, "admin"), hub.kubeconfig);
    await writeFile(
      join(folder.path, "viewer"),
      stringify(inlineKubeconfig(access, { cluster: "hub", user: "viewer" })),
    );
  });
  afterAll(async () => {
    await api.close();
    await hub.stop();
    await folder.remove();
  });

  it.each<readonly [CommandName, Run, readonly string[], string]>([
    ["get", runGet, ["clusters"], "No clusters in namespace empty.\n"],
    ["events", runEvents, [], "No Events. The hub keeps them for an hour by default.\n"],
    ["top", runTop, [], "No clusters.\n"],
  ])("%s has no answer where there is nothing, and reports it beside", async (command, work, args, message) => {
    const { code, text, errorText } = await run(command, work, { args, options: { workspace: "empty" } });
    expect([code, text, errorText]).toEqual([0, "", message]);
  });

  it("get --watch prints those that are named, and refuses a name that there is none of", async () => {
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(longestWaitMs)]);
    let text = "";
    const onText = (part: string): void => {
      text += part;
      if (text.includes("c2")) stopping.abort(new Error("stopped by the test"));
    };
    const options = { workspace: "eu", watch: true, output: "name" };
    const watching = run("get", runGet, { args: ["clusters", "c2"], options, signal, onText });
    await expect(watching).rejects.toThrow("stopped by the test");
    expect(text).toBe("cluster.rollcall.dev/c2\n");
    const lost = run("get", runGet, { args: ["clusters", "c3"], options, signal: AbortSignal.timeout(longestWaitMs) });
    await expect(lost).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
  });

  it("events reads those of the object in its own workspace", async () => {
    const { text } = await run("events", runEvents, { args: ["cluster/us/c2"], options: { output: "json" } });
    const { items } = JSON.parse(text) as { readonly items: readonly KubeObject[] };
    expect(items.map(({ metadata }) => metadata.namespace)).toEqual(["us"]);
  });

  it("top has the heartbeat of each cluster in its own line", async () => {
    const { text } = await run("top", runTop, { options: { workspace: "eu" } });
    const lines = text.split("\n").slice(1, 3);
    expect(lines.map((line) => line.split(/ +/u).slice(1, 3))).toEqual([
      ["c10", expect.stringMatching(/^\d+\w/u)],
      ["c2", "none"],
    ]);
  });

  it("describe has the heartbeat of a cluster, and the agents that were refused", async () => {
    const { text } = await run("describe", runDescribe, { args: ["cluster", "c10"], options: { workspace: "eu" } });
    expect(text).toMatch(/^ {2}heartbeat +\d+.* ago$/mu);
    expect(text).toContain("An agent asked to be it and was refused: NotNamed (ClusterRegistration asked)");
    const none = run("describe", runDescribe, { args: ["groups"], options: { workspace: "us" } });
    await expect(none).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
  });

  it("describe and status show a user with few rights what this user may read", async () => {
    const args = ["cluster", "c10"];
    const { text } = await run("describe", runDescribe, { args, options: { ...asViewer(), workspace: "eu" } });
    expect(text).toContain("Cluster eu/c10: ");
    expect(text).not.toContain("An agent asked to be it");
    expect(text).toContain("\nEvents: this user may not list them\n");
    const status = await run("status", runStatus, { options: { ...asViewer(), output: "json" } });
    expect(JSON.parse(status.text)).toHaveLength(3);
    // Rights in the workspace alone suffice for what is in it.
    const metadata = { namespace: "eu", name: "registrations" };
    const rules = [{ apiGroups: [type.group], resources: ["clusterregistrations"], verbs: ["list"] }];
    const roleRef = { apiGroup: rbac, kind: "Role", name: metadata.name };
    const subjects = [{ kind: "ServiceAccount", name: "viewer", namespace: "eu" }];
    await api.create({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules }, manager);
    await api.create({ apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata, roleRef, subjects }, manager);
    const more = await run("describe", runDescribe, { args, options: { ...asViewer(), workspace: "eu" } });
    expect(more.text).toContain("An agent asked to be it");
  });

  it("status has the rows as people count, with the groups of each, and what no file declares", async () => {
    const { text } = await run("status", runStatus, { options: { output: "json" } });
    const rows = JSON.parse(text) as readonly ClusterRow[];
    expect(rows.map(({ workspace, name, groups }) => [`${workspace}/${name}`, groups])).toEqual([
      ["eu/c2", ["all"]],
      ["eu/c10", ["all"]],
      ["us/c2", undefined],
    ]);
    const plain = await run("status", runStatus, {});
    expect(plain.text).toMatch(/\nOn the hub, not in git:\n {2}ClusterGroup\/eu\/all: /u);
  });

  describe("wait for more than one object", () => {
    const waitFor = async (names: readonly string[], { onFirst }: { readonly onFirst: () => void }, signal = never) => {
      for (const name of names) await api.create(own("Cluster", "eu", name), manager);
      await setReady(names[0] ?? "");
      const args = names.map((name) => `cluster/${name}`);
      const options = { workspace: "eu", timeout: "100s" };
      return run("wait", runWait, { args, options, signal, onText: onFirst });
    };
    const never = new AbortController().signal;

    it("ends when each of them is ready", async () => {
      const { text } = await waitFor(["w1", "w2"], { onFirst: () => void setReady("w2") });
      expect(text).toBe("cluster.rollcall.dev/w1 condition met\ncluster.rollcall.dev/w2 condition met\n");
    });

    it("reports one that is deleted meanwhile", async () => {
      const onFirst = () => void api.delete({ type, namespace: "eu", name: "w4" });
      const waiting = waitFor(["w3", "w4"], { onFirst });
      const message = "wait for Cluster/eu/w4: it was deleted";
      await expect(waiting).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND", message });
    });

    it("ends with the reason when it is stopped, which is no end of time", async () => {
      const stopping = new AbortController();
      const onFirst = () => stopping.abort(new Error("stopped by the test"));
      await expect(waitFor(["w5", "w6"], { onFirst }, stopping.signal)).rejects.toThrow("stopped by the test");
    });
  });
});
