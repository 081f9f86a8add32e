import { backoffMs } from "../core/backoff.ts";
import type { Log } from "../core/log.ts";
import { quietRepeats } from "../core/quiet-repeats.ts";
import type { QueueCounts } from "../core/work-queue.ts";
import type { Connect } from "../forge/forge-http.ts";
import type { GitEngine } from "../git/git.ts";
import type { HubPorts } from "../hub/hub-ports.ts";
import type { HubControllers } from "../hub/controllers/controllers.ts";
import { pendingProposals } from "../hub/pending-proposals.ts";
import { writableTypes } from "../hub/report-hub-objects.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { Term } from "../kube/leading-api.ts";
import { assertLeads, leadingApi } from "../kube/leading-api.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { Reconciler } from "../reconcile/reconcile.ts";
import { startReconciler } from "../reconcile/reconcile.ts";
import { statusBranchesOf } from "../reconcile/status-branches.ts";
import type { ReconcilerOptions, RunReport } from "../reconcile/reconciler-options.ts";
import type { RepositoryPlanner } from "../review/review.ts";
import { createRepositoryPlanner } from "../review/review.ts";
import { askLeader } from "./ask-leader.ts";
import { hubPlannerInputs } from "./hub-planner.ts";
import type { ServedProtocol } from "./foreign-protocols.ts";
import type { LeaderOptions } from "./leadership.ts";
import { lead } from "./leadership.ts";
import { leadingGit } from "./leading-git.ts";
import { realClock, realRandom } from "../system/real-clock.ts";
import { whenAborted } from "../system/when-aborted.ts";
import type { SopsProgram } from "../secrets/sops-program.ts";
import { repositoryForge } from "./wire-forge.ts";
import type { ForgeFlags } from "./wire-git.ts";
import type { RepositorySource } from "./known-repository.ts";

export interface RepositoryUnitOptions {
  readonly ports: HubPorts;
  /** Of this process, while it leads the hub's half. */
  readonly controllers: () => HubControllers | undefined;
  readonly lease: string;
  readonly source: RepositorySource;
  readonly git: GitEngine;
  /** Of the daemon. */
  readonly namespace: string;
  /** Globs of namespaces that bound the daemon for every Repository. Default: no limit. */
  readonly workspaceLimit?: readonly string[] | undefined;
  readonly sopsProgram?: SopsProgram;
  /** Foreign protocols that this daemon serves. */
  readonly serves: readonly ServedProtocol[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The forge's token where the Repository names no Secret. Default: none. */
  readonly forgeFlags?: ForgeFlags | undefined;
  /** Makes connections to forges. Default: over the network of this machine. */
  readonly connectForge?: Connect | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly onRun?: (report: RunReport) => void;
  readonly onPlan?: ReconcilerOptions["onPlan"];
  readonly leader: Omit<LeaderOptions, "signal" | "log">;
  /** What the leader does before anything else, until it succeeds; `hubApi` writes for it alone. Default: nothing. */
  readonly prepare?: (hubApi: KubeApi, signal: AbortSignal) => Promise<void>;
}

/** The daemon's half for one Repository. */
export interface RepositoryUnit {
  readonly source: RepositorySource;
  /**
   * Reads branch and hub soon; not when `branches`, those that moved, is the status branch alone, which this process moves
   * itself. Default: any may have moved. Does nothing while another process leads.
   */
  enqueue(branches?: readonly string[]): void;
  /** As `enqueue`; while another process leads, that one is asked to. For news that no other process gets. */
  requestRun(branches?: readonly string[]): void;
  /** Undefined while another process leads. */
  queueCounts(): QueueCounts | undefined;
  /** What was read of the branch last; undefined while another process leads. */
  snapshot(): SourceSnapshot | undefined;
  /** Makes the plans of this Repository, on every replica. */
  readonly planner: RepositoryPlanner;
  whenIdle(): Promise<void>;
  /** Ends the work and gives the Lease back. Repository object and engine stay open: they are the caller's. */
  stop(): Promise<void>;
}

/**
 * Most rehearsed changes of one plan: every user with push access can make the daemon rehearse a branch, beside its
 * other work.
 */
const mostRehearsed = 500;

/** Tries until it succeeds; false when this process leads no more. What is wrong may be put right while it runs. */
async function isPrepared(term: Term, { ports, prepare, log }: RepositoryUnitOptions): Promise<boolean> {
  if (prepare === undefined) return true;
  const { signal } = term;
  const hubApi = leadingApi(ports.hubApi, term);
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await prepare(hubApi, signal);
      return !signal.aborted;
    } catch (error) {
      if (signal.aborted) return false;
      const retryInMs = backoffMs(failures, realRandom, { initialMs: 1000, maximumMs: 30_000 });
      log.warn("the Repository cannot be written as the settings declare", { error, retryInMs });
      await realClock.sleep(retryInMs, signal).catch(() => undefined); // leads no more: the loop ends
    }
  }
  return false;
}

