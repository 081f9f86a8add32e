import { setMaxListeners } from "node:events";
import type { Log } from "../core/log.ts";
import type { QueueCounts } from "../core/work-queue.ts";
import type { Connect } from "../forge/forge-http.ts";
import type { GitEngine } from "../git/git.ts";
import type { HealthTimer } from "../hub/health.ts";
import type { HubPorts } from "../hub/hub-ports.ts";
import type { HubView } from "../hub/hub-view.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { RepositorySpec } from "../model/generated/repository.ts";
import type { HubFacts } from "../model/member.ts";
import type { PublishTargets } from "../publish/publish.ts";
import type { RemovalRules } from "../publish/retire-secret.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { RepositoryPlanner } from "../review/review.ts";
import type { ReconcilerOptions, RunReport } from "../reconcile/reconciler-options.ts";
import type { ServedProtocol } from "./foreign-protocols.ts";
import { protocolsWith } from "./foreign-protocols.ts";
import type { FurtherRepositories } from "./further-repositories.ts";
import { followFurtherRepositories } from "./further-repositories.ts";
import type { HubWork } from "./lead-hub.ts";
import { leadHub } from "./lead-hub.ts";
import { lead, leaseNames, leaseOfRepository } from "./leadership.ts";
import { realClock } from "../system/real-clock.ts";
import type { RepositoryUnit, RepositoryUnitOptions } from "./repository-unit.ts";
import { startRepositoryUnit } from "./repository-unit.ts";
import type { SopsProgram } from "../secrets/sops-program.ts";
import type { ForgeFlags } from "./wire-git.ts";
import type { DownstreamOptions } from "./connect-hub.ts";
import { ensureIdentity, openHubPorts } from "./wire-hub.ts";
import type { KnownRepository, RepositorySource } from "./known-repository.ts";
import { applyRepository } from "./wire-repository.ts";

export interface DaemonOptions {
  readonly hubApi: KubeApi;
  readonly git: GitEngine;
  readonly repository: RepositorySource;
  /** What the Repository is to be by the settings; the process that leads it writes it. Default: it stays as it is. */
  readonly settings?: { readonly name: string; readonly spec: RepositorySpec };
  readonly namespace: string;
  readonly endpoint: HubFacts["endpoint"];
  readonly agentImage: string;
  /** The foreign protocols that are served too; what they need is on the hub. Default: none. */
  readonly serves?: readonly ServedProtocol[];
  /** Where HTTPS_PROXY and NO_PROXY for downstream clusters are looked up. Default: nowhere. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Opens connections to downstream clusters, by their kubeconfigs. Default: over the network of this machine. */
  readonly openDownstream?: DownstreamOptions["openTransport"];
  /** The forge's token for `repository`, by its address, where it names no Secret. Default: none. */
  readonly forgeFlags?: ForgeFlags;
  /** Makes connections to forges. Default: over the network of this machine. */
  readonly connectForge?: Connect;
  /** For encrypted Secrets with keys that are no age keys. Default: such files are refused. */
  readonly sopsProgram?: SopsProgram;
  /** What is published to other systems on the hub. Default: nothing. */
  readonly publish?: { readonly targets: PublishTargets; readonly removal: RemovalRules };
  /** Other Repository objects of the namespace are followed too. Default: they are not. */
  readonly further?: {
    /** The Repository of `repository`. */
    readonly except: string;
    readonly cacheDir: string;
    /** Default `auto`. */
    readonly backend?: "auto" | "native";
    readonly onRun: (repository: string, report: RunReport) => void;
  };
  /** Globs of namespaces that bound the daemon for every Repository. Default: no limit. */
  readonly workspaceLimit?: readonly string[];
  /** Undefined: no election, this process leads. */
  readonly identity?: string;
  readonly log: Log;
  readonly onRun?: (report: RunReport) => void;
  readonly onPlan?: ReconcilerOptions["onPlan"];
  readonly signal: AbortSignal;
}

