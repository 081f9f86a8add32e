import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Log } from "../../core/log.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { countOf } from "../../core/count-of.ts";
import { printable } from "../../core/printable.ts";
import { startEmbeddedHub } from "../../embedded-hub/embedded-hub.ts";
import { watchLocalRepository } from "../../git/local/watch-local-repository.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { readKubeconfig } from "../../kube/read-kubeconfig.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { openAccess } from "../../web/dashboard/access.ts";
import { apiOf } from "../../daemon/connect-hub.ts";
import { createPinoLog } from "../../system/pino-log.ts";
import type { CommandContext } from "./command-context.ts";
import { realClock, realRandom } from "../../system/real-clock.ts";
import { restoreFleet, restoreSettings } from "../../recovery/restore-fleet.ts";
import { adoptStatusBranch } from "../../demo/adopt-status-branch.ts";
import type { DownstreamCluster } from "../../demo/up-downstream-cluster.ts";
import { listClusterFolders, startDownstreamCluster } from "../../demo/up-downstream-cluster.ts";
import { clustersToRun } from "../../demo/up-clusters-to-run.ts";
import { readDeclaredClusters } from "../../demo/up-declared-clusters.ts";
import { cloneWorkTree } from "../../demo/clone-work-tree.ts";
import { openFleetRepository } from "../../demo/up-fleet-repository.ts";
import type { FleetRepository } from "../../demo/up-fleet-repository.ts";
import { moreClusterFiles } from "../../demo/up-more-clusters.ts";
import type { UpPlan } from "../../demo/up-plan.ts";
import { ownAgentImage, readUpPlan } from "../../demo/up-plan.ts";
import type { PortBook } from "../../demo/port-book.ts";
import { openPortBook } from "../../demo/port-book.ts";
import { demoIdentity, endDemoLeases, prepareHub, storeKubeconfig } from "../../demo/up-prepare-hub.ts";
import { createProgress } from "../../demo/up-progress.ts";
import { describeNextSteps, describeRunning, resumeCommand } from "../../demo/up-next-steps.ts";
import { makeStateFolder } from "../../demo/make-state-folder.ts";
import { whenHealthy } from "../../demo/up-when-healthy.ts";
import { whenAborted } from "../../system/when-aborted.ts";
import { whenReady } from "../../demo/when-ready.ts";
import { createPage } from "../../daemon/page/wire-page.ts";
import type { RepositorySpec } from "../../model/generated/repository.ts";
import { defaultStatusBranch } from "../../reconcile/status-branches.ts";
import type { Settings } from "../../settings/settings.ts";
import type { RepositorySource } from "../../daemon/known-repository.ts";
import { applyRepository, followRepository } from "../../daemon/wire-repository.ts";
import type { Daemon } from "../../daemon/wire-run.ts";
import { startDaemon } from "../../daemon/wire-run.ts";
import { writeFileAtomically } from "../../system/write-file-atomically.ts";

const namespace = "rollcall-system";
const branch = defaultStatusBranch;

