import { randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { searchPieces } from "../support/credential-forms.ts";
import type { GitHttpServer } from "../support/git-http-server.ts";
import { startGitHttpServer } from "../support/git-http-server.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import type { HubUnderTest } from "../support/hub-under-test.ts";
import type { AgentProcess, HubProcess } from "../support/process-fleet.ts";
import {
  clusterWithKubeconfig,
  makeWorkspace,
  startAgentProcess,
  startHubProcess,
  untilInstalled,
  workspace,
} from "../support/process-fleet.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { startRollcall } from "../support/rollcall-process.ts";
import type { Place } from "../support/secret-search.ts";
import { placesOfApi } from "../support/secret-search.ts";
import { until } from "../support/until.ts";
import type { ReceivedRequest, ScriptedServer } from "../unit/kube/scripted-server.ts";
import { answerJson, answerStatus, startScriptedServer } from "../unit/kube/scripted-server.ts";

const mebibyte = 1024 * 1024;
const largeBytes = 60 * mebibyte;
/** One answer of 60 MiB alone would take more, as bytes and as text. */
const mostGrowthBytes = 200 * mebibyte;

/** What a hostile API server answers. */
type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

const answers = {
  /** An object of 60 MiB. */
  large: (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const piece = `"${"x".repeat(mebibyte - 3)}",`;
    let sentBytes = 0;
    response.write('{"kind":"Namespace","apiVersion":"v1","items":[');
    const send = (): void => {
      while (sentBytes < largeBytes && !response.destroyed) {
        sentBytes += piece.length;
        if (!response.write(piece)) return void response.once("drain", send);
      }
      response.end('""]}');
    };
    send();
  },
  echo: ({ headers }, response) =>
    answerStatus(response, 403, { reason: "Forbidden", message: `no: ${headers.authorization ?? ""}` }),
  secret: ({ headers }, response) => {
    const token = (headers.authorization ?? "").replace("Bearer ", "");
    answerStatus(response, 403, { reason: "Forbidden", message: `no: ${Buffer.from(token).toString("base64")}` });
  },
  /** One byte a second, of an answer with a larger content-length. */
  drip: (_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": 100_000 });
    const timer = setInterval(() => response.write(" "), 1000);
    response.once("close", () => clearInterval(timer));
  },
  /** A page of a list that always has another one behind it. */
  pages: (_request, response) => {
    const items = Array.from({ length: 100 }, (_, index) => ({ metadata: { name: `n-${index}`, namespace: "a" } }));
    answerJson(response, 200, { kind: "List", apiVersion: "v1", metadata: { continue: "more" }, items });
  },
} satisfies Record<string, Answer>;

interface Hostile {
  readonly name: string;
  readonly answer: Answer;
  readonly token: string;
}

const hostiles: readonly Hostile[] = [
  ...Object.entries(answers),
  ...["large-2", "large-3", "large-4"].map((name) => [name, answers.large] as const),
].map(([name, answer]) => ({ name, answer, token: randomBytes(24).toString("base64url") }));

describe("a daemon with a hostile member and a good one", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository: TestRepository;
  let gitServer: GitHttpServer;
  let hub: HubProcess;
  let cluster: HubUnderTest;
  let agent: AgentProcess;
  let member: ScriptedServer;
  let daemon: RollcallProcess;
  const dirOf = (name: string): string => join(folder.path, name);

  beforeAll(async () => {
    folder = await makeTempFolder();
    await mkdir(dirOf("git"), { recursive: true });
    repository = await createRepository(dirOf("git/fleet.git"));
    gitServer = await startGitHttpServer({ root: dirOf("git") });
    hub = await startHubProcess(dirOf("hub"));
    await makeWorkspace(hub.api);
    cluster = await clusterWithKubeconfig(hub.api, "good-kubeconfig");
    member = await startScriptedServer((request, response) => hostileOf(request)?.answer(request, response));
    for (const { name, token } of hostiles) await createKubeconfig(name, token);
    await repository.commit({ files: { "good.yaml": clusterFile("good", "bronze") } });
    daemon = startRollcall([
      ...["run", "--install-crds", "--log-level", "debug", "--cache-dir", dirOf("cache")],
      ...["--repo", gitServer.urlOf("fleet.git")],
      ...["--kubeconfig", hub.kubeconfigPath, "--workspaces", workspace, "--default-workspace", workspace],
      ...["--interval", "1s", "--write-back-interval", "1s"],
      ...["--metrics-address", "127.0.0.1:0", "--page-address", "127.0.0.1:0", "--page-access", "Open"],
    ]);
    await untilInstalled(cluster);
    agent = await startAgentProcess(cluster, dirOf("agent"));
    await until(
      () => clusterOf("good"),
      (seen) => conditionOf(seen, "Ready") === "True",
    );
  });
  afterAll(async () => {
    daemon.kill("SIGTERM");
    await daemon.finished;
    await agent.stop();
    await member.stop();
    await hub.stop();
    await gitServer.close();
    await folder.remove();
  });

  const hostileOf = ({ headers }: ReceivedRequest): Hostile | undefined =>
    hostiles.find(({ token }) => headers.authorization === `Bearer ${token}`);
  const createKubeconfig = (name: string, token: string): Promise<KubeObject> =>
    hub.api.create(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: `${name}-kubeconfig`, namespace: workspace },
        stringData: { value: kubeconfigOf(member, token) },
      },
      { fieldManager: "test" },
    );
  const clusterOf = (name: string): Promise<KubeObject | undefined> =>
    hub.api.get({ type: resourceTypes.cluster, namespace: workspace, name });
  const renewTime = async (): Promise<string | undefined> =>
    textAt(
      await hub.api.get({ type: resourceTypes.lease, namespace: workspace, name: "rollcall-good" }),
      "spec",
      "renewTime",
    );
  const onStatusBranch = (text: string): Promise<string> =>
    repository.git("grep", "-l", text, "rollcall/status").catch(() => "");

  /** All that the good member needs of the daemon, with a new label. */
  const expectServed = async (tier: string): Promise<void> => {
    const before = await renewTime();
    await repository.commit({ files: { "good.yaml": clusterFile("good", tier) } });
    await until(
      () => clusterOf("good"),
      (seen) => seen?.metadata.labels?.["tier"] === tier,
    );
    await until(renewTime, (seen) => seen !== undefined && seen !== before);
    await until(
      () => onStatusBranch(tier),
      (files) => files.includes("good"),
    );
    expect(conditionOf(await clusterOf("good"), "Healthy")).toBe("True");
  };

  it("A67 serves the good one, within bounds of memory, and shows no secret", async () => {
    const before = await peakBytes(daemon.pid);
    await repository.commit({
      files: Object.fromEntries(hostiles.map(({ name }) => [`${name}.yaml`, clusterFile(name, "hostile")])),
    });
    await until(
      async () => hostiles.filter((each) => !member.requests.some((request) => hostileOf(request) === each)),
      (unasked) => unasked.length === 0,
    );
    // One of them still drips.
    await expectServed("silver");
    await until(
      () => Promise.all(["large", "echo", "secret"].map(clusterOf)),
      (seen) => seen.every((each) => /^(?:Kubeconfig|Install)/mu.test(reasonsOf(each))),
    );
    await expectServed("gold");
    for (const { name } of hostiles) expect(conditionOf(await clusterOf(name), "Ready"), name).not.toBe("True");
    const growth = (await peakBytes(daemon.pid)) - before;
    // NaN where there is no /proc.
    if (!Number.isNaN(growth)) expect(growth).toBeLessThan(mostGrowthBytes);

    const places: readonly Place[] = [
      ...(await placesOfApi(hub.api, "the hub")),
      { where: "log", text: daemon.output() },
      { where: "commits", text: await repository.git("cat-file", "--batch-all-objects", "--batch") },
    ];
    const search = searchPieces(hostiles.map(({ token }) => token));
    const found = places.flatMap(({ where, text }) => {
      const shown = search(text);
      return hostiles.filter(({ token }) => shown.has(token)).map(({ name }) => `${name} in ${where}`);
    });
    expect(found).toEqual([]);
  });
});

function conditionOf(object: KubeObject | undefined, type: string): string | undefined {
  return objectsAt(object, "status", "conditions").find((each) => each["type"] === type)?.["status"] as
    | string
    | undefined;
}

function reasonsOf(object: KubeObject | undefined): string {
  return objectsAt(object, "status", "conditions")
    .map((condition) => textAt(condition, "reason"))
    .join("\n");
}

/** The most memory that a process had so far, from proc(5); NaN where there is none. */
async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmHWM:\s+(\d+) kB/mu.exec(status)?.[1] ?? NaN) * 1024;
}

function kubeconfigOf(server: ScriptedServer, token: string): string {
  const cluster = { server: server.url, "certificate-authority-data": Buffer.from(server.caPem).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "member", cluster }],
    users: [{ name: "hub", user: { token } }],
    contexts: [{ name: "member", context: { cluster: "member", user: "hub" } }],
    "current-context": "member",
  });
}

function clusterFile(name: string, tier: string): string {
  const head = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\n";
  const metadata = `metadata: { name: ${name}, labels: { tier: ${tier} } }\n`;
  return `${head}${metadata}spec:\n  heartbeat: { periodSeconds: 2 }\n  kubeConfigSecretRef: { name: ${name}-kubeconfig }\n`;
}
