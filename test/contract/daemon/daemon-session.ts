import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import type { ServedProtocol } from "../../../src/daemon/foreign-protocols.ts";
import { installProtocols } from "../../../src/daemon/foreign-protocols.ts";
import { installCrds } from "../../../src/install/install-crds.ts";
import type { BranchPlanner } from "../../../src/daemon/page/page-branch-plan.ts";
import { createBranchPlanner } from "../../../src/daemon/page/page-branch-plan.ts";
import { realClock } from "../../../src/system/real-clock.ts";
import { followRepository } from "../../../src/daemon/wire-repository.ts";
import type { Daemon, DaemonOptions } from "../../../src/daemon/wire-run.ts";
import { startDaemon } from "../../../src/daemon/wire-run.ts";
import type { Log } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { PlanView } from "../../../src/model/generated/page-api.ts";
import type { RepositorySpec } from "../../../src/model/generated/repository.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import type { RunReport } from "../../../src/reconcile/reconciler-options.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

/** A hub with a workspace of its own, a repository, and a daemon that can be started and stopped. */
export interface DaemonSession {
  readonly api: KubeApi;
  /** Where agents find the hub. */
  readonly endpoint: { readonly url: string; readonly caBundle: string };
  readonly workspace: string;
  readonly namespace: string;
  readonly repository: TestRepository;
  readonly log: LoggedLines;
  /** Starts the daemon; it runs until `stopDaemon`. */
  startDaemon(options?: {
    readonly spec?: Partial<RepositorySpec>;
    /** Foreign protocols that are served too; what they need is made on the hub. Default none. */
    readonly serves?: readonly ServedProtocol[];
    /** Other Repository objects are followed too. Default false. */
    readonly followsOthers?: boolean;
    /** With `followsOthers`: the back-end of git for them. Default auto. */
    readonly gitBackend?: "auto" | "native";
    readonly identity?: string;
    /** Globs of namespaces that the daemon may use at all. Default: it is not limited. */
    readonly workspaceLimit?: readonly string[];
    /** What is published for other tools. Default: nothing. */
    readonly publish?: DaemonOptions["publish"];
    /** Default: files that it would open are refused. */
    readonly sopsProgram?: DaemonOptions["sopsProgram"];
    /** Default none. */
    readonly forgeFlags?: DaemonOptions["forgeFlags"];
    /** Default empty. */
    readonly environment?: DaemonOptions["environment"];
  }): Promise<Daemon>;
  stopDaemon(): Promise<void>;
  /** Enqueues a run of the daemon; `branches`: those that moved, as a watch or a webhook reports. */
  enqueue(branches?: readonly string[]): void;
  /** How often the daemon has read the branch and the hub. */
  lookCount(): number;
  /** Has the daemon read the branch and the hub once more, and resolves when it has done what follows. */
  lookAgain(): Promise<void>;
  whenIdle(): Promise<void>;
  /** Enqueues the Repository and resolves with the report of the first run that saw the branch's head. */
  settle(): Promise<RunReport>;
  /** What the page shows of a branch that is not merged. */
  planBranch(branch: string): Promise<PlanView | undefined>;
  get(type: ResourceType, name: string, namespace?: string): Promise<KubeObject | undefined>;
  close(): Promise<void>;
}

export interface LoggedLines extends Log {
  readonly lines: string[];
  /** Resolves with the next line that is wanted. */
  untilLine(isWanted: (line: string) => boolean): Promise<string>;
}