/** `rollcall up`: a hub, a repository, clusters with agents and the daemon, all on this machine, until Ctrl-C. */
export async function runUp({ settings, environment, stdout, signal }: CommandContext): Promise<number> {
  const plan = await readUpPlan(settings);
  const dir = demoFolder(settings, plan);
  await makeStateFolder(dir, "clusters");
  const log = createPinoLog({ level: settings.text("log-level") ?? "info", path: join(dir, "rollcall.log") });
  const ports = await openPortBook(join(dir, "ports.json"), { clock: realClock, random: realRandom });
  const progress = createProgress(stdout);
  const stops: (() => Promise<void>)[] = [];
  try {
    const parts = { dir, ports, log, signal, stops };
    const { hubApi, kubeconfigPath } = await startHub({ ...parts, port: settings.count("hub-port") });
    progress.print(`hub         ready at ${hubApi.server}`);
    const fleet = await openFleetRepository(join(dir, "fleet.git"), examplesOf(plan));
    stops.push(() => fleet.git.close());
    const count = settings.count("clusters");
    if (fleet.isUntouched) await addClusters(fleet, count, plan);
    const declared = await readDeclaredClusters(fleet.git);
    const workTree = await cloneWorkTree(fleet.path, join(dir, "fleet"), environment);
    progress.print(`repository  ${workTree.isThere ? join(dir, "fleet") : fleet.path}`);
    if (workTree.failure !== undefined)
      progress.print(`            no work tree: git cannot clone it: ${printable(workTree.failure)}`);
    const workspaces = [...new Set([...plan.workspaces, ...declared.map(({ metadata }) => metadata.namespace ?? "")])];
    await prepareHub(hubApi, { namespace, workspaces, signal });
    await endDemoLeases(hubApi, namespace, signal);
    await plan.foreign?.installOnHub(hubApi, signal);
    const target = { namespace, name: "fleet" };
    if (settings.isOn("restore")) {
      await restoreFleet({ hubApi, git: fleet.git, ...target, branch, ...restoreSettings(settings), log, signal });
      progress.print("restored    what the status branch knows of the clusters is on the hub");
    }
    const onHub = (await hubApi.list(resourceTypes.cluster, { signal })).items as unknown[] as Cluster[];
    const begun = await listClusterFolders(join(dir, "clusters"));
    const wanted = clustersToRun({ declared, onHub, begun, count, protocol: plan.protocol });
    await applyRepository(hubApi, target, repositorySpec(fleet, plan), { signal });
    await adoptStatusBranch({ hubApi, git: fleet.git, ...target, branch, signal });
    const repository = await followRepository(hubApi, target, signal, log);
    stops.push(() => repository.stop());
    const caBundle = (await connectionCa(kubeconfigPath.text)) ?? "";
    const port = settings.count("port");
    const { daemon, pageUrl } = await startFleet({ ...parts, hubApi, fleet, plan, repository, caBundle, port });
    progress.print(`page        ${pageUrl}`);
    // The daemon watches first: a heartbeat counts when it is seen to come.
    const downstream = await startClusters(wanted, { ...parts, hubApi, plan });
    const names = downstream.map(({ name }) => name);
    for (const line of describeRunning(names, settings.isGiven("clusters") ? count : 0)) progress.print(line);
    const healthy = whenHealthy({ daemon, repository, git: fleet.git, clusters: wanted, declared, progress, signal });
    if (settings.isOn("exit-when-healthy")) {
      await healthy;
      progress.end("Every cluster is Ready, and the status branch reports it.");
      return 0;
    }
    await Promise.race([healthy, whenAborted(signal)]);
    if (!signal.aborted)
      progress.end(
        describeNextSteps({
          dir,
          kubeconfigPath: kubeconfigPath.path,
          clusters: wanted,
          hasWorkTree: workTree.isThere,
          pageUrl,
          committed: plan.workspaces,
        }),
      );
    await whenAborted(signal);
    stdout.write(stoppingLine());
    return 0;
  } catch (error) {
    if (signal.aborted) {
      stdout.write(stoppingLine());
      return 130;
    }
    if (!isAppError(error, "E_DIR_LOCKED")) throw error;
    throw alreadyRunning(ports.knownPortOf("page"), dir, error);
  } finally {
    progress.close();
    for (const stop of stops.reverse()) await stop();
  }
}

function stoppingLine(): string {
  return `\nStopping; \`${resumeCommand()}\` continues from here.\n`;
}

interface Parts {
  readonly dir: string;
  readonly ports: PortBook;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly stops: (() => Promise<void>)[];
}

/** Another protocol's demo is another fleet. */
function demoFolder(settings: Settings, { foreign }: UpPlan): string {
  return resolve(settings.requiredText("dir"), ...(foreign === undefined ? [] : [`${foreign.name}-demo`]));
}

/** The files that a new repository begins with. Another protocol's begins empty. */
function examplesOf({ foreign }: UpPlan): string | undefined {
  return foreign === undefined ? fileURLToPath(new URL("../examples-repo", import.meta.url)) : undefined;
}

function repositorySpec({ path }: FleetRepository, plan: UpPlan): RepositorySpec {
  const writeBack = { mode: "Branch", branch, interval: "2s" } as const;
  return { url: path, interval: "1m", writeBack, ...plan.repositorySpec };
}

/** Without a page port the other process has not come that far. */
function alreadyRunning(pagePort: number | undefined, dir: string, error: AppError): AppError {
  const running = pagePort === undefined ? "already starting" : `already running at http://127.0.0.1:${pagePort}/`;
  const text = `${running}, ${dir} is in use by ${String(error.data["owner"])}`;
  return new AppError("E_DIR_LOCKED", text, { cause: error });
}

