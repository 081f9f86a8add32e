import type { Log } from "../core/log.ts";
import type { QueueCounts } from "../core/work-queue.ts";
import type { GitEngine } from "../git/git.ts";
import type { HealthTimer } from "../hub/health.ts";
import type { HubContext } from "../hub/hub-context.ts";
import type { HubView } from "../hub/hub-view.ts";
import { pendingProposals } from "../hub/pending-proposals.ts";
import { startHubControllers } from "../hub/hub.ts";
import type { KubeApi } from "../kube/kube.ts";
import { runAsLeader } from "../kube/leader-election.ts";
import { checkFleet } from "../manifests/check-fleet.ts";
import type { HubFacts } from "../model/member.ts";
import type { PlanCommitInputs } from "../reconcile/plan-commit.ts";
import type { Reconciler } from "../reconcile/reconcile.ts";
import type { SourceSnapshot } from "../reconcile/read-source.ts";
import type { ReconcilerOptions, RunReport } from "../reconcile/reconciler-options.ts";
import { startReconciler } from "../reconcile/reconcile.ts";
import type { ServedProtocol } from "./foreign-protocols.ts";
import { protocolsWith } from "./foreign-protocols.ts";
import { keepPublicObjects } from "./keep-public-objects.ts";
import { leadership, leaseNames } from "./leadership.ts";
import { realClock, realRandom } from "./real-clock.ts";
import type { SopsProgram } from "./sops/sops-program.ts";
import { whenAborted } from "./when-aborted.ts";
import { ensureIdentity, openHubContext, workspaceRules } from "./wire-hub.ts";
import { repositoryForge } from "./wire-forge.ts";
import { repositoryKeys } from "./wire-keys.ts";
import { repositoryVerifier } from "./wire-verification.ts";
import type { PublishTargets } from "../publish/publish.ts";
import { startPublisher } from "./wire-publish.ts";
import { sourceOptions } from "./wire-source.ts";
import type { RepositorySource } from "./wire-repository.ts";

export interface DaemonOptions {
  readonly hubApi: KubeApi;
  readonly git: GitEngine;
  readonly repository: RepositorySource;
  readonly namespace: string;
  readonly endpoint: HubFacts["endpoint"];
  readonly agentImage: string;
  /** The foreign protocols that are served too; what they need is on the hub. Default: none. */
  readonly serves?: readonly ServedProtocol[];
  /** Where HTTPS_PROXY and NO_PROXY for downstream clusters are looked up. Default: nowhere. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** For encrypted Secrets with keys that are no age keys. Default: such files are refused. */
  readonly sopsProgram?: SopsProgram;
  /** What is told to other systems on the hub. Default: nothing. */
  readonly publish?: PublishTargets;
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
  readonly protocols: HubContext["protocols"];
  readonly health: HealthTimer;
  /** Looks at the branch and the hub soon. Does nothing while another process leads. */
  wake(): void;
  /** How the queues of the halves that this process leads stand, by name. */
  queueCounts(): ReadonlyMap<string, QueueCounts>;
  /** What was read of the branch last; undefined while another process leads. */
  snapshot(): SourceSnapshot | undefined;
  /** By Lease: whether this process leads. */
  leads(): ReadonlyMap<string, boolean>;
  /** Resolves when nothing is being worked on. */
  whenIdle(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts view, hub controllers and reconciler, each half when this process leads it. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { hubApi, git, repository, namespace, endpoint, log, signal } = options;
  const running: { reconciler?: Reconciler; controllers?: ReturnType<typeof startHubControllers> } = {};
  const hub = await openHubContext({
    hubApi,
    namespace,
    identity: await ensureIdentity({ hubApi, namespace, endpoint, signal }),
    endpoint,
    agentImage: options.agentImage,
    protocols: protocolsWith(options.serves ?? []),
    repository: () => repository.read(),
    environment: options.environment ?? {},
    wakeMember: (workspace, name) => running.controllers?.wakeMember(workspace, name),
    log,
    signal,
  });
  const { context } = hub;
  const { view, health, hubFacts, protocols } = context;
  const sops = options.sopsProgram ? { program: options.sopsProgram } : {};
  const proposed = new Set<string>();
  const forge = repositoryForge(hubApi);
  const stopping = new AbortController();
  const leads = new Map<string, boolean>();
  const elected = [
    lead(leaseNames.hub, async (ended) => {
      running.controllers = startHubControllers(context, {
        random: realRandom,
        onProposal: (proposal) => {
          const key = `${proposal.workspace}/${proposal.registration ?? proposal.cluster.metadata.name}`;
          if (proposed.has(key)) return;
          // Which files are offered is seen anew in each run; this only makes the first one come at once.
          if (proposed.size > 10_000) proposed.clear();
          proposed.add(key);
          running.reconciler?.wake();
        },
      });
      const publicObjects = keepPublicObjects(context, realRandom);
      const publisher = startPublisher({ hubApi, view, log, targets: options.publish ?? { clusterProfiles: false } });
      await ended;
      await publisher.stop();
      await publicObjects.stop();
      await running.controllers.stop();
      delete running.controllers;
    }),
    lead(leaseNames.repository, async (ended) => {
      running.reconciler = startReconciler({
        hubApi,
        view,
        git,
        source: sourceOptions(() => repository.read()),
        checkFleet: fleetChecker(namespace),
        openForge: forge,
        openVerifier: repositoryVerifier({ hubApi, git, log }),
        events: context.events ?? { note: () => undefined },
        openKeys: repositoryKeys({ hubApi, repository: () => repository.read(), ...sops }),
        pendingProposals: (label) => pendingProposals(context, label),
        hubFacts,
        readRepository: () => repository.read(),
        noteRepository: (written) => repository.note(written),
        holdMembers: () => running.controllers?.holdMembers() ?? (() => undefined),
        clock: realClock,
        random: realRandom,
        log,
        ...(options.onRun ? { onRun: options.onRun } : {}),
        ...(options.onPlan ? { onPlan: options.onPlan } : {}),
      });
      await ended;
      await running.reconciler.stop();
      delete running.reconciler;
    }),
  ];
  repository.onChange(() => running.reconciler?.wake());

  function lead(name: string, work: (ended: Promise<void>) => Promise<void>): Promise<void> {
    const leadWhile = async (ended: Promise<void>): Promise<void> => {
      leads.set(name, true);
      try {
        await work(ended);
      } finally {
        leads.set(name, false);
      }
    };
    leads.set(name, false);
    if (options.identity === undefined) return leadWhile(whenAborted(stopping.signal));
    return runAsLeader(hubApi, {
      namespace,
      name,
      identity: options.identity,
      clock: realClock,
      random: realRandom,
      signal: stopping.signal,
      ...leadership,
      onLeading: (leading) => leadWhile(whenAborted(leading)),
      onError: (error) => log.warn("leader election failed", { name, error }),
    });
  }

  return {
    view,
    protocols,
    health,
    wake: () => running.reconciler?.wake(),
    queueCounts: () => {
      const counts = new Map(running.controllers?.queueCounts());
      if (running.reconciler) counts.set("repository", running.reconciler.queueCounts());
      return counts;
    },
    snapshot: () => running.reconciler?.snapshot(),
    leads: () => leads,
    whenIdle: async () => {
      await running.reconciler?.whenIdle();
      await running.controllers?.whenIdle();
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(elected);
      await forge.close();
      await hub.stop();
      await repository.stop();
    },
  };
}

/** Brings files together by the rules of a Repository. */
export function fleetChecker(namespace: string): PlanCommitInputs["checkFleet"] {
  return (files, repository) => checkFleet(files, workspaceRules(repository, namespace));
}