export interface Daemon {
  readonly view: HubView;
  /** The join protocols that are served. */
  readonly protocols: HubPorts["protocols"];
  readonly health: HealthTimer;
  /**
   * Reads the branches and the hub soon. Skips a Repository of which no branch of `branches` moved but its status branch.
   * Default: any may have moved. Does nothing while another process leads.
   */
  enqueue(branches?: readonly string[]): void;
  /**
   * As `enqueue`, of the Repositories with such an address, in whichever process leads them: for news that only this process
   * gets. Returns whether there is one.
   */
  requestRun(isAbout: (url: string) => boolean, branches: readonly string[]): boolean;
  /** The state of the queues of the halves that this process leads, by name. */
  queueCounts(): ReadonlyMap<string, QueueCounts>;
  /** Makes the plans of the settings' repository. */
  readonly planner: RepositoryPlanner;
  /** What was read last of the branch of the settings' repository; undefined while another process leads. */
  snapshot(): SourceSnapshot | undefined;
  /** By Lease: whether this process leads. */
  leads(): ReadonlyMap<string, boolean>;
  /** Resolves when this process has led both the hub and the settings' repository. */
  whenLeading(): Promise<void>;
  /** Resolves when nothing is being worked on. */
  whenIdle(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts view, hub controllers and a unit for each repository, each half when this process leads it. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { hubApi, git, repository, namespace, log } = options;
  const running: Running = { others: new Map() };
  const hub = await openHub(options, running);
  const { ports } = hub;
  const { view, health, protocols } = ports;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const { leads, onLead, whenBoth } = createLeads();
  const prepare = (leading: AbortSignal): Promise<void> => hub.readIdentity(leading);
  const leader = { hubApi, namespace, identity: options.identity, leads, prepare, onLead };
  const unitParts = {
    ports,
    controllers: () => running.controllers,
    namespace,
    workspaceLimit: options.workspaceLimit,
    serves: options.serves ?? [],
    environment: options.environment ?? {},
    signal: stopping.signal,
    connectForge: options.connectForge,
    ...(options.sopsProgram ? { sopsProgram: options.sopsProgram } : {}),
    leader,
  };
  const enqueue = (branches?: readonly string[]): void => {
    for (const unit of unitsOf(running)) unit.enqueue(branches);
  };
  // Only the process that leads the hub sees a new request, and another one may lead the Repository.
  const enqueueRepositories = (): void => {
    for (const unit of unitsOf(running)) unit.requestRun();
  };
  const elected = lead(leaseNames.hub, (term) => leadHub(term, { options, ports, running, enqueueRepositories }), {
    ...leader,
    log,
    signal: stopping.signal,
  });
  running.main = startRepositoryUnit({
    ...unitParts,
    lease: leaseNames.repository,
    source: repository,
    git,
    log,
    forgeFlags: options.forgeFlags,
    prepare: (leadersApi, leading) => applySettings(leadersApi, options, view, leading),
    ...(options.onRun ? { onRun: options.onRun } : {}),
    ...(options.onPlan ? { onPlan: options.onPlan } : {}),
  });
  const onRepository = (): void => {
    view.chooseWorkspaces();
    running.controllers?.recordRollouts();
  };
  repository.onChange(onRepository);
  if (options.further)
    running.further = await followOthers(options, options.further, { running, view, unitParts, onRepository });

  return {
    view,
    protocols,
    health,
    enqueue,
    requestRun: (isAbout, branches) => {
      const units = unitsOf(running).filter(({ source }) => isAbout(source.read()?.spec.url ?? ""));
      for (const unit of units) unit.requestRun(branches);
      return units.length > 0;
    },
    queueCounts: () => queueCountsOf(running),
    planner: running.main.planner,
    snapshot: () => running.main?.snapshot(),
    leads: () => leads,
    whenLeading: () => whenBoth,
    whenIdle: () => whenAllIdle(running),
    stop: async () => {
      stopping.abort();
      await Promise.all([elected, running.main?.stop(), running.further?.stop()]);
      await hub.stop();
      await repository.stop();
    },
  };
}

interface Running extends HubWork {
  main?: RepositoryUnit;
  /** Repository objects that {@link FurtherRepositories} follows, by name: complete before the first unit of them begins. */
  readonly others: Map<string, KnownRepository>;
  further?: FurtherRepositories;
}

/** The hub's half; what it receives is for the work that runs by then. */
async function openHub(options: DaemonOptions, running: Running): ReturnType<typeof openHubPorts> {
  const { hubApi, repository, namespace, endpoint, log, signal } = options;
  return openHubPorts({
    hubApi,
    namespace,
    identity: await ensureIdentity({ hubApi, namespace, endpoint, signal }),
    endpoint,
    agentImage: options.agentImage,
    protocols: protocolsWith(options.serves ?? []),
    repositories: () => [repository, ...running.others.values()].flatMap((known) => known.read() ?? []),
    ...(options.workspaceLimit ? { workspaceLimit: options.workspaceLimit } : {}),
    environment: options.environment ?? {},
    openDownstream: options.openDownstream,
    enqueueMember: (workspace, name) => running.controllers?.enqueueMember(workspace, name),
    enqueueAll: () => running.controllers?.enqueueAll(),
    publishedHoldMs: (member, beganMs) => running.publisher?.holdMs(member, beganMs) ?? 0,
    log,
    signal,
  });
}

async function whenAllIdle(running: Running): Promise<void> {
  await running.further?.whenIdle();
  for (const unit of unitsOf(running)) await unit.whenIdle();
  await running.controllers?.whenIdle();
}

function unitsOf(running: Running): readonly RepositoryUnit[] {
  return [running.main ?? [], ...(running.further?.units().values() ?? [])].flat();
}

function queueCountsOf(running: Running): ReadonlyMap<string, QueueCounts> {
  const counts = new Map(running.controllers?.queueCounts());
  const main = running.main?.queueCounts();
  if (main) counts.set("repository", main);
  for (const [name, unit] of running.further?.units() ?? []) {
    const own = unit.queueCounts();
    if (own) counts.set(`repository.${name}`, own);
  }
  return counts;
}

/** Which Leases this process holds, and when it has led both the hub and the settings' repository. */
function createLeads(): { leads: Map<string, boolean>; onLead: () => void; whenBoth: Promise<void> } {
  const leads = new Map<string, boolean>();
  let resolveBoth: (() => void) | undefined;
  const whenBoth = new Promise<void>((resolve) => (resolveBoth = resolve));
  const onLead = (): void => {
    if (leads.get(leaseNames.hub) === true && leads.get(leaseNames.repository) === true) resolveBoth?.();
  };
  return { leads, onLead, whenBoth };
}

/** Writes the Repository as the settings want it. */
async function applySettings(
  hubApi: KubeApi,
  { namespace, repository, settings }: DaemonOptions,
  view: HubView,
  signal: AbortSignal,
): Promise<void> {
  if (!settings) return;
  const { name, spec } = settings;
  const written = await applyRepository(hubApi, { namespace, name }, spec, { signal });
  if (!written) return;
  repository.record(written);
  view.chooseWorkspaces();
}

/** Follows the other Repository objects of the namespace. */
async function followOthers(
  { hubApi, namespace, environment = {}, log }: DaemonOptions,
  further: NonNullable<DaemonOptions["further"]>,
  {
    running,
    view,
    unitParts,
    onRepository,
  }: {
    readonly running: Pick<Running, "others">;
    readonly view: HubView;
    readonly unitParts: Omit<RepositoryUnitOptions, "lease" | "source" | "git" | "log">;
    readonly onRepository: () => void;
  },
): Promise<FurtherRepositories> {
  const { signal } = unitParts;
  return followFurtherRepositories({
    ...further,
    hubApi,
    namespace,
    objects: running.others,
    environment,
    prepare: async () => {
      view.chooseWorkspaces();
      // A namespace that cannot be read must not keep the others waiting.
      await Promise.race([view.whenSynced(signal), realClock.sleep(30_000, signal)]);
    },
    onChange: onRepository,
    startUnit: (name, parts) => {
      const unitLog = log.with({ repository: name });
      const onRun = (report: RunReport): void => further.onRun(name, report);
      return startRepositoryUnit({ ...unitParts, ...parts, lease: leaseOfRepository(name), log: unitLog, onRun });
    },
    log,
    signal,
  });
}