/** The daemon over the hub and the repository, and its page. */
async function startFleet(
  options: Parts & {
    readonly hubApi: KubeApi;
    readonly fleet: FleetRepository;
    readonly plan: UpPlan;
    readonly repository: RepositorySource;
    readonly caBundle: string;
    /** Of the page; 0: one that the port book remembers. */
    readonly port: number;
  },
): Promise<{ daemon: Daemon; pageUrl: string }> {
  const { hubApi, fleet, plan, repository, ports, log, signal, stops } = options;
  const pageOfFleet = createPage({ git: fleet.git, repository, log });
  const daemon = await startDaemon({
    hubApi,
    git: fleet.git,
    repository,
    namespace,
    identity: demoIdentity(),
    endpoint: { url: hubApi.server, caBundle: options.caBundle },
    agentImage: ownAgentImage,
    serves: plan.foreign === undefined ? [] : [{ name: plan.foreign.name, controllers: "Rollcall" }],
    onRun: (report) => pageOfFleet.recordRun(report),
    onPlan: (carried, outcomes) => pageOfFleet.recordPlan(carried, outcomes),
    log,
    signal,
  });
  stops.push(() => daemon.stop());
  await watchLocalRepository(fleet.path, (branches) => daemon.enqueue(branches), signal, {
    onError: (error) => log.warn("watching the repository failed", { error }),
  });
  const page = await pageOfFleet.serve(daemon, {
    host: "127.0.0.1",
    port: options.port > 0 ? options.port : await ports.freePortOf("page"),
    access: openAccess(() => daemon.view.workspaces),
  });
  stops.push(() => page.close());
  await ports.remember("page", page.port);
  return { daemon, pageUrl: `http://127.0.0.1:${page.port}/` };
}

async function startHub(
  options: Parts & { readonly port: number },
): Promise<{ hubApi: KubeApi; kubeconfigPath: { path: string; text: string } }> {
  const { dir, ports, log, signal, stops } = options;
  const path = join(dir, "hub.kubeconfig");
  const hub = await startEmbeddedHub({
    dir: join(dir, "hub"),
    port: options.port > 0 ? options.port : await ports.portOf("hub"),
    onAdminRenewed: (kubeconfig) => writeFileAtomically(path, kubeconfig),
    clock: realClock,
    random: realRandom,
    log,
  });
  stops.push(() => hub.close());
  await ports.remember("hub", hub.port);
  const connection = readKubeconfig(hub.adminKubeconfig);
  const hubApi = apiOf({ ...connection, getTls: () => readKubeconfig(hub.adminKubeconfig).getTls() });
  stops.push(() => hubApi.close());
  await whenReady(hubApi, signal);
  await writeFileAtomically(path, hub.adminKubeconfig);
  return { hubApi, kubeconfigPath: { path, text: hub.adminKubeconfig } };
}

async function connectionCa(kubeconfig: string): Promise<string | undefined> {
  return (await readKubeconfig(kubeconfig).getTls()).caPem;
}

const emptyFleetText = "# A fleet\n\nThe files of this repository declare its clusters, tokens and groups.\n";

/** Adds files to a repository that no user has changed until it declares `count` clusters. */
async function addClusters(fleet: FleetRepository, count: number, { foreign, clusterSpec }: UpPlan): Promise<void> {
  const declared = await readDeclaredClusters(fleet.git);
  // A branch begins with a commit, and the daemon has nothing to read without one.
  if (foreign && count === 0 && declared.length === 0)
    await fleet.addFiles(new Map([["README.md", emptyFleetText]]), "Begin the fleet\n");
  if (declared.length >= count) return;
  const files = moreClusterFiles(declared, count - declared.length, {
    prefix: foreign?.name ?? "extra",
    extraSpec: clusterSpec,
  });
  await fleet.addFiles(files, `Add ${countOf(files.size, "cluster")}\n`);
}

async function startClusters(
  clusters: readonly Cluster[],
  options: Parts & { readonly hubApi: KubeApi; readonly plan: UpPlan },
): Promise<DownstreamCluster[]> {
  const { dir, ports, log, signal, stops, hubApi, plan } = options;
  const started: DownstreamCluster[] = [];
  for (const cluster of clusters) {
    const downstream = await startDownstreamCluster({
      name: cluster.metadata.name,
      dir: join(dir, "clusters"),
      ports,
      resolveImage: plan.resolveImage,
      objects: plan.clusterObjects,
      log,
      signal,
    });
    stops.push(() => downstream.stop());
    await storeKubeconfig(hubApi, cluster, downstream, signal);
    started.push(downstream);
  }
  return started;
}
