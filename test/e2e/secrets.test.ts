import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { encryptSops } from "../../src/secrets/encrypt-sops.ts";
import { objectsAt } from "../../src/core/read-json.ts";
import { startKubeCache } from "../../src/kube/kube-cache.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { forgeToken } from "../support/forge/forge-state.ts";
import type { ForgeServer } from "../support/forge/forge-server.ts";
import { startForgeServer } from "../support/forge/forge-server.ts";
import type { GitHttpServer } from "../support/git-http-server.ts";
import { startGitHttpServer } from "../support/git-http-server.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import { embeddedHub } from "../support/hub-under-test.ts";
import type { AgentProcess, HubProcess } from "../support/process-fleet.ts";
import {
  daemonNamespace,
  joinByToken,
  makeWorkspace,
  startAgentProcess,
  startHubProcess,
  untilInstalled,
  workspace,
} from "../support/process-fleet.ts";
import { realClock, realRandom } from "../support/real-time.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import type { Place, SecretValue } from "../support/secret-search.ts";
import {
  findSecrets,
  kubeconfigParts,
  placesOfApi,
  placesOfProcesses,
  secretValuesOf,
} from "../support/secret-search.ts";
import { until } from "../support/until.ts";

const { cluster, clusterReport, secret } = resourceTypes;

