import { silentLog } from "../../../../src/core/log.ts";
import type { Repository } from "../../../../src/model/generated/repository.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../../src/model/well-known.ts";
import { StatusBranch } from "../../../../src/reconcile/write-back.ts";
import { StatusRecorder } from "../../../../src/reconcile/status-recorder.ts";
import { TouchedObjects } from "../../../../src/reconcile/touched-objects.ts";
import { createRun } from "../../../../src/reconcile/run-once.ts";
import { fleetChecker } from "../../../../src/review/fleet-checker.ts";
import { createRepositoryPlanner } from "../../../../src/review/review.ts";
import { sourceOptions } from "../../../../src/review/wire-source.ts";
import type { Edit, SeenRemoval, Tree } from "./fleet-files.ts";
import { asksFor, editTree, firstTree, protectedName, renamed, renderTree } from "./fleet-files.ts";
import { createMemoryGit } from "./memory-git.ts";
import type { Fault } from "./memory-hub.ts";
import { createMemoryHub } from "./memory-hub.ts";
import type { History, Past } from "./oracle.ts";
import { limit } from "./oracle.ts";

/** The count of a trailer: a number, or that of the removals that the commit adds (`exact`), or one less. */
export type Trailer = number | "exact" | "short";

interface Change extends Edit {
  readonly trailer?: Trailer | undefined;
}

export type Step =
  | { readonly do: "commit"; readonly change: Change }
  /** A commit beside the branch, on one so far behind the head, and its merge. */
  | { readonly do: "merge"; readonly back: number; readonly change: Change }
  /** The tree of an earlier commit again. */
  | { readonly do: "revert"; readonly back: number }
  /** A force-push to the commit so far behind the newest one: back, forward, or to the other side of a merge. */
  | { readonly do: "force-push"; readonly back: number }
  /** `approve-deletions` for a commit so far behind the newest. */
  | { readonly do: "approve"; readonly back: number; readonly count: number }
  /** So many commits that change no file, each with a trailer. */
  | { readonly do: "approve-often"; readonly commits: number; readonly trailer: number }
  | { readonly do: "pass"; readonly hours: number }
  /** The hub ends what was removed and what was renamed. */
  | { readonly do: "finish" }
  /** A user takes the protection of a cluster away on the hub. */
  | { readonly do: "unprotect" }
  /** A run; the fault befalls its nth write (of Repository.status, or of anything). `changed`: a user changes the Repository first. */
  | {
      readonly do: "run";
      readonly fault?:
        | { readonly at: number; readonly kind: Fault | "changed"; readonly isStatus: boolean }
        | undefined;
    }
  /** The other process, whose copy of the Repository is of its last `sync` or run, believes that it leads. */
  | { readonly do: "stale-run" }
  | { readonly do: "sync" };

const hourMs = 3_600_000;
const source = sourceOptions(() => undefined);

export interface RemovalWorld {
  readonly history: History;
  play(step: Step): Promise<void>;
  /** Makes every file good, gives the budget of a new day, and runs. Resolves with what is wanted then, and what of it is left. */
  end(): Promise<{ readonly left: number; readonly wanted: number }>;
  status(): NonNullable<Repository["status"]>;
  /** Names of clusters that were ordered to leave. */
  leaving(): string[];
}

/** Plays the steps, then the end. */
export async function playRemovals(
  steps: readonly Step[],
): Promise<{ readonly history: History; readonly left: number; readonly wanted: number }> {
  const world = await createRemovalWorld();
  for (const step of steps) await world.play(step);
  return { history: world.history, ...(await world.end()) };
}

