import { fileURLToPath } from "node:url";
import type { Log } from "../../core/log.ts";
import type { GitEngine } from "../../git/git.ts";
import type { Plan } from "../../model/plan.ts";
import type { ChangeOutcome } from "../../hub/execute-changes.ts";
import type { RunReport } from "../../reconcile/reconciler-options.ts";
import type { Access } from "../../web/dashboard/access.ts";
import { dashboardRoutes } from "../../web/dashboard/dashboard.ts";
import { FleetFeed } from "../../web/dashboard/fleet-feed.ts";
import { FleetRecorder } from "../../web/dashboard/fleet-recorder.ts";
import type { PageActions } from "../../web/dashboard/page-actions.ts";
import { readPageAssets } from "../../web/dashboard/page-assets.ts";
import { startWebServer } from "../../web/web.ts";
import { createBranchPlanner } from "./page-branch-plan.ts";
import { createBranchLister } from "./page-branches.ts";
import { PageCommits } from "./page-commits.ts";
import { PageRecords } from "./page-records.ts";
import { createPageReader } from "./page-reader.ts";
import { realClock, realRandom } from "../../system/real-clock.ts";
import type { RepositorySource } from "../known-repository.ts";
import type { Daemon } from "../wire-run.ts";

/** The page of a daemon. It is made first, so that it receives the daemon's first run, and served once there is a daemon. */
export interface Page {
  recordRun(report: RunReport): void;
  recordPlan(plan: Plan, outcomes: readonly ChangeOutcome[]): void;
  serve(daemon: Daemon, options: ServeOptions): Promise<{ readonly port: number; close(): Promise<void> }>;
}

interface ServeOptions {
  /** Undefined: every address. */
  readonly host: string | undefined;
  /** 0: the system chooses. */
  readonly port: number;
  readonly access: Access;
  /** Absent: the page is read-only. */
  readonly actions?: PageActions;
}

export function createPage(options: {
  readonly git: GitEngine;
  readonly repository: RepositorySource;
  readonly log: Log;
}): Page {
  const { git, repository, log } = options;
  const feed = new FleetFeed(Buffer.from(realRandom.bytes(9)).toString("base64url"));
  const commits = new PageCommits(git);
  const listBranches = createBranchLister(git, log);
  const recorder = new FleetRecorder(realClock);
  return {
    recordRun: (report) => recorder.recordRun(report),
    recordPlan: (plan, outcomes) => commits.recordPlan(plan, outcomes, repository.read()),
    serve: async (daemon, { host, port, access, actions }) => {
      const stopping = new AbortController();
      const planBranch = createBranchPlanner({
        clock: realClock,
        git,
        view: daemon.view,
        repository: () => repository.read(),
        planner: daemon.planner,
        snapshot: () => daemon.snapshot(),
      });
      const records = new PageRecords({
        git,
        repository: () => repository.read(),
        clock: realClock,
        readSource: (id) => commits.read(id),
      });
      const reader = createPageReader({
        daemon,
        repository,
        feed,
        commits,
        planBranch,
        listBranches,
        recorder,
        records,
      });
      const assets = await readPageAssets(fileURLToPath(new URL("page", import.meta.url)));
      const server = await startWebServer({
        host,
        port,
        routes: dashboardRoutes({
          reader,
          feed,
          access,
          assets,
          clock: realClock,
          signal: stopping.signal,
          ...(actions ? { actions } : {}),
        }),
        log,
      });
      void recorder.run(() => reader.clusters(), stopping.signal);
      log.info("serving the page", { port: server.port, access: access.mode, hasActions: actions !== undefined });
      return {
        port: server.port,
        close: async () => {
          stopping.abort();
          await server.close();
        },
      };
    },
  };
}