export async function openDaemonSession(
  hub: HubUnderTest,
  /** By which address, or as whom, the daemon reaches the hub. Default: directly, as an administrator. */
  options: {
    readonly daemonServer?: string;
    readonly daemonKubeconfig?: string;
    /** What the daemon has of the API server. Default: all as it is. */
    readonly wrapApi?: (api: KubeApi) => KubeApi;
    /** What the daemon has of git. Default: all as it is. */
    readonly wrapGit?: (git: GitEngine) => GitEngine;
    /** A session of another hub, whose git repository and name of the workspace this one has too. Default: its own. */
    readonly beside?: Pick<DaemonSession, "workspace" | "repository">;
  } = {},
): Promise<DaemonSession> {
  const connection = readKubeconfig(hub.kubeconfig);
  const api = apiOf(connection);
  const { daemonServer = api.server, wrapApi = (own) => own, wrapGit = (own) => own } = options;
  const daemonKubeconfig = options.daemonKubeconfig ?? hub.kubeconfig.replaceAll(api.server, daemonServer);
  const endpoint = { url: api.server, caBundle: (await connection.getTls()).caPem ?? "" };
  const id = randomUUID().slice(0, 8);
  const workspace = options.beside?.workspace ?? `fleet-${id}`;
  const namespace = `daemon-${id}`;
  const signal = new AbortController();
  setMaxListeners(0, signal.signal);
  if (hub.isReady !== true) await installCrds(api, signal.signal);
  await makeNamespace(api, namespace, {});
  await makeNamespace(api, workspace, { [labelKeys.workspace]: "true" });
  const folder = await makeTempFolder();
  const repository = options.beside?.repository ?? (await createRepository(`${folder.path}/fleet.git`));
  const log = collectingLog();
  const reports: RunReport[] = [];
  const looks = { count: 0 };
  const waiting: (() => void)[] = [];
  const running: {
    daemon?: Daemon;
    git?: GitEngine;
    hubApi?: KubeApi;
    planBranch?: BranchPlanner;
  } = {};

  const session: DaemonSession = {
    api,
    endpoint,
    workspace,
    namespace,
    repository,
    log,
    startDaemon: async (options = {}) => {
      const { spec = {}, serves = [], followsOthers = false, gitBackend = "auto" } = options;
      const { identity, workspaceLimit, publish, sopsProgram, forgeFlags, environment } = options;
      await installProtocols(api, serves, signal.signal);
      const target = { namespace, name: "fleet" };
      const full = {
        url: repository.path,
        defaultWorkspace: workspace,
        workspaces: [workspace],
        interval: "10m",
        ...spec,
      };
      const hubApi = wrapApi(apiOf(readKubeconfig(daemonKubeconfig)));
      running.hubApi = hubApi;
      const source = await followRepository(hubApi, target, signal.signal);
      running.git = wrapGit(await openLocalEngine(repository.path, `${folder.path}/fleet.git.cache`));
      running.daemon = await startDaemon({
        hubApi,
        git: running.git,
        repository: source,
        settings: { name: target.name, spec: full },
        namespace,
        endpoint,
        agentImage: "rollcall",
        serves,
        ...(identity === undefined ? {} : { identity }),
        ...(workspaceLimit ? { workspaceLimit } : {}),
        ...(publish ? { publish } : {}),
        ...(sopsProgram ? { sopsProgram } : {}),
        ...(forgeFlags ? { forgeFlags } : {}),
        ...(environment ? { environment } : {}),
        ...(followsOthers
          ? {
              further: {
                except: "fleet",
                cacheDir: `${folder.path}/others`,
                backend: gitBackend,
                onRun: () => undefined,
              },
            }
          : {}),
        log,
        signal: signal.signal,
        onRun: (report) => {
          reports.push(report);
          if (report.phasesMs.read !== undefined) looks.count += 1;
          for (const resolve of waiting.splice(0)) resolve();
        },
      });
      running.planBranch = createBranchPlanner({
        clock: realClock,
        git: running.git,
        view: running.daemon.view,
        repository: () => source.read(),
        planner: running.daemon.planner,
        snapshot: () => running.daemon?.snapshot(),
      });
      return running.daemon;
    },
    stopDaemon: async () => {
      await running.daemon?.stop();
      await running.git?.close();
      await running.hubApi?.close();
      delete running.daemon;
      delete running.hubApi;
      delete running.git;
    },
    enqueue: (branches) => running.daemon?.enqueue(branches),
    lookCount: () => looks.count,
    lookAgain: async () => {
      const before = looks.count;
      running.daemon?.enqueue();
      await until(
        () => Promise.resolve(looks.count),
        (count) => count > before,
      );
      await running.daemon?.whenIdle();
    },
    whenIdle: async () => running.daemon?.whenIdle(),
    settle: async () => {
      const head = await repository.head();
      reports.length = 0;
      running.daemon?.enqueue();
      for (;;) {
        const report = reports.find(({ commit }) => commit === head);
        if (report) {
          await running.daemon?.whenIdle();
          return report;
        }
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    planBranch: async (branch) => running.planBranch?.(branch),
    get: (type, name, inNamespace = workspace) => api.get({ type, namespace: inNamespace, name }),
    close: async () => {
      await session.stopDaemon();
      signal.abort();
      await api.delete({ type: resourceTypes.namespace, name: workspace });
      await api.delete({ type: resourceTypes.namespace, name: namespace });
      await api.close();
      await hub.stop();
      await folder.remove();
    },
  };
  return session;
}

async function makeNamespace(api: KubeApi, name: string, labels: Record<string, string>): Promise<void> {
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }, { fieldManager: "test" });
}

function collectingLog(): LoggedLines {
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  const write =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const line = `${level} ${message} ${JSON.stringify(fields)}`;
      lines.push(line);
      for (const look of waiting) look(line);
    };
  const untilLine = (isWanted: (line: string) => boolean): Promise<string> =>
    new Promise((resolve) => {
      const look = (line: string): void => {
        if (!isWanted(line)) return;
        waiting.delete(look);
        resolve(line);
      };
      waiting.add(look);
    });
  const log: LoggedLines = {
    ...silentLog,
    lines,
    untilLine,
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    debug: write("debug"),
    with: () => log,
  };
  return log;
}
