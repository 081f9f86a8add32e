import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCheck } from "../../../src/cli/commands/check.ts";
import type { CommandContext } from "../../../src/cli/commands/command-context.ts";
import { runGet } from "../../../src/cli/commands/get.ts";
import { runReconcile, runResume, runSuspend } from "../../../src/cli/commands/operate.ts";
import { runStatus } from "../../../src/cli/commands/status.ts";
import { runUninstall } from "../../../src/cli/commands/uninstall.ts";
import { removeRemains } from "../../../src/cli/commands/uninstall-remains.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { leadership, leaseNames } from "../../../src/daemon/leadership.ts";
import { installHub } from "../../../src/install/install-hub.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { runAsLeader } from "../../../src/kube/leader-election.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { pageApiDocument } from "../../../src/model/generated/page-api-document.ts";
import { apiVersionOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { fieldManagers } from "../../../src/model/well-known.ts";
import type { CommandName } from "../../../src/settings/option-entry.ts";
import { whenAborted } from "../../../src/system/when-aborted.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import type { RunCommandOptions } from "../../support/plain-context.ts";
import { runCommand } from "../../support/plain-context.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import type { CommandSession } from "./command-session.ts";
import { openCommandSession } from "./command-session.ts";
import { neverAborted } from "../../support/never-aborted.ts";

/** More than the client of an API server reads at once. */
async function readMetrics(path: string): Promise<string> {
  const { server, getTls } = readKubeconfig(await readFile(path, "utf8"));
  const { caPem: ca, certPem: cert, keyPem: key } = await getTls();
  const [response] = (await once(get(`${server}/metrics`, { ca, cert, key }), "response")) as [IncomingMessage];
  return buffer(response).then(String);
}

const clusterHeader = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster" };

const manager = { fieldManager: "test" };
/** What it writes is meant: edits by hand are taken back. */
const declaring = { fieldManager: fieldManagers.git };
const c1 = { type: resourceTypes.cluster, namespace: "fleet", name: "c1" };

type Options = Readonly<Record<string, string | boolean>>;

/** The objects of the kinds that a hub has for Rollcall as a whole, but those of Kubernetes itself. */
async function whatIsLeft(api: KubeApi): Promise<string[]> {
  const { validatingAdmissionPolicy, validatingAdmissionPolicyBinding, role, roleBinding, lease, configMap } =
    resourceTypes;
  const names: string[] = [];
  for (const type of [
    validatingAdmissionPolicy,
    validatingAdmissionPolicyBinding,
    role,
    roleBinding,
    lease,
    configMap,
  ]) {
    const { items } = await api.list(type);
    const ours = items.filter(({ metadata: { name, namespace = "" } }) => {
      return !namespace.startsWith("kube-") && name !== "kube-root-ca.crt";
    });
    names.push(...ours.map(({ metadata: { name } }) => `${type.kind}/${name}`));
  }
  return names;
}

describe("an option of a command for the hub takes effect", () => {
  let commands: CommandSession;
  let usual: { readonly kubeconfig: string; readonly namespace: string };
  beforeAll(async () => {
    commands = await openCommandSession("apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: c1}\n");
    usual = { kubeconfig: commands.kubeconfig, namespace: commands.session.namespace };
  });
  afterAll(() => commands.close());

  const asContext =
    (run: (context: CommandContext) => Promise<number>) =>
    (context: Parameters<Parameters<typeof runCommand>[1]>[0]): Promise<number> =>
      run({
        ...context,
        stdout: context.stdout as unknown as NodeJS.WriteStream,
        stderr: createWriteStream("/dev/null") as unknown as NodeJS.WriteStream,
      });
  const textOf = async (
    name: CommandName,
    run: Parameters<typeof runCommand>[1],
    { options = {}, ...more }: RunCommandOptions = {},
  ): Promise<string> => (await runCommand(name, run, { options: { ...usual, ...options }, ...more })).text;
  const status = (options: Options = {}, environment = {}) =>
    textOf("status", asContext(runStatus), { options, environment });

  it("status --namespace: the Repositories of that namespace are shown", async () => {
    expect(await status()).toContain(commands.session.repository.path);
    expect(await status({ namespace: "elsewhere" })).not.toContain(commands.session.repository.path);
  });

  it("status --output: JSON is for programs, in the form that --server gives", async () => {
    const rows = JSON.parse(await status({ output: "json" })) as object[];
    expect(rows).toMatchObject([
      { name: "c1", state: expect.any(String) as string, phase: expect.any(String) as string, labels: {} },
    ]);
    const ajv = new Ajv2020({ strict: false }).addSchema(pageApiDocument, "api");
    expect(rows.map((row) => ajv.validate("api#/components/schemas/ClusterRow", row))).toEqual([true]);
  });

  it("status --server: a page is asked, and no hub", async () => {
    const server = "http://127.0.0.1:1";
    await expect(status({ server })).rejects.toMatchObject({ code: "E_PAGE_SERVER" });
  });

  it("KUBECONFIG names the hub where no option does", async () => {
    const { namespace, kubeconfig } = usual;
    const run = (environment: Readonly<Record<string, string>>) =>
      runCommand("status", asContext(runStatus), { options: { namespace }, environment });
    expect((await run({ KUBECONFIG: kubeconfig, HOME: "/nonexistent" })).text).toContain("c1");
    await expect(run({ HOME: "/nonexistent" })).rejects.toMatchObject({ code: "E_KUBECONFIG" });
  });

  it("suspend --yes: a person at a terminal is not asked", async () => {
    const text = await textOf("suspend", runSuspend, { options: { yes: true }, isTerminal: true });
    expect(text).toMatch(/ is suspended\.\n$/u);
    await textOf("resume", runResume);
  });

  it("reconcile --no-wait: it ends when the run is asked for", async () => {
    expect(await textOf("reconcile", runReconcile)).toContain(" is applied.");
    expect(await textOf("reconcile", runReconcile, { options: { wait: false } })).not.toContain(" is applied.");
  });

  it("get --watch: an object is printed again when it changes", async () => {
    const { session } = commands;
    const stopping = new AbortController();
    const label = randomBytes(4).toString("hex");
    let text = "";
    const onText = (part: string): void => {
      if (text === "") {
        const ref = { type: resourceTypes.cluster, namespace: session.workspace, name: "c1" };
        const change = { metadata: { annotations: { "example.com/seen": label } } };
        void session.api.mergePatch(ref, change, { fieldManager: "test" });
      }
      text += part;
      if (text.includes(label)) stopping.abort(new Error("stopped by the test"));
    };
    const options = { workspace: session.workspace, watch: true, output: "json" };
    const watching = textOf("get", runGet, { args: ["clusters", "c1"], options, signal: stopping.signal, onText });
    await expect(watching).rejects.toThrow("stopped by the test");
  });

  it("check --context, --repository and --identity", async () => {
    const check = async (options: Options) =>
      textOf("check", runCheck, { options: { ...options, output: "text" } }).catch(String);
    expect(await check({ context: "unknown" })).toMatch(/unknown/u);
    expect(await check({})).not.toContain("neither --repo nor the hub names one");
    expect(await check({ repository: "other" })).toContain("neither --repo nor the hub names one");
  });

  describe("uninstall", () => {
    const emptyHub = async (work: (options: Options, api: KubeApi) => Promise<void>) => {
      const hub = await embeddedHub();
      const api = apiOf(readKubeconfig(hub.kubeconfig));
      try {
        const kubeconfig = join(commands.folder, randomBytes(4).toString("hex"));
        await writeFile(kubeconfig, hub.kubeconfig);
        await installHub(api, "rollcall-system", neverAborted());
        const metadata = { name: "fleet", labels: { "rollcall.dev/workspace": "true" } };
        await api.create({ apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager: "test" });
        await work({ kubeconfig, all: true }, api);
      } finally {
        await api.close();
        await hub.stop();
      }
    };
    const uninstall = (options: Options) => runCommand("uninstall", runUninstall, { options, stdin: "no\n" });

    it("--yes: it does not ask, and --namespace: its namespace stays", async () => {
      await emptyHub(async (options) => {
        await expect(uninstall(options)).rejects.toThrow("nothing was removed");
        const { code, text } = await uninstall({ ...options, yes: true, namespace: "of-the-daemon" });
        expect(code).toBe(0);
        expect(text).toContain("Namespaces stay: fleet, of-the-daemon, rollcall-public.");
      });
    });

    it("refuses while a daemon runs, also one whose fleet has no cluster", async () => {
      await emptyHub(async (options, api) => {
        const place = { namespace: "rollcall-system", name: leaseNames.hub };
        const ending = new AbortController();
        const { signal } = ending;
        const elected = { ...leadership, ...place, identity: "daemon", clock: realClock, random: realRandom, signal };
        let daemon: Promise<void> | undefined;
        await new Promise<void>((resolve) => {
          const onLeading = (leading: AbortSignal): Promise<void> => {
            resolve();
            return whenAborted(leading);
          };
          daemon = runAsLeader(api, { ...elected, onLeading });
        });
        await expect(uninstall({ ...options, yes: true })).rejects.toThrow("still runs: remove it first");
        expect(await api.get({ type: resourceTypes.lease, ...place })).toBeDefined();
        ending.abort();
        await daemon;
      });
    });

    it("reports why no Lease can be written, as in a namespace that is being deleted", async () => {
      await emptyHub(async (options, api) => {
        const metadata = { name: "held", namespace: "rollcall-system", finalizers: ["example.com/held"] };
        await api.create({ apiVersion: "v1", kind: "ConfigMap", metadata }, { fieldManager: "test" });
        await api.delete({ type: resourceTypes.namespace, name: "rollcall-system" });
        await expect(uninstall({ ...options, yes: true })).rejects.toThrow(
          /^create Lease\/rollcall-system\/.* being terminated/u,
        );
      });
    });

    it("removes the policies that warn users, the rights of clients without a credential, and its Leases", async () => {
      await emptyHub(async (options, api) => {
        const places = {
          lease: { type: resourceTypes.lease, namespace: "rollcall-system", name: "rollcall-watch" },
          info: { type: resourceTypes.configMap, namespace: "rollcall-public", name: "hub-info" },
          other: { type: resourceTypes.lease, namespace: "rollcall-system", name: "of-another-program" },
        };
        for (const { type, namespace, name } of Object.values(places)) {
          const metadata = { namespace, name, labels: { made: "here" } };
          const object = { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
          await api.apply(object, { fieldManager: fieldManagers.hub });
        }
        expect(await whatIsLeft(api)).toContain("ValidatingAdmissionPolicy/rollcall-hub-edits");
        expect((await uninstall({ ...options, yes: true })).code).toBe(0);
        expect(await whatIsLeft(api)).toEqual(["Lease/of-another-program"]);
        expect(await api.get({ type: resourceTypes.namespace, name: "rollcall-public" })).toBeDefined();
      });
    });

    it("removes accounts of clusters also in a namespace that is no workspace any more", async () => {
      await emptyHub(async (options, api) => {
        const place = { namespace: "former", name: "c1" };
        const labels = { "rollcall.dev/cluster": "c1" };
        const serviceAccount = { type: resourceTypes.serviceAccount, ...place };
        const other = { type: resourceTypes.serviceAccount, namespace: "of-others", name: "c1" };
        for (const { metadata, ...rest } of [
          { apiVersion: "v1", kind: "Namespace", metadata: { name: "former" } },
          { apiVersion: "v1", kind: "Namespace", metadata: { name: "of-others" } },
          { ...clusterHeader, metadata: place, spec: {} },
          { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...place, labels } },
          { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: "of-others", name: "c1", labels } },
        ])
          await api.create({ ...rest, metadata }, { fieldManager: "test" });
        const { code } = await uninstall({ ...options, yes: true, timeout: "1s", "abandon-unreachable": true });
        expect([code, await api.get(serviceAccount)]).toEqual([3, undefined]);
        // What has the label and is in no namespace of the fleet may be a copy that another program made.
        expect(await api.get(other)).toBeDefined();
      });
    });

    it("removes a suspended cluster and one with a grace period too, and takes none that a commit removes for its own work", async () => {
      await emptyHub(async (options, api) => {
        const place = { namespace: "fleet" };
        const suspended = { ...place, name: "c1", annotations: { "rollcall.dev/reconcile": "disabled" } };
        const leaving = { ...place, name: "c2", annotations: { "rollcall.dev/leave": "1".repeat(40) } };
        for (const metadata of [suspended, leaving, { ...place, name: "c3" }])
          await api.create({ ...clusterHeader, metadata, spec: { deletionGracePeriod: "24h" } }, declaring);
        const { code, text } = await uninstall({ ...options, yes: true, timeout: "60s" });
        expect([code, text]).toEqual([0, expect.stringContaining("3 of 3 clusters have left\n")]);
        // One that a commit removes is not one that an uninstall ordered to leave.
        expect(text).not.toContain("An uninstall was stopped");
      });
    });

    it.each<readonly [string, (api: KubeApi) => Promise<unknown>, string]>([
      [
        "a cluster that joins",
        (api) => api.create({ ...clusterHeader, metadata: { name: "c2", namespace: "fleet" }, spec: {} }, manager),
        "nothing was removed: fleet/c2 was not there before",
      ],
      [
        "a cluster that a commit protects",
        (api) => api.mergePatch(c1, { spec: { deletionProtection: true } }, manager),
        "deletionProtection is on for fleet/c1",
      ],
    ])("A275 removes nothing of %s while a person answers", async (_, deed, refusal) => {
      await emptyHub(async (options, api) => {
        await api.create({ ...clusterHeader, metadata: { name: "c1", namespace: "fleet" }, spec: {} }, manager);
        const readLine = async (): Promise<string> => {
          await deed(api);
          return "1";
        };
        const asked = { options: { ...options, timeout: "1s" }, readLine };
        await expect(runCommand("uninstall", runUninstall, asked)).rejects.toThrow(refusal);
        const left = await api.get(c1);
        expect(left?.metadata).toMatchObject({ name: "c1" });
        expect(left?.metadata.annotations ?? {}).not.toHaveProperty(["rollcall.dev/leave"]);
      });
    });

    it("A275 removes nothing of a cluster that joins an empty fleet meanwhile, also without the daemon's namespace", async () => {
      await emptyHub(async (options, api) => {
        const readLine = async (): Promise<string> => {
          await api.create({ ...clusterHeader, metadata: { name: "c1", namespace: "fleet" }, spec: {} }, manager);
          return "0";
        };
        const asked = { options: { ...options, namespace: "elsewhere" }, readLine };
        await expect(runCommand("uninstall", runUninstall, asked)).rejects.toThrow("fleet/c1 was not there before");
        expect(await api.get(c1)).toBeDefined();
      });
    });

    it("removes nothing of a fleet whose daemon is in another namespace than the one that is named", async () => {
      await emptyHub(async (options, api) => {
        await api.create({ ...clusterHeader, metadata: { name: "c1", namespace: "fleet" }, spec: {} }, manager);
        const named = { ...options, yes: true, namespace: "elsewhere", "abandon-unreachable": true };
        await expect(uninstall(named)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
        expect((await api.get(c1))?.metadata.annotations ?? {}).not.toHaveProperty(["rollcall.dev/leave"]);
      });
    });

    it("A275 deletes nothing that another program made under the name of what it found", async () => {
      await emptyHub(async (_, api) => {
        const ref = { type: resourceTypes.secret, namespace: "fleet", name: "of-c1" };
        const metadata = { name: ref.name, namespace: ref.namespace };
        const secret = { apiVersion: "v1", kind: "Secret", metadata };
        await api.create({ ...secret, metadata: { ...metadata, labels: { "rollcall.dev/cluster": "c1" } } }, manager);
        const racing: KubeApi = {
          ...api,
          delete: async (deleted, deleting) => {
            if (deleted.type === ref.type && deleted.name === ref.name) {
              await api.delete(ref);
              await api.create(secret, manager);
            }
            return api.delete(deleted, deleting);
          },
        };
        const { signal } = new AbortController();
        await removeRemains(racing, { namespace: "rollcall-system", workspaces: ["fleet"], signal });
        expect(await api.get(ref)).toBeDefined();
      });
    });

    it("--timeout: it waits so long for the agents, and does not list every cluster again and again meanwhile", async () => {
      await emptyHub(async (options, api) => {
        const metadata = { name: "c1", namespace: "fleet", finalizers: ["example.com/held"] };
        await api.create({ ...clusterHeader, metadata, spec: {} }, { fieldManager: "test" });
        const lists = async (): Promise<number> => {
          const text = await readMetrics(String(options["kubeconfig"]));
          const lines = text.split("\n").filter((line) => /^apiserver_request_total.*"clusters".*"LIST"/u.test(line));
          return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
        };
        const before = await lists();
        const { code, text } = await uninstall({ ...options, yes: true, timeout: "2s" });
        expect([code, text]).toEqual([3, expect.stringContaining("fleet/c1: its agent was not removed")]);
        expect((await lists()) - before).toBeLessThanOrEqual(5);
      });
    });
  });
});