/** Reads, plans and applies one Repository whenever this process leads it: its Lease makes it a shard. */
export function startRepositoryUnit(options: RepositoryUnitOptions): RepositoryUnit {
  const { ports, controllers, lease, source, git, log } = options;
  const { hubApi, view, hubFacts } = ports;
  const { namespace, workspaceLimit, sopsProgram } = options;
  const repository = (): ReturnType<RepositorySource["read"]> => source.read();
  const rehearsal = { protocols: ports.protocols, hubFacts, mostChanges: mostRehearsed, signal: options.signal };
  const planner = createRepositoryPlanner(
    hubPlannerInputs({ hubApi, git, view, repository, namespace, workspaceLimit, sopsProgram, rehearsal, log }),
  );
  const forge = repositoryForge(hubApi, options.environment, options.forgeFlags, options.connectForge);
  const stopping = new AbortController();
  let reconciler: Reconciler | undefined;
  const elected = lead(
    lease,
    async (term) => {
      if (!(await isPrepared(term, options))) return;
      const spec = source.read()?.spec;
      log.info("following a repository", { url: spec?.url, branch: spec?.ref?.branch });
      reconciler = startReconciler({
        hubApi: leadingApi(hubApi, term),
        view,
        writableTypes: writableTypes(ports.protocols),
        git: leadingGit(git, term),
        planner,
        // Only now it is what the settings declare: before, it may be of an earlier start.
        openedUrl: source.read()?.spec.url,
        workspaceLimit,
        serves: options.serves,
        openForge: async (of) => {
          assertLeads(term);
          return forge(of);
        },
        events: ports.events,
        pendingProposals: (label) => pendingProposals(ports, label),
        hubFacts,
        readRepository: () => source.read(),
        recordRepository: (written) => source.record(written),
        holdMembers: () => controllers()?.holdMembers() ?? (() => undefined),
        clock: realClock,
        random: realRandom,
        log: quietRepeats(log, realClock),
        ...(options.onRun ? { onRun: options.onRun } : {}),
        ...(options.onPlan ? { onPlan: options.onPlan } : {}),
      });
      await whenAborted(term.signal);
      await reconciler.stop();
      reconciler = undefined;
    },
    { ...options.leader, log, signal: stopping.signal },
  );
  source.onChange(() => reconciler?.enqueue());
  const requests = askLeader({ hubApi, source, clock: realClock, random: realRandom, log });
  const isMoved = (branches: readonly string[] = []): boolean => {
    const own = statusBranchesOf(source.read());
    return branches.length === 0 || branches.some((branch) => !own.includes(branch));
  };
  return {
    source,
    planner,
    enqueue: (branches) => {
      if (isMoved(branches)) reconciler?.enqueue();
    },
    requestRun: (branches) => {
      if (!isMoved(branches)) return;
      if (reconciler === undefined) requests.add();
      else reconciler.enqueue();
    },
    queueCounts: () => reconciler?.queueCounts(),
    snapshot: () => reconciler?.snapshot(),
    whenIdle: async () => reconciler?.whenIdle(),
    stop: async () => {
      stopping.abort();
      await requests.stop();
      await elected;
      await forge.close();
    },
  };
}