/** A repository, a hub and a daemon that can be killed at each write; the real run in between. */
export async function createRemovalWorld(): Promise<RemovalWorld> {
  const git = createMemoryGit();
  const hub = createMemoryHub();
  const history: History = { commits: [], approvals: [], removals: [], recorded: [], falseStatus: [] };
  // Late in an hour: what is counted by the hour must not fall out early.
  let nowMs = 1_800_003_000_000;
  let head = -1;
  let runs = 0;
  let approvalsGiven = 0;
  const applied = new Map<string, Past["applied"]>();
  hub.onApply = (name) => applied.set(name, { head, run: runs });
  hub.onRemoval = (removal) =>
    history.removals.push({ ...removal, atMs: nowMs, head, run: runs, applied: applied.get(removal.name) });
  hub.put({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { name: "fleet", namespace: "system" },
    spec: {
      url: "memory",
      defaultWorkspace: "fleet",
      workspaces: ["fleet"],
      writeBack: { mode: "None" },
      deletionBudget: { minimum: limit, maximum: limit },
    },
  });
  const readRepository = (): Repository => hub.objects(resourceTypes.repository)[0] as unknown as Repository;
  const treeAt = (index: number): Tree => history.commits[index]?.tree ?? firstTree;
  const behind = (back: number): number => {
    let index = head;
    for (let step = 0; step < back; step++) index = history.commits[index]?.parents[0] ?? index;
    return index;
  };
  const commit = (
    tree: Tree,
    place: { parents?: number[]; isBeside?: boolean; trailer?: Trailer | undefined } = {},
  ) => {
    const { parents = head < 0 ? [] : [head], isBeside = false, trailer } = place;
    const added = countWanted(tree) - countWanted(treeAt(parents[0] ?? head));
    const count = typeof trailer === "number" ? trailer : Math.max(0, trailer === "short" ? added - 1 : added);
    const message = trailer === undefined ? "Change\n" : `Change\n\nRollcall-Allow-Deletions: ${count}\n`;
    const ids = parents.map((parent) => git.ids[parent] ?? "");
    git.commit(renderTree(tree), message, { parents: ids, isBeside });
    const index = history.commits.push({ tree, parents }) - 1;
    if (!isBeside) head = index;
    if (trailer !== undefined) history.approvals.push({ commit: index, count, run: runs });
    return index;
  };
  const clusters = (): KubeObject[] => hub.objects(resourceTypes.cluster);
  /** What this tree asks the hub to remove and is not removed yet. */
  const outstanding = (tree: Tree): SeenRemoval[] =>
    clusters().flatMap(({ metadata: { name, annotations = {}, labels = {} }, ...rest }): SeenRemoval[] => {
      const isLeaving = annotations[annotationKeys.leave] !== undefined;
      const isMoving = isLeaving || annotations[annotationKeys.movedTo] !== undefined;
      const spec = rest["spec"] as { protocol?: string } | undefined;
      const to = tree.clusters.get(name)?.protocol;
      const found: SeenRemoval[] = [
        ...(isLeaving ? [] : [{ kind: "leave" as const, name }]),
        ...(isMoving ? [] : [{ kind: "move" as const, name }]),
        ...(to === undefined || (spec?.protocol ?? "rollcall") === to ? [] : [{ kind: "protocol" as const, name, to }]),
        ...(labels["tier"] === undefined ? [] : [{ kind: "label" as const, name }]),
      ];
      return found.filter((removal) => asksFor(tree, removal));
    });
  const countWanted = (tree: Tree): number => outstanding(tree).length;
  const start = (read: () => Repository, note: (written: Repository) => void) => {
    const view = hub.openView();
    const process = new AbortController();
    const run = createRun(
      {
        hubApi: hub.api,
        view,
        git,
        planner: createRepositoryPlanner({
          git,
          source,
          checkFleet: fleetChecker("system"),
          observed: view,
          rememberedLabels: () => undefined,
          nowMs: () => nowMs,
        }),
        hubFacts: () => {
          throw new Error("nothing is written back");
        },
        readRepository: read,
        recordRepository: (written) => {
          note(written);
          return read();
        },
        clock: { nowMs: () => nowMs, monotonicMs: () => nowMs, sleep: () => new Promise(() => undefined) },
        random: { next: () => 0.5, bytes: (count) => new Uint8Array(count) },
        log: silentLog,
      },
      { statusBranch: new StatusBranch(git), recorder: new StatusRecorder(view), touched: new TouchedObjects(view) },
    );
    return { run, process };
  };
  const startLeader = () => start(readRepository, () => undefined);
  let daemon = startLeader();
  const runOnce = async (fault?: Extract<Step, { do: "run" }>["fault"]): Promise<void> => {
    let count = 0;
    const { process } = daemon;
    const before = readRepository().status;
    runs += 1;
    hub.faultOf = (isStatus) => {
      process.signal.throwIfAborted();
      if (fault === undefined || (fault.isStatus && !isStatus)) return undefined;
      count += 1;
      if (count !== fault.at) return undefined;
      if (fault.kind !== "changed") return fault.kind;
      const repository = readRepository();
      const annotations = { ...repository.metadata.annotations, "example.com/note": "changed" };
      hub.put({ ...repository, metadata: { ...repository.metadata, annotations } });
      return undefined;
    };
    hub.kill = () => {
      process.abort(new Error("killed"));
      process.signal.throwIfAborted();
    };
    await daemon.run("read", process.signal).catch(() => undefined);
    if (process.signal.aborted) daemon = startLeader();
    const { appliedCommit, settledCommit, scannedCommit } = readRepository().status ?? {};
    const id = git.ids[head];
    if (scannedCommit === id) history.recorded.push({ run: runs, head });
    const tree = treeAt(head);
    const left = outstanding(tree);
    if (appliedCommit === id && before?.appliedCommit !== id && left.length > 0)
      history.falseStatus.push(`appliedCommit is ${head}, and ${left.length} of its removals wait`);
    const live = new Set(clusters().map(({ metadata }) => metadata.name));
    // A rename of a cluster that is not there may be a misspelt one: it is as a file with errors.
    const isBad =
      tree.hasStray ||
      [...tree.clusters].some(
        ([name, { state, previousName }]) => state !== "good" || (previousName !== undefined && !live.has(name)),
      );
    const free = left.filter(({ kind, name }) => !(kind === "leave" && name === protectedName));
    if (!isBad && settledCommit === id && before?.settledCommit !== id && free.length > limit)
      history.falseStatus.push(`settledCommit is ${head}, and ${free.length} of its removals wait`);
  };
  let stale: Repository | undefined;
  const sync = (): void => {
    stale = structuredClone(readRepository());
  };
  const runStale = async (): Promise<void> => {
    runs += 1;
    hub.faultOf = () => undefined;
    const other = start(
      () => stale ?? readRepository(),
      (written) => {
        stale = written;
      },
    );
    await other.run("read", other.process.signal).catch(() => undefined);
    // Watches of the first process report it.
    daemon = startLeader();
  };
  const unprotect = (): void => {
    for (const object of clusters())
      if (object.metadata.name === protectedName)
        hub.put({ ...object, spec: { ...(object["spec"] as object), deletionProtection: false } });
    daemon = startLeader();
  };
  const finish = (): void => {
    const live = new Set(clusters().map(({ metadata }) => metadata.name));
    for (const object of clusters()) {
      const { name, annotations = {} } = object.metadata;
      const isMoved = annotations[annotationKeys.movedTo] !== undefined && live.has(renamed(name));
      if (annotations[annotationKeys.leave] !== undefined || isMoved) hub.remove(object);
    }
    daemon = startLeader();
  };
  commit(firstTree);
  await runOnce();
  sync();
  const play = async (step: Step): Promise<void> => {
    switch (step.do) {
      case "commit":
        commit(editTree(treeAt(head), step.change), { trailer: step.change.trailer });
        break;
      case "merge": {
        const base = behind(step.back);
        const side = commit(editTree(treeAt(base), step.change), {
          parents: [base],
          isBeside: true,
          trailer: step.change.trailer,
        });
        commit(editTree(treeAt(head), step.change), { parents: [head, side] });
        break;
      }
      case "revert":
        commit(treeAt(behind(step.back)));
        break;
      case "force-push":
        head = Math.max(0, history.commits.length - 1 - step.back);
        git.moveTo(git.ids[head] ?? "");
        break;
      case "approve": {
        const index = Math.max(0, history.commits.length - 1 - step.back);
        const repository = readRepository();
        approvalsGiven += 1;
        const time = new Date(nowMs + approvalsGiven).toISOString();
        const value = `${git.ids[index]?.slice(0, 12)} ${step.count} ${time}`;
        const annotations = { [annotationKeys.approvedDeletions]: value };
        hub.put({ ...repository, metadata: { ...repository.metadata, annotations } });
        history.approvals.push({ commit: index, count: step.count, run: runs });
        break;
      }
      case "approve-often":
        for (let index = 0; index < step.commits; index += 1) commit(treeAt(head), { trailer: step.trailer });
        break;
      case "pass":
        nowMs += step.hours * hourMs;
        break;
      case "finish":
        finish();
        break;
      case "unprotect":
        unprotect();
        break;
      case "run":
        await runOnce(step.fault);
        break;
      case "stale-run":
        await runStale();
        break;
      case "sync":
        sync();
    }
  };
  const end = async (): Promise<{ readonly left: number; readonly wanted: number }> => {
    // At the end every file is good, every rename that is not done is taken back, and the budget of a new day is there.
    const live = new Set(clusters().map(({ metadata }) => metadata.name));
    const last = [...treeAt(head).clusters].map(([name, file]): [string, typeof file] => {
      const { previousName, ...rest } = { ...file, state: "good" as const };
      return previousName === undefined || live.has(renamed(previousName))
        ? [name, { ...file, state: "good" }]
        : [previousName, rest];
    });
    const lastTree = { ...treeAt(head), clusters: new Map(last), hasStray: false };
    finish();
    unprotect();
    commit(lastTree);
    nowMs += 26 * hourMs;
    const wanted = countWanted(lastTree);
    await runOnce();
    return { left: countWanted(lastTree), wanted };
  };
  return {
    history,
    play,
    end,
    status: () => readRepository().status ?? {},
    leaving: () =>
      clusters()
        .filter(({ metadata }) => metadata.annotations?.[annotationKeys.leave] !== undefined)
        .map(({ metadata }) => metadata.name),
  };
}
