import type { LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { ViewChange } from "../../../src/hub/hub-view.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { startReconciler } from "../../../src/reconcile/reconcile.ts";
import type { ReconcilerOptions } from "../../../src/reconcile/reconciler-options.ts";
import { fleetChecker } from "../../../src/review/fleet-checker.ts";
import { createRepositoryPlanner } from "../../../src/review/review.ts";
import { sourceOptions } from "../../../src/review/wire-source.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { createMemoryGit } from "./removals/memory-git.ts";
import { createMemoryHub } from "./removals/memory-hub.ts";

/** A Cluster of the Repository, as the manager last applied it; undefined: a person made it. */
export function clusterOf(manager: string | undefined, fields: Partial<KubeObject> = {}): KubeObject {
  const managedFields = manager === undefined ? [] : [{ manager, operation: "Apply" as const, fieldsV1: {} }];
  const labels = { "rollcall.dev/repository": "system.fleet" };
  const metadata = { name: "a", namespace: "fleet", labels, managedFields, ...fields.metadata };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", ...fields, metadata };
}

/** More than any test needs. */
const mostRepositoryReads = 2000;

/** A reconciler on a repository and a hub in memory, whose clock stands still. */
export async function startInMemory(
  spec: Partial<Repository["spec"]> = {},
  options: Partial<ReconcilerOptions> = {},
  head: (branch: string) => Promise<void> = () => Promise.resolve(),
) {
  const git = createMemoryGit();
  git.commit({}, "First\n");
  const hub = createMemoryHub();
  hub.put({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { name: "fleet", namespace: "system" },
    spec: { url: "memory", workspaces: ["fleet"], writeBack: { mode: "None" }, ...spec },
  });
  let repositoryReads = 0;
  const readRepository = (): Repository => {
    // Runs without a pause let no timer of the test end: they fail instead.
    if (++repositoryReads > mostRepositoryReads) throw new Error(`read the Repository ${repositoryReads} times`);
    return hub.objects(resourceTypes.repository)[0] as unknown as Repository;
  };
  const clock = createManualClock();
  const view = hub.openView();
  const listeners = new Set<(change: ViewChange) => void>();
  const workspaceListeners = new Set<() => void>();
  const subscribeTo =
    <Listener>(set: Set<Listener>) =>
    (listener: Listener) => {
      set.add(listener);
      return () => void set.delete(listener);
    };
  Object.assign(view, {
    subscribe: subscribeTo(listeners),
    subscribeToWorkspaces: subscribeTo(workspaceListeners),
    workspaceUid: () => "n",
  });
  const counts = { reads: 0, runs: 0 };
  const warnings: (LogFields & { message: string })[] = [];
  const reconciler = startReconciler({
    hubApi: hub.api,
    view,
    git: {
      ...git,
      fetchHead: async (branch) => {
        counts.reads += 1;
        await head(branch);
        return git.fetchHead(branch);
      },
    },
    planner: createRepositoryPlanner({
      git,
      source: sourceOptions(() => undefined),
      checkFleet: fleetChecker("system"),
      observed: view,
      rememberedLabels: () => undefined,
      nowMs: () => clock.nowMs(),
    }),
    hubFacts: () => {
      throw new Error("nothing is written back");
    },
    readRepository,
    recordRepository: () => readRepository(),
    clock,
    random: fixedRandom(0.5),
    log: { ...silentLog, warn: (message, fields = {}) => void warnings.push({ message, ...fields }) },
    onRun: () => void (counts.runs += 1),
    ...options,
  });
  await clock.advance(0);
  const change = (
    type: ResourceType,
    versions: { readonly object?: KubeObject | undefined; readonly before?: KubeObject | undefined },
    fields: Partial<ViewChange> = {},
  ): void => {
    const { object, before } = versions;
    const ref = refOf(type, object ?? before ?? clusterOf(undefined));
    for (const listener of listeners) listener({ ref, object, before, isPlanned: false, ...fields });
  };
  /** The next run within a minute and a half, and after how many of these times it came. */
  const nextRun = async (timesMs: readonly number[] = [19, 20, 999, 1000, 59_999, 60_000]) => {
    const before = { ...counts };
    let passedMs = 0;
    for (const atMs of timesMs) {
      await clock.advance(atMs - passedMs);
      passedMs = atMs;
      if (counts.reads > before.reads) return `read after ${atMs} ms`;
      if (counts.runs > before.runs) return `report after ${atMs} ms`;
    }
    return "none";
  };
  return { clock, git, hub, counts, warnings, reconciler, change, nextRun, listeners, workspaceListeners };
}
