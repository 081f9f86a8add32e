import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runDescribe } from "../../../src/cli/commands/describe.ts";
import { runEvents } from "../../../src/cli/commands/events.ts";
import { isAppError } from "../../../src/core/errors.ts";
import { runGet } from "../../../src/cli/commands/get.ts";
import { runLogs } from "../../../src/cli/commands/logs.ts";
import { runTop } from "../../../src/cli/commands/top.ts";
import { runWait } from "../../../src/cli/commands/wait.ts";
import type { PlainContext } from "../../../src/cli/commands/command-context.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { installCrds } from "../../../src/install/install-crds.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { CommandName } from "../../../src/settings/option-entry.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { neverAborted } from "../../support/never-aborted.ts";

type Options = Readonly<Record<string, string | boolean>>;
interface Listed {
  readonly kind: string;
  readonly items: readonly { readonly kind: string; readonly metadata: Readonly<Record<string, unknown>> }[];
}

/** kubectl's commands, over objects that a daemon would have made; the same on every API server. */
export function describeGet(name: string, start: () => Promise<HubUnderTest>): void {
  describe(`rollcall get, describe, events and wait on ${name}`, () => {
    const id = randomUUID().slice(0, 8);
    const [eu, us] = [`get-eu-${id}`, `get-us-${id}`];
    let hub: HubUnderTest;
    let api: KubeApi;
    let folder: Awaited<ReturnType<typeof makeTempFolder>>;
    const run = async (
      command: CommandName,
      work: (context: PlainContext) => Promise<number>,
      [args, options = {}, more = {}]: [readonly string[], Options?, Partial<Parameters<typeof runCommand>[2]>?],
    ) =>
      runCommand(command, work, {
        args,
        options: { kubeconfig: join(folder.path, "kubeconfig"), ...options },
        ...more,
      });
    const get = async (...call: [readonly string[], Options?]) => (await run("get", runGet, call)).text;
    const setReady = async (namespace: string, cluster: string, status: string): Promise<void> => {
      const condition = { type: "Ready", status, reason: "Tested", message: "A test says so.", observedGeneration: 1 };
      const ref = { type: resourceTypes.cluster, namespace, name: cluster };
      const body: JsonObject = {
        status: {
          kubernetesVersion: "v1.33.1",
          conditions: [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }],
        },
      };
      await api.mergePatch(ref, body, { fieldManager: "test", subresource: "status" });
    };
    const create = async (kind: string, namespace: string, named: string, labels: Record<string, string> = {}) =>
      api.create(
        { apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { namespace, name: named, labels }, spec: {} },
        { fieldManager: "test" },
      );

    beforeAll(async () => {
      hub = await start();
      folder = await makeTempFolder();
      await writeFile(join(folder.path, "kubeconfig"), hub.kubeconfig);
      api = apiOf(readKubeconfig(hub.kubeconfig));
      await installCrds(api, neverAborted());
      for (const namespace of [eu, us]) {
        const place = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
        await api.create(place, { fieldManager: "test" });
      }
      await create("Cluster", eu, "prod-1", { env: "prod" });
      await create("Cluster", eu, "dev-1", { env: "dev" });
      await create("Cluster", us, "prod-1", { env: "prod" });
      await create("ClusterRegistrationToken", eu, "edge");
      await setReady(eu, "prod-1", "True");
      const involvedObject = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", namespace: eu, name: "prod-1" };
      const event = { apiVersion: "v1", kind: "Event", type: "Normal", reason: "Joined", message: "It has joined." };
      const metadata = { namespace: eu, name: "prod-1.1" };
      const lastTimestamp = "2026-01-01T00:00:00Z";
      await api.create({ ...event, metadata, involvedObject, lastTimestamp }, { fieldManager: "test" });
    });
    afterAll(async () => {
      for (const namespace of [eu, us]) await api.delete({ type: resourceTypes.namespace, name: namespace });
      await api.close();
      await hub.stop();
      await folder.remove();
    });

    it.each(["clusters", "cluster", "CLUSTER", "rcl", "clusters.rollcall.dev"])(
      "lists %s of one namespace in the columns of kubectl",
      async (kind) => {
        const [header, first, second, ...rest] = (await get([kind], { workspace: eu })).split("\n");
        expect(header).toMatch(/^NAMESPACE +NAME +READY +HEALTHY +VERSION +AGENT +PROTOCOL +REASON +AGE$/u);
        expect(first).toMatch(new RegExp(`^${eu} +dev-1 .*s$`, "u"));
        expect(second).toMatch(new RegExp(`^${eu} +prod-1 +True +v1\\.33\\.1 .*Tested +\\d+s$`, "u"));
        expect(rest).toEqual([""]);
      },
    );

    it("lists heartbeats, versions and resources as top, where agents report them", async () => {
      const capacity = { cpu: "8", memory: "32Gi" };
      const resources = { capacity, allocatable: capacity, available: { cpu: "6", memory: "8Gi" } };
      const body: JsonObject = { status: { nodes: { total: 3, ready: 2 }, agent: { version: "0.1.0" }, resources } };
      const ref = { type: resourceTypes.cluster, namespace: eu, name: "prod-1" };
      await api.mergePatch(ref, body, { fieldManager: "test", subresource: "status" });
      const top = async (...call: [readonly string[], Options?]) => (await run("top", runTop, call)).text.split("\n");
      const [header, dev, prod, ...rest] = await top([], { workspace: eu });
      expect(header).toMatch(/^NAMESPACE +NAME +HEARTBEAT +VERSION +AGENT +NODES +CPU +CPU% +MEMORY +MEMORY%$/u);
      expect(dev).toMatch(new RegExp(`^${eu} +dev-1 +none$`, "u"));
      expect(prod).toMatch(/ prod-1 +none +v1\.33\.1 +0\.1\.0 +2\/3 +8 +25% +32\.0 GiB +75%$/u);
      expect(rest).toEqual([""]);
      expect((await top([], { selector: "env=prod" })).filter((line) => line.includes(id))).toHaveLength(2);
      await expect(top(["prod-9"])).rejects.toThrow(/no Cluster prod-9, did you mean prod-1\?/u);
    });

    it("has more columns with --output wide, and one line for each name in every namespace", async () => {
      const lines = (await get(["clusters", "prod-1"], { output: "wide" })).split("\n");
      expect(lines[0]).toMatch(/AGE +NODES +CLIENT ID +MESSAGE$/u);
      const own = lines.filter((line) => line.includes(id));
      expect(own.map((line) => line.split(" ")[0])).toEqual([eu, us]);
      expect(own[0]).toContain("A test says so.");
      expect(await get(["clusters", `${us}/prod-1`], { output: "name" })).toBe("cluster.rollcall.dev/prod-1\n");
    });

    it("prints one object for one name, and a List otherwise, without managers of fields", async () => {
      const one = JSON.parse(await get(["tokens", "edge"], { workspace: eu, output: "json" })) as Listed["items"][0];
      expect(one).toMatchObject({ kind: "ClusterRegistrationToken", metadata: { name: "edge", namespace: eu } });
      expect(one.metadata).not.toHaveProperty("managedFields");
      for (const text of [
        await get(["cluster"], { workspace: eu, output: "json" }),
        await get(["cluster"], { workspace: eu, output: "yaml" }),
      ]) {
        const list = parse(text) as Listed;
        expect(list.kind).toBe("List");
        expect(list.items.map(({ kind, metadata }) => `${kind}/${String(metadata["name"])}`)).toEqual([
          "Cluster/dev-1",
          "Cluster/prod-1",
        ]);
      }
      expect(JSON.parse(await get(["groups"], { workspace: eu, output: "json" }))).toMatchObject({ items: [] });
    });

    it("selects by labels, and prints paths of JSON", async () => {
      const selected = { workspace: eu, selector: "env in (prod, test)" };
      expect(await get(["clusters"], { ...selected, output: "name" })).toBe("cluster.rollcall.dev/prod-1\n");
      const ready = '{.items[*].metadata.name}{"\\t"}{.items[0].status.conditions[?(@.type=="Ready")].status}{"\\n"}';
      expect(await get(["clusters"], { ...selected, output: `jsonpath=${ready}` })).toBe("prod-1\tTrue\n");
      expect(await get(["cluster/prod-1"], { workspace: eu, output: "jsonpath={.spec.nothing}" })).toBe("");
    });

    it("selects by fields and conditions", async () => {
      const names = (fields: string) => get(["clusters"], { workspace: eu, output: "name", "field-selector": fields });
      expect(await names("Ready=True")).toBe("cluster.rollcall.dev/prod-1\n");
      expect(await names("metadata.name!=prod-1")).toBe("cluster.rollcall.dev/dev-1\n");
      expect(await names("status.kubernetesVersion=v1.33.1,Ready!=True")).toBe("");
    });

    const commands = [
      ["get", runGet, ["clusters", "dev-1"], { output: "name" }, "cluster.rollcall.dev/dev-1"],
      ["describe", runDescribe, ["cluster", "dev-1"], {}, "dev-1: Declared\n"],
      ["events", runEvents, ["cluster/prod-1"], {}, "It has joined."],
      ["wait", runWait, ["cluster.rollcall.dev/prod-1"], { timeout: "100s" }, "condition met"],
      ["top", runTop, ["dev-1"], {}, "dev-1 "],
      [
        "logs",
        runAndRefuse,
        ["dev-1"],
        {},
        "Type in that cluster: kubectl -n rollcall-agent logs deployment/rollcall-agent",
      ],
    ] as const;

    it.each(commands)(
      "%s reaches the hub by the context of --context",
      async (command, ...[work, args, options, text]) => {
        const known = parse(hub.kubeconfig) as {
          readonly contexts: readonly { readonly name: string; readonly context: object }[];
          readonly clusters: readonly object[];
        };
        const [first] = known.contexts;
        const other = { name: "none", context: { ...first?.context, cluster: "none" } };
        const none = { name: "none", cluster: { server: "https://127.0.0.1:1" } };
        const kubeconfig = join(folder.path, "two-contexts");
        const both = {
          contexts: [...known.contexts, other],
          clusters: [...known.clusters, none],
          "current-context": "none",
        };
        await writeFile(kubeconfig, JSON.stringify({ ...known, ...both }));
        const chosen = await run(command, work, [
          args,
          { ...options, workspace: eu, kubeconfig, context: first?.name ?? "" },
        ]);
        expect(chosen.text).toContain(text);
      },
    );

    it("names with logs how to get to the kubeconfig that the hub keeps, once it is clear which cluster is meant", async () => {
      const spec = { protocol: "fleet", kubeConfigSecretRef: { name: "far-kubeconfig", key: "kubeconfig" } };
      const ref = { type: resourceTypes.cluster, namespace: us, name: "prod-1" };
      await api.mergePatch(ref, { spec }, { fieldManager: "test" });
      const logs = (options: Options) => run("logs", runAndRefuse, [["prod-1"], options]);
      expect((await logs({ workspace: us })).text).toBe(
        `Type with a kubeconfig of the hub: (umask 077; kubectl -n ${us} get secret far-kubeconfig -o ` +
          `'go-template={{index .data "kubeconfig" | base64decode}}' > prod-1.kubeconfig) && ` +
          "kubectl --kubeconfig prod-1.kubeconfig -n cattle-fleet-system logs deployment/fleet-agent",
      );
      await expect(logs({})).rejects.toThrow(/more than one Cluster is called prod-1/u);
      await api.mergePatch(ref, { spec: { protocol: null, kubeConfigSecretRef: null } }, { fieldManager: "test" });
    });

    it.each([
      { args: ["clusters", "prod-2"], options: {}, message: "the hub has no Cluster prod-2, did you mean prod-1?" },
      { args: ["clutsers"], options: {}, message: "there is no kind clutsers; did you mean clusters?" },
      { args: ["ClusterLabels"], options: {}, message: "no object of kind ClusterLabels is on a hub" },
      { args: ["clusters"], options: { output: "jsno" }, message: "--output is jsno; it can be wide, json" },
      { args: ["clusters"], options: { output: "jsonpath={range .items[*]}x{end}" }, message: "is not supported" },
      { args: ["clusters"], options: { output: "jsonpath={.items[?(@.a>b)]}" }, message: "is not supported" },
      { args: ["clusters"], options: { output: "jsonpath={.a" }, message: "a brace has no partner" },
      { args: ["clusters"], options: { selector: "a in (" }, message: "E_KUBE_INVALID" },
      { args: ["cluster/prod-1", "token/edge"], options: {}, message: "token/edge is not of the form cluster/NAME" },
    ])("refuses $args $options with what to type", async ({ args, options, message }) => {
      const failure = await get(args, options as Options).then(String, (error: unknown) => error);
      const { code, message: text } = failure as { readonly code: string; readonly message: string };
      expect(`${code}: ${text}`).toContain(message);
    });

    it("prints an object again when it changes, with --watch, until it is stopped", async () => {
      const stopping = new AbortController();
      let text = "";
      const onText = (part: string): void => {
        text += part;
        if (text.split("\n").length === 4) void setReady(us, "prod-1", "False");
        if (text.includes("False")) stopping.abort(new Error("stopped by the test"));
      };
      await create("Cluster", us, "late");
      const watching = run("get", runGet, [
        ["clusters"],
        { workspace: us, watch: true },
        { signal: stopping.signal, onText },
      ]);
      await expect(watching).rejects.toThrow("stopped by the test");
      const lines = text.trimEnd().split("\n");
      expect(lines.map((line) => line.split(/ +/u)[1])).toEqual(["NAME", "late", "prod-1", "prod-1"]);
      expect(lines[3]?.indexOf("False")).toBe(lines[0]?.indexOf("READY"));
    });

    it("prints the header with the first object that a watch selects, also when there was none at first", async () => {
      const stopping = new AbortController();
      let text = "";
      const onText = (part: string): void => {
        text += part;
        stopping.abort(new Error("stopped by the test"));
      };
      const watching = run("get", runGet, [
        ["clusters"],
        { workspace: us, watch: true, "field-selector": "Ready=Unknown" },
        { signal: stopping.signal, onText },
      ]);
      const stopped = expect(watching).rejects.toThrow("stopped by the test");
      await get(["clusters"], { workspace: us });
      await setReady(us, "prod-1", "Unknown");
      await stopped;
      expect(text.split("\n").map((line) => line.split(/ +/u)[1])).toEqual(["NAME", "prod-1", undefined]);
      await setReady(us, "prod-1", "False");
    });

    it("describes a cluster without the Events of one that had its name before", async () => {
      const involvedObject = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", namespace: eu, name: "dev-1" };
      const event = { apiVersion: "v1", kind: "Event", type: "Warning", reason: "Refused", message: "It was refused." };
      const uid = randomUUID();
      const metadata = { namespace: eu, name: "dev-1.before" };
      const ref = { type: resourceTypes.event, namespace: eu, name: metadata.name };
      await api.create({ ...event, metadata, involvedObject: { ...involvedObject, uid } }, { fieldManager: "test" });
      const { text } = await run("describe", runDescribe, [["cluster", "dev-1"], { workspace: eu }]);
      await api.delete(ref);
      expect(text).toContain("\nEvents: none\n");
    });

    it("describes a cluster as status does, with labels and Events, and other kinds as YAML", async () => {
      const { text } = await run("describe", runDescribe, [["cluster", "prod-1"], { workspace: eu }]);
      expect(text).toContain(`Cluster ${eu}/prod-1: Ready\n`);
      expect(text).toMatch(/^ {2}Ready +True for .*: Tested\n {4}A test says so\.$/mu);
      expect(text).toContain("\nLabels:\n  env=prod\n\nEvents:\n");
      expect(text).toMatch(/Normal +Joined +Cluster\/prod-1 +It has joined\.\n$/u);
      const token = (await run("describe", runDescribe, [["tokens", "edge"], { workspace: eu }])).text;
      expect(token).toContain("kind: ClusterRegistrationToken\n");
      expect(token).not.toContain("managedFields");
      expect(token.endsWith("\nEvents: none\n")).toBe(true);
    });

    it("lists Events of one object, or of all, the newest last", async () => {
      const all = await run("events", runEvents, [[], { workspace: eu }]);
      expect(all.text).toMatch(/^NAMESPACE +LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/u);
      const one = await run("events", runEvents, [[`cluster/${eu}/prod-1`], { output: "json" }]);
      expect((JSON.parse(one.text) as Listed).items).toHaveLength(1);
      expect((await run("events", runEvents, [["cluster/dev-1"], { workspace: eu }])).text).toBe("");
      for (const args of [[`cluster/${eu}/prod-1/more`], ["clusters"], ["cluster", "prod-1", "dev-1"]])
        await expect(run("events", runEvents, [args]), args.join(" ")).rejects.toMatchObject({ code: "E_USAGE" });
    });

    const wait = async (...call: [readonly string[], Options?]) => run("wait", runWait, call);

    it("waits for a condition, and for what is deleted", async () => {
      expect((await wait(["cluster/prod-1"], { workspace: eu })).text).toBe(
        "cluster.rollcall.dev/prod-1 condition met\n",
      );
      await create("Cluster", us, "slow");
      const ready = wait(["cluster/slow"], { workspace: us, timeout: "100s" });
      await setReady(us, "slow", "True");
      expect((await ready).text).toContain("condition met");
      const made = wait(["cluster/later", `cluster/${us}/slow`], { for: "create", timeout: "100s" });
      await create("Cluster", us, "later");
      expect((await made).text.split("\n").sort()).toEqual([
        "",
        "cluster.rollcall.dev/later created",
        "cluster.rollcall.dev/slow created",
      ]);
      const gone = wait(["cluster/slow"], { workspace: us, for: "delete", timeout: "100s" });
      await api.delete({ type: resourceTypes.cluster, namespace: us, name: "slow" });
      expect(await gone).toMatchObject({ code: 0 });
      expect((await wait(["cluster/never"], { workspace: us, for: "delete" })).text).toBe("");
    });

    it.each(["condition=ready", "condition=READY=true"])(
      "takes %s for a condition, as kubectl wait does",
      async (goal) => {
        const { text } = await wait(["cluster/prod-1"], { workspace: eu, for: goal });
        expect(text).toContain("condition met");
      },
    );

    it("waits for a condition of the newest spec: one of an earlier generation is not it", async () => {
      await create("Cluster", us, "edited");
      const ref = { type: resourceTypes.cluster, namespace: us, name: "edited" };
      const spec = { displayName: "Edited" };
      const { generation = 0 } = (await api.mergePatch(ref, { spec }, { fieldManager: "test" })).metadata;
      expect(generation).toBeGreaterThan(1);
      const report = (observedGeneration: number | null, isOfStatus: boolean) => {
        const observed = { observedGeneration };
        const ready = { type: "Ready", status: "True", reason: "Tested", message: "A test says so." };
        const condition = { ...ready, lastTransitionTime: "2026-01-01T00:00:00Z", ...(isOfStatus ? {} : observed) };
        const status = { conditions: [condition], observedGeneration: isOfStatus ? observedGeneration : null };
        return api.mergePatch(ref, { status }, { fieldManager: "test", subresource: "status" });
      };
      const waiting = (timeout: string) => wait(["cluster/edited"], { workspace: us, timeout });
      await report(null, true);
      expect((await waiting("100s")).text).toContain("condition met");
      for (const isOfStatus of [true, false]) {
        await report(generation - 1, isOfStatus);
        await expect(waiting("1s")).rejects.toThrow(
          "Ready is True (Tested: A test says so.), of an earlier version of its spec, after 1s",
        );
        await report(generation, isOfStatus);
        expect((await waiting("100s")).text).toContain("condition met");
      }
      await api.delete(ref);
    });

    it.each([
      { args: ["cluster/dev-1"], options: { timeout: "3s" }, message: "it has no condition Ready after 3s" },
      {
        args: ["cluster/prod-1"],
        options: { for: "condition=Ready=False", timeout: "3s" },
        message: "Ready is True (Tested: A test says so.) after 3s",
      },
      {
        args: ["cluster/dev-1", "cluster/lost", `cluster/${us}/dev-1`],
        options: { for: "create", timeout: "3s" },
        message: `wait for Cluster/lost, Cluster/${us}/dev-1: not on the hub after 3s`,
      },
      { args: ["cluster/lost"], options: {}, message: "the hub has no Cluster lost" },
      { args: ["clusters"], options: {}, message: "name what to wait for: clusters/NAME" },
      { args: ["cluster/dev-1"], options: { for: "Ready" }, message: "--for is Ready; it can be such as condition=" },
      { args: ["cluster/dev-1"], options: { timeout: "soon" }, message: "--timeout: soon is no duration" },
    ])("ends a wait for $args $options: $message", async ({ args, options, message }) => {
      await expect(wait(args, { workspace: eu, ...(options as Options) })).rejects.toThrow(message);
    });
  });
}

/** `rollcall logs`, with the command that its refusal names as its output. */
async function runAndRefuse(context: PlainContext): Promise<number> {
  try {
    return await runLogs(context);
  } catch (error) {
    if (!isAppError(error, "E_UNSUPPORTED")) throw error;
    context.stdout.write(error.remedy);
    return 1;
  }
}
