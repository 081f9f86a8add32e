import type { Log } from "../core/log.ts";
import type { GitEngine } from "../git/git.ts";
import type { HubView } from "../hub/hub-view.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { PlannerInputs } from "../review/review.ts";
import { fleetChecker } from "../review/fleet-checker.ts";
import { realClock } from "../system/real-clock.ts";
import type { SopsProgram } from "../secrets/sops-program.ts";
import { repositoryKeys } from "./wire-keys.ts";
import type { ParsedFiles } from "../review/wire-source.ts";
import { sourceOptions } from "../review/wire-source.ts";
import type { RehearsalSettings } from "./rehearse-on-view.ts";
import { rehearseOnView } from "./rehearse-on-view.ts";
import { createUnmergedPlanner } from "./unmerged/unmerged-planner.ts";
import { repositoryVerifier } from "./wire-verification.ts";

export interface HubPlannerOptions {
  readonly hubApi: KubeApi;
  readonly git: GitEngine;
  readonly view: HubView;
  readonly repository: () => Repository | undefined;
  /** Of the daemon. */
  readonly namespace: string;
  /** Globs of namespaces that the daemon may use at all. Default: it is not limited. */
  readonly workspaceLimit?: readonly string[] | undefined;
  readonly sopsProgram?: SopsProgram | undefined;
  /** Default: every file is parsed. */
  readonly parsedFiles?: ParsedFiles | undefined;
  /** By which the hub's controllers work. */
  readonly rehearsal: RehearsalSettings;
  readonly log: Log;
}

/** The thread's file is beside the built program; TypeScript that a test runs has none. */
const workerEntry = import.meta.url.endsWith(".js") ? new URL("plan-worker.js", import.meta.url) : undefined;

/** The inputs of plans of a Repository against a hub: the same for the daemon, pull requests, the page and `plan`. */
export function hubPlannerInputs(options: HubPlannerOptions): PlannerInputs {
  const { hubApi, git, view, repository, namespace, workspaceLimit, sopsProgram, parsedFiles, log } = options;
  return {
    git,
    source: sourceOptions(repository, parsedFiles),
    ...(workerEntry ? { planUnmerged: createUnmergedPlanner({ entry: workerEntry, namespace, workspaceLimit }) } : {}),
    checkFleet: fleetChecker(namespace, workspaceLimit),
    openKeys: repositoryKeys({ hubApi, repository, ...(sopsProgram ? { program: sopsProgram } : {}) }),
    openVerifier: repositoryVerifier({ hubApi, git, log }),
    observed: view,
    rememberedLabels: (workspace, cluster) => view.memberStateOf(workspace, cluster)?.labels,
    nowMs: () => realClock.nowMs(),
    rehearse: rehearseOnView(view, options.rehearsal),
  };
}