// A whole life of two clusters, each program a process of its own, with every kind of credential that the daemon is given.
describe("the secrets of a whole run", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository: TestRepository;
  let gitServer: GitHttpServer;
  let forge: ForgeServer;
  let hub: HubProcess;
  let daemon: RollcallProcess;
  const agents: AgentProcess[] = [];
  const secrets = new Map<string, SecretValue>();
  const places = new Map<string, Place>();
  const stops: (() => Promise<unknown>)[] = [];
  const dirOf = (name: string) => join(folder.path, name);
  const know = (...values: readonly SecretValue[]) => {
    for (const known of values) secrets.set(`${known.what}\n${known.value}`, known);
  };
  const look = (...seen: readonly Place[]) => {
    for (const place of seen) places.set(`${place.where}\n${place.text}`, place);
  };
  /** Every value that is ever in a Secret, however short. */
  const watchSecrets = async (api: KubeApi, name: string) => {
    const cache = startKubeCache(
      api,
      secret,
      {
        onChange: ({ object }) =>
          know(
            ...(object ? secretValuesOf(object) : []).map(({ what, value }) => ({ what: `${name} ${what}`, value })),
          ),
      },
      { clock: realClock, random: realRandom },
    );
    stops.push(() => cache.stop());
    await cache.whenSynced();
  };
  const programs = () => [hub.process, daemon, ...agents.map(({ process }) => process)];
  const lookAtProcesses = async () => look(...(await placesOfProcesses(programs().map(({ pid }) => pid))));
  const get = (type: typeof cluster, name: string, namespace = workspace) => hub.api.get({ type, namespace, name });
  const isReady = (object: KubeObject | undefined) =>
    objectsAt(object, "status", "conditions").some(({ type, status }) => type === "Ready" && status === "True");
  const untilReady = (name: string) =>
    until(async () => {
      await lookAtProcesses();
      return get(cluster, name);
    }, isReady);
  const portOf = async (program: RollcallProcess, message: string): Promise<number> => {
    const line = new RegExp(`"port":(\\d+)[^\\n]*"msg":"${message}"`, "u");
    await program.whenPrinted(line);
    return Number(line.exec(program.output())?.[1]);
  };
  const holdsPlace = (where: RegExp) => [...places.values()].some((place) => where.test(place.where));

  beforeAll(async () => {
    folder = await makeTempFolder();
    await mkdir(dirOf("git/acme"), { recursive: true });
    repository = await createRepository(dirOf("git/acme/fleet.git"));
    const password = randomBytes(24).toString("hex");
    gitServer = await startGitHttpServer({ root: dirOf("git"), auth: { username: "rollcall", password } });
    forge = await startForgeServer("Gitea");
    hub = await startHubProcess(dirOf("hub"));
    await watchSecrets(hub.api, "hub");
    await makeWorkspace(hub.api);

    const ageKey = await generateX25519Identity();
    const webhookSecret = randomBytes(24).toString("hex");
    know({ what: "the git credential", value: password }, { what: "the webhook's secret", value: webhookSecret });
    know({ what: "the forge's token", value: forgeToken }, { what: "the age key", value: ageKey });
    const create = (name: string, stringData: Record<string, string>) =>
      hub.api.create(
        { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: daemonNamespace }, stringData },
        { fieldManager: "test" },
      );
    await create("age", { "fleet.agekey": ageKey });
    await create("forge", { token: forgeToken });
    await writeFile(dirOf("git-token"), password, { mode: 0o600 });
    await writeFile(dirOf("webhook-secret"), webhookSecret, { mode: 0o600 });

    const installed = await embeddedHub();
    const downstream = apiOf(readKubeconfig(installed.kubeconfig));
    stops.push(
      () => downstream.close(),
      () => installed.stop(),
    );
    await watchSecrets(downstream, "installed");
    await repository.commit({
      files: {
        "installed.yaml": clusterFile("installed", "kubeConfigSecretRef: { name: installed-kubeconfig }"),
        "asking.yaml": clusterFile("asking", "deletionPolicy: Uninstall"),
        "door.yaml": tokenFile("door", "asking"),
        "secrets/installed.yaml": await encrypted("installed-kubeconfig", installed.kubeconfig, ageKey),
      },
    });
    daemon = startRollcall([
      ...["run", "--install-crds", "--log-level", "debug", "--repo", gitServer.urlOf("acme/fleet.git")],
      ...["--git-token-file", dirOf("git-token"), "--git-username", "rollcall", "--cache-dir", dirOf("cache")],
      ...["--kubeconfig", hub.kubeconfigPath, "--workspaces", workspace, "--default-workspace", workspace],
      ...["--interval", "1s", "--write-back-interval", "1s", "--age-key-secret", "age"],
      ...["--forge", "Gitea", "--forge-api-url", forge.apiUrl, "--forge-secret", "forge"],
      ...["--metrics-address", "127.0.0.1:0", "--webhook-secret-file", dirOf("webhook-secret")],
      "--serve-install-manifests",
      ...["--page-address", "127.0.0.1:0", "--page-access", "Open"],
    ]);
    await untilInstalled(installed);
    agents.push(await startAgentProcess(installed, dirOf("installed")));
    agents.push(await joinByToken(hub.api, { token: "door", name: "asking", dir: dirOf("asking") }));
    const [, asking] = agents;
    if (asking) await watchSecrets(asking.api, "asking");
    for (const {
      cluster: { kubeconfig },
    } of agents) {
      for (const [part, value] of kubeconfigParts(parse(kubeconfig)))
        know({ what: `a cluster's kubeconfig${part}`, value });
    }
    for (const name of ["installed", "asking"]) {
      know({ what: `the account of ${name}'s agent`, value: await readFile(join(dirOf(name), "token"), "utf8") });
      await untilReady(name);
    }
    for (const [part, value] of kubeconfigParts(parse(await readFile(hub.kubeconfigPath, "utf8"))))
      know({ what: `the hub's kubeconfig${part}`, value });
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
    for (const agent of agents) {
      await agent.stop();
      await agent.cluster.stop();
    }
    daemon.kill("SIGTERM");
    await daemon.finished;
    await hub.stop();
    await forge.stop();
    await gitServer.close();
    await folder.remove();
  });

  it("are of every kind", async () => {
    const kinds = [...secrets.values()].map(({ what }) => what);
    const wanted = [
      /git credential/u,
      /forge's token/u,
      /age key/u,
      /webhook/u,
      /rollcall-trust-key key/u,
      /values token\.credential/u,
      /values token\.proofKey/u,
      /identity keys\.signing\.private/u,
      /identity keys\.sealing\.private/u,
      /identity membership\.credential\.token/u,
      /identity membership\.recoveryToken/u,
      /recovery\S* token/u,
      /hub's kubeconfig/u,
      /cluster's kubeconfig/u,
      /bootstrap\S* values/u,
    ];
    expect(wanted.filter((kind) => !kinds.some((what) => kind.test(what)))).toEqual([]);
    expect(forge.calls.length).toBeGreaterThan(0);
    expect(gitServer.requests.some(({ path }) => path.endsWith("git-receive-pack"))).toBe(true);
  });

  it("are used in a renewal, a refusal, an offboarding by the agent itself, a bad file and a webhook", async () => {
    const report = { type: clusterReport, namespace: workspace, name: "asking" };
    await hub.api.delete({ type: secret, namespace: workspace, name: "rollcall-asking.1" });
    await until(
      () => hub.api.get(report),
      (seen) => (seen?.["spec"] as { credentialNumber?: number } | undefined)?.credentialNumber === 2,
    );
    const port = await portOf(daemon, "serving health and metrics");
    const forged = await fetch(`http://127.0.0.1:${port}/webhook`, { method: "POST", body: "{}" });
    look({ where: "answer of the webhook", text: await forged.text() });
    const made = await runRollcall([
      ...["join", "--from-hub", `${workspace}/door`, "--hub-kubeconfig", hub.kubeconfigPath],
      ...["--install-url", `http://127.0.0.1:${port}`],
    ]);
    const [url = "", key = ""] = /http\S+\.([A-Za-z0-9_-]{43})\.yaml/u.exec(made.stdout) ?? [];
    know({ what: "the address of an install manifest", value: key });
    expect((await fetch(url)).status).toBe(200);
    look({ where: "answer of a used address", text: await (await fetch(url)).text() });
    const stranger = await joinByToken(hub.api, { token: "door", name: "stranger", dir: dirOf("stranger") });
    agents.push(stranger);
    await watchSecrets(stranger.api, "stranger");
    await stranger.process.whenPrinted(/refused/u);
    await repository.commit({
      files: {
        "bad.yaml": "kind: Cluster\n  metadata: [",
        "secrets/bad.yaml": await encrypted("other", "x".repeat(40)),
      },
    });
    await until(
      () => repository.git("show", "rollcall/status:problems.yaml").catch(() => ""),
      (text) => text.includes("bad.yaml"),
    );
    const message = "Let it go\n\nRollcall-Allow-Deletions: 2\n";
    await repository.commit({ files: { "asking.yaml": null, "bad.yaml": null, "secrets/bad.yaml": null }, message });
    await until(
      async () => {
        await lookAtProcesses();
        return get(cluster, "asking");
      },
      (seen) => seen === undefined,
    );
  });

  it("A9: can be read in no log, event, object, commit, page, metric, answer of a command, or command line", async () => {
    for (const [path, port] of [
      ["/metrics", await portOf(daemon, "serving health and metrics")],
      ...["/", "/api/v1/fleet", "/api/v1/clusters", `/api/v1/clusters/${workspace}/installed`, "/api/v1/tokens"].map(
        onPage,
      ),
      ...["/api/v1/repository", "/api/v1/plan?branch=main", "/api/v1/history", "/api/v1/openapi.json"].map(onPage),
    ] as const) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(answer.status, path).toBe(200);
      look({ where: `GET ${path}`, text: await answer.text() });
    }
    for (const args of [
      ["status", "--kubeconfig", hub.kubeconfigPath],
      ["status", "installed", "--kubeconfig", hub.kubeconfigPath],
      [
        "plan",
        "--kubeconfig",
        hub.kubeconfigPath,
        "--repo",
        gitServer.urlOf("acme/fleet.git"),
        "--git-token-file",
        dirOf("git-token"),
      ],
      ["join", "--dry-run", "--from-hub", `${workspace}/door`, "--hub-kubeconfig", hub.kubeconfigPath],
    ]) {
      const { stdout, stderr } = await runRollcall(args);
      look({ where: `rollcall ${args[0]}`, text: stdout + stderr });
    }
    look(...programs().map((program) => ({ where: "log", text: program.output() })));
    look({ where: "commits", text: await repository.git("cat-file", "--batch-all-objects", "--batch") });
    for (const { body, path } of forge.calls) look({ where: "calls of the forge", text: `${path} ${body}` });
    look(...(await placesOfApi(hub.api, "the hub")));
    for (const { api } of agents) look(...(await placesOfApi(api, "a cluster")));
    await lookAtProcesses();

    for (const where of [/^log/u, /^commits/u, /cmdline/u, /environ/u, /^events of the hub/u, /^clusters of the hub/u])
      expect(holdsPlace(where), String(where)).toBe(true);
    expect(findSecrets([...secrets.values()], [...places.values()])).toEqual([]);
  });

  it("would be found: one that is put into an object, a commit and a command line is", async () => {
    const [known] = [...secrets.values()].filter(({ what }) => what.includes("identity membership.recoveryToken"));
    const { value = "" } = known ?? {};
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "planted", namespace: workspace } };
    const data = { text: Buffer.from(`{"a":"${value}"}`).toString("base64") };
    await hub.api.create({ ...config, data }, { fieldManager: "test" });
    await repository.commit({ branch: "planted", files: { note: `a token: ${value}\n` } });
    // It waits for a line that never comes.
    const child = spawn("sh", ["-c", "read line", "sh", value.slice(-100)]);
    try {
      const seen = [
        ...(await placesOfApi(hub.api, "the hub")),
        ...(await until(
          () => placesOfProcesses([child.pid ?? 0]),
          (found) => found.some(({ text }) => text.startsWith("sh\0")),
        )),
        { where: "commits", text: await repository.git("cat-file", "--batch-all-objects", "--batch") },
      ];
      const found = findSecrets(known ? [known] : [], seen).map((line) => line.slice(line.indexOf(" in ") + 4));
      expect(found).toEqual(["cmdline of a process", "commits", "configmaps of the hub"]);
    } finally {
      child.kill();
    }
  });

  function onPage(path: string): [string, number] {
    const port = /"port":(\d+)[^\n]*"msg":"serving the page"/u.exec(daemon.output())?.[1];
    return [path, Number(port)];
  }
});

async function encrypted(name: string, value: string, ageKey?: string): Promise<string> {
  const document = { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData: { value } };
  const recipient = await identityToRecipient(ageKey ?? (await generateX25519Identity()));
  return encryptSops(document, { recipients: [recipient], random: realRandom, nowMs: Date.now() });
}

function clusterFile(name: string, spec: string): string {
  const head = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\n";
  return `${head}metadata: { name: ${name} }\nspec:\n  clientID: ${name}\n  heartbeat: { periodSeconds: 2 }\n  ${spec}\n`;
}

function tokenFile(name: string, cluster: string): string {
  const head = "apiVersion: rollcall.dev/v1alpha1\nkind: ClusterRegistrationToken\n";
  return `${head}metadata: { name: ${name} }\nspec: { ttl: 24h, clusterNames: [${cluster}] }\n`;
}
