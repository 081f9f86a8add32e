import { MessageChannel, Worker } from "node:worker_threads";
import { errorCodeOf, isAppError } from "../../core/errors.ts";
import { emptyFleet } from "../../model/declared-fleet.ts";
import type { Problem } from "../../model/problem.ts";
import { startTimer } from "../../core/timer.ts";
import type { MergeInputs, PlannedMerge } from "../../review/plan-merge.ts";
import type { PlanAnswer, PlanCall, PlanOrder } from "./plan-calls.ts";
import { sentError } from "./sent-error.ts";
import type { PlanService } from "./serve-plan.ts";
import { servePlan } from "./serve-plan.ts";

/** What the plan of one branch may cost. */
export interface UnmergedLimits {
  /** Of the whole plan, what the thread waits for included. Default 20,000. */
  readonly timeMs: number;
  /** Of all its files that are parsed. Default 16 MiB. */
  readonly bytes: number;
  /** Documents in all of them: the plan's own work follows these. Default 20,000. */
  readonly documents: number;
  /** That it and the main branch do not share: all are held in memory. Default 50,000. */
  readonly commits: number;
  /** Of the thread's heap. Default 256. */
  readonly memoryMiB: number;
}

export const defaultUnmergedLimits: UnmergedLimits = {
  timeMs: 20_000,
  bytes: 16 * 1024 * 1024,
  documents: 20_000,
  commits: 50_000,
  memoryMiB: 256,
};

export interface UnmergedPlannerOptions {
  /** The built plan-worker. */
  readonly entry: URL;
  /** Of the daemon. */
  readonly namespace: string;
  readonly workspaceLimit?: readonly string[] | undefined;
  readonly limits?: UnmergedLimits;
}

/**
 * Plans branches that are not merged, each in a thread of its own: it reads, checks, evaluates policies and compares with
 * the hub there. A thread that takes too long or too much memory is ended; the plan then has no changes and one problem
 * (E_BRANCH_LIMIT). Rejects as `planMerge` does.
 */
export function createUnmergedPlanner(options: UnmergedPlannerOptions): (inputs: MergeInputs) => Promise<PlannedMerge> {
  const { entry, limits = defaultUnmergedLimits } = options;
  return async (inputs) => {
    const { port1, port2 } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const order: PlanOrder = { ...orderOf(inputs, options), answers: port2, signal };
    const resourceLimits = { maxOldGenerationSizeMb: limits.memoryMiB, maxYoungGenerationSizeMb: 32 };
    const worker = new Worker(entry, { workerData: order, transferList: [port2], resourceLimits, env: {} });
    let cancel = (): void => undefined;
    try {
      const outcome = await new Promise<PlannedMerge | string>((resolve, reject) => {
        cancel = startTimer(limits.timeMs, () => resolve(`${limits.timeMs} ms`));
        // Without memory, other things fail first. Only the end of the thread reports that memory was the cause.
        let failure = new Error("the thread that plans a branch ended early");
        const fail = (error: Error): void => {
          if (isAppError(error, "E_BRANCH_LIMIT")) resolve(`${limits.commits} commits`);
          failure = error;
        };
        const service = servePlan(inputs, { resolve, reject: fail });
        worker.on("message", (call: PlanCall) => {
          void answer(service, call).then((given) => {
            if (call.id !== 0) return worker.postMessage(given);
            port1.postMessage(given);
            Atomics.store(signal, 0, 1);
            Atomics.notify(signal, 0);
          });
        });
        worker.on("error", (error) => {
          if (errorCodeOf(error) === "ERR_WORKER_OUT_OF_MEMORY") resolve(`${limits.memoryMiB} MiB of memory`);
          else failure = error;
        });
        worker.on("exit", () => reject(failure));
      });
      return typeof outcome === "string" ? await cutOff(inputs, outcome) : outcome;
    } finally {
      cancel();
      port1.close();
      await worker.terminate();
    }
  };
}

function orderOf(
  inputs: MergeInputs,
  { namespace, workspaceLimit, limits = defaultUnmergedLimits }: UnmergedPlannerOptions,
): Omit<PlanOrder, "answers" | "signal"> {
  const { repository, head, nowMs, observed, main, openKeys, evaluate, isSigned } = inputs;
  const { commit, selection, pathProblems, refusedPaths = [] } = main;
  return {
    repository,
    namespace,
    workspaceLimit,
    head,
    nowMs,
    hasKeys: openKeys !== undefined,
    hasEvaluator: evaluate !== undefined,
    needsSignatures: isSigned !== undefined,
    isComplete: observed.isComplete,
    main: { commit, ...(selection === undefined ? {} : { selection }), pathProblems, refusedPaths },
    maximumBytes: limits.bytes,
    maximumDocuments: limits.documents,
    maximumCommits: limits.commits,
  };
}

async function answer(service: PlanService, { id, name, args }: PlanCall): Promise<PlanAnswer> {
  try {
    const serve = service[name];
    if (serve === undefined) throw new Error(`a thread asks for ${name}`);
    return { id, value: (await Reflect.apply(serve, undefined, args)) as unknown };
  } catch (error) {
    return { id, error: sentError(error) };
  }
}

async function cutOff({ git, head, main }: MergeInputs, limit: string): Promise<PlannedMerge> {
  const message = `the branch was not planned: its plan takes more than ${limit}`;
  const problem: Problem = { code: "E_BRANCH_LIMIT", severity: "error", file: ".", line: 1, column: 1, message };
  return {
    plan: {
      commit: head,
      base: main.commit.id,
      changes: [],
      removals: [],
      withheld: [],
      heldDeletes: [],
      budget: { wanted: 0, recent: 0, limit: 0, isExceeded: false },
      account: { charges: [], returned: [], approvals: [] },
      problems: [problem],
    },
    fleet: emptyFleet,
    commit: await git.readCommit(head),
    changed: new Set(),
    conflicts: [],
  };
}
