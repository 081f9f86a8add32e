import { silentLog } from "../../../../src/core/log.ts";
import type { Repository } from "../../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../../src/model/well-known.ts";
import { StatusBranch } from "../../../../src/reconcile/write-back.ts";
import { createRun } from "../../../../src/reconcile/run-once.ts";
import { fleetChecker } from "../../../../src/review/fleet-checker.ts";
import { createRepositoryPlanner } from "../../../../src/review/review.ts";
import { sourceOptions } from "../../../../src/review/wire-source.ts";
import { createMemoryGit } from "./memory-git.ts";
import type { Fault } from "./memory-hub.ts";
import { createMemoryHub } from "./memory-hub.ts";

/** Removals within 24 hours that need no approval. */
export const limit = 2;
export const names = ["a", "b", "c", "d", "e", "f", "g", "h"];

export type Step =
  /** A commit: clusters to declare, to delete, to break; a file that cannot be identified; a trailer. */
  | {
      readonly do: "commit";
      readonly add: readonly string[];
      readonly remove: readonly string[];
      readonly break: readonly string[];
      readonly stray: boolean;
      readonly trailer?: number | undefined;
    }
  /** The tree of an earlier commit again. */
  | { readonly do: "revert"; readonly back: number }
  /** `approve-deletions` for a commit so far behind the head. */
  | { readonly do: "approve"; readonly back: number; readonly count: number }
  | { readonly do: "pass"; readonly hours: number }
  /** The hub ends offboarding of everything that leaves. */
  | { readonly do: "finish" }
  /** A run; the fault befalls its nth write (of Repository.status, or of anything). */
  | {
      readonly do: "run";
      readonly fault?: { readonly at: number; readonly kind: Fault; readonly isStatus: boolean } | undefined;
    };

/** What happened, for an oracle. */
export interface History {
  /** Files of each commit, by the name of the cluster; the head is the last. */
  readonly trees: ReadonlySet<string>[];
  readonly approvals: { readonly commit: number; readonly count: number }[];
  readonly removals: { readonly name: string; readonly atMs: number; readonly head: number }[];
}

const good = (name: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\nspec: {displayName: ${name}}\n`;
const bad = (name: string): string => good(name).replace("displayName", "displayNmae");
const hourMs = 3_600_000;
const source = sourceOptions(() => undefined);

/** A repository, a hub and a daemon that can be killed at each write; the real run in between. */
export async function playRemovals(
  steps: readonly Step[],
): Promise<{ readonly history: History; readonly left: number; readonly wanted: number }> {
  const git = createMemoryGit();
  const hub = createMemoryHub();
  const history: History = { trees: [], approvals: [], removals: [] };
  const files: Record<string, string>[] = [];
  // Late in an hour: what is counted by the hour must not fall out early.
  let nowMs = 1_800_003_000_000;
  let approvalsGiven = 0;
  hub.onLeave = (name) => history.removals.push({ name, atMs: nowMs, head: history.trees.length - 1 });
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
  const commit = (tree: Record<string, string>, trailer?: number): void => {
    git.commit(tree, trailer === undefined ? "Change\n" : `Change\n\nRollcall-Allow-Deletions: ${trailer}\n`);
    files.push(tree);
    history.trees.push(new Set(Object.keys(tree).map((path) => path.replace(".yaml", ""))));
    if (trailer !== undefined) history.approvals.push({ commit: files.length - 1, count: trailer });
  };
  const start = () => {
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
        readRepository,
        noteRepository: () => readRepository(),
        clock: { nowMs: () => nowMs, monotonicMs: () => nowMs, sleep: () => new Promise(() => undefined) },
        random: { next: () => 0.5, bytes: (count) => new Uint8Array(count) },
        log: silentLog,
      },
      new StatusBranch(git),
    );
    return { run, view, process };
  };
  let daemon = start();
  const runOnce = async (fault?: Extract<Step, { do: "run" }>["fault"]): Promise<void> => {
    let count = 0;
    const { process } = daemon;
    hub.faultOf = (isStatus) => {
      process.signal.throwIfAborted();
      if (fault === undefined || (fault.isStatus && !isStatus)) return undefined;
      count += 1;
      return count === fault.at ? fault.kind : undefined;
    };
    hub.kill = () => {
      process.abort(new Error("killed"));
      process.signal.throwIfAborted();
    };
    await daemon.run("look", process.signal).catch(() => undefined);
    if (process.signal.aborted) daemon = start();
  };
  const restart = (): void => {
    daemon = start();
  };
  const seed = Object.fromEntries([...names, "keep"].map((name) => [`${name}.yaml`, good(name)]));
  commit(seed);
  await runOnce();
  for (const step of steps) {
    switch (step.do) {
      case "commit": {
        const tree = { ...files.at(-1) };
        for (const name of step.add) tree[`${name}.yaml`] = good(name);
        for (const name of step.break) if (tree[`${name}.yaml`] !== undefined) tree[`${name}.yaml`] = bad(name);
        for (const name of step.remove) delete tree[`${name}.yaml`];
        if (step.stray) tree["stray.yaml"] = "kind: [";
        else delete tree["stray.yaml"];
        commit(tree, step.trailer);
        break;
      }
      case "revert":
        commit({ ...files[Math.max(0, files.length - 1 - step.back)] });
        break;
      case "approve": {
        const index = Math.max(0, files.length - 1 - step.back);
        const repository = readRepository();
        approvalsGiven += 1;
        const time = new Date(nowMs + approvalsGiven).toISOString();
        const value = `${git.ids[index]?.slice(0, 12)} ${step.count} ${time}`;
        const annotations = { [annotationKeys.approvedDeletions]: value };
        hub.put({ ...repository, metadata: { ...repository.metadata, annotations } });
        history.approvals.push({ commit: index, count: step.count });
        break;
      }
      case "pass":
        nowMs += step.hours * hourMs;
        break;
      case "finish":
        for (const object of hub.objects(resourceTypes.cluster))
          if (object.metadata.annotations?.[annotationKeys.leave] !== undefined) hub.remove(object);
        restart();
        break;
      case "run":
        await runOnce(step.fault);
    }
  }
  // At the end every file is good, and the budget of a new day is there: what it allows is removed.
  const end = Object.fromEntries(
    Object.keys(files.at(-1) ?? {})
      .filter((path) => path !== "stray.yaml")
      .map((path) => [path, good(path.replace(".yaml", ""))]),
  );
  commit(end);
  nowMs += 26 * hourMs;
  restart();
  const undeclared = () =>
    hub
      .objects(resourceTypes.cluster)
      .filter(
        ({ metadata }) =>
          end[`${metadata.name}.yaml`] === undefined && metadata.annotations?.[annotationKeys.leave] === undefined,
      ).length;
  const wanted = undeclared();
  await runOnce();
  return { history, left: undeclared(), wanted };
}
