import { silentLog } from "../../../src/core/log.ts";
import type { HubView } from "../../../src/hub/hub-view.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { describeRef } from "../../../src/model/kubernetes.ts";
import type { Plan, PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createRun } from "../../../src/reconcile/run-once.ts";
import { StatusRecorder } from "../../../src/reconcile/status-recorder.ts";
import { TouchedObjects } from "../../../src/reconcile/touched-objects.ts";
import { StatusBranch } from "../../../src/reconcile/write-back.ts";
import { checkFleet } from "../../../src/manifests/check-fleet.ts";
import { workspaceRules } from "../../../src/review/fleet-checker.ts";
import type { RepositoryPlanner } from "../../../src/review/review.ts";
import { createRepositoryPlanner } from "../../../src/review/review.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import type { CommitPlace } from "../reconcile/removals/memory-git.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";
import { createMemoryHub } from "../reconcile/removals/memory-hub.ts";

export interface PlanWorld {
  readonly view: HubView;
  readonly hub: ReturnType<typeof createMemoryHub>;
  /** The id of the commit. Default: a message without an approval, on top of the branch. */
  commit(files: Readonly<Record<string, string>>, message?: string, place?: CommitPlace): string;
  /** Commits these files and runs. */
  push(files: Readonly<Record<string, string>>): Promise<void>;
  run(): Promise<void>;
  /** What a merge of a commit beside the branch would do. */
  planMerge(head: string): Promise<Plan>;
  /** Files that such a merge is in conflict about. */
  conflictsOf(head: string): Promise<readonly string[]>;
  /** Of the plans by what changed: how many objects each read; undefined for a whole one. */
  readonly visits: (number | undefined)[];
  /** What each run planned. */
  readonly plans: Plan[];
}

/**
 * A run of the daemon on a repository and a hub in memory. `compare` is given both plans of each change; `isEdited` returns
 * whether a person edits the object of a change while the run plans; `limits` are those of files taken together.
 */
export function createPlanWorld(
  compare?: (change: Plan, whole: Plan) => void,
  isEdited: (change: PlannedChange) => boolean = () => false,
  limits: { readonly maxSelectionCost?: number } = {},
): PlanWorld {
  const git = createMemoryGit();
  const hub = createMemoryHub();
  hub.put({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { name: "fleet", namespace: "system" },
    spec: {
      ...{ url: "memory", defaultWorkspace: "fleet", workspaces: ["fleet"] },
      ...{ writeBack: { mode: "None" }, proposals: { clusters: "All" } },
    },
  });
  const readRepository = (): Repository => hub.objects(resourceTypes.repository)[0] as unknown as Repository;
  const view = hub.openView();
  const nowMs = (): number => 1_800_000_000_000;
  const whole = createRepositoryPlanner({
    git,
    source: sourceOptions(() => undefined),
    checkFleet: (files, repository) => checkFleet(files, { ...workspaceRules(repository, "system"), ...limits }),
    observed: view,
    rememberedLabels: (workspace, name) => view.memberStateOf(workspace, name)?.labels,
    nowMs,
  });
  const visits: (number | undefined)[] = [];
  const plans: Plan[] = [];
  const planner: RepositoryPlanner = {
    ...whole,
    planSince: async (repository, snapshot, change) => {
      const since = await whole.planSince(repository, snapshot, change);
      if (since && compare) compare(since.plan, (await whole.plan(repository, snapshot)).plan);
      return since;
    },
  };
  const { signal } = new AbortController();
  const trust = { publicKey: "", epoch: 1, validFrom: "2026-01-01T00:00:00Z", sign: () => new Uint8Array() };
  const runOnce = createRun(
    {
      ...{ hubApi: hub.api, view, git, planner, readRepository, log: silentLog },
      pendingProposals: () => [],
      hubFacts: () => ({
        ...{ hubId: "hub", endpoint: { url: "memory", caBundle: "" }, daemonNamespace: "system", nowMs: 0 },
        ...{ version: "0", agentImage: "agent", trust },
      }),
      recordRepository: () => readRepository(),
      onPlan: (plan) => plans.push(plan),
      clock: { nowMs, monotonicMs: nowMs, sleep: () => new Promise(() => undefined) },
      random: { next: () => 0.5, bytes: (count) => new Uint8Array(count) },
      onRun: ({ visitedCount }) => visits.push(visitedCount),
    },
    {
      ...{ statusBranch: new StatusBranch(git), recorder: new StatusRecorder(view), touched: new TouchedObjects(view) },
      hubFollower: { follow: () => Promise.resolve([]), confirm: () => undefined, isEditedSince: isEdited },
    },
  );
  const run = async (): Promise<void> => {
    await runOnce("read", signal).catch(() => undefined);
  };
  const merge = async (head: string) => {
    const repository = readRepository();
    const main = await whole.read(repository, (await git.fetchHead("main")) ?? "");
    return whole.planMerge(repository, { main, head });
  };
  const commit: PlanWorld["commit"] = (files, message = "Change\n", place = {}) => git.commit(files, message, place);
  return {
    ...{ view, hub, visits, plans, run, commit },
    planMerge: async (head) => (await merge(head)).plan,
    conflictsOf: async (head) => (await merge(head)).conflicts,
    push: async (files) => {
      commit(files);
      await run();
    },
  };
}

/** The same plan, whatever the order in which its changes were found. */
export function comparable(plan: Plan): unknown {
  const changes = [...plan.changes].sort((a, b) => (describeRef(a.ref) < describeRef(b.ref) ? -1 : 1));
  return JSON.parse(JSON.stringify({ ...plan, changes }));
}
