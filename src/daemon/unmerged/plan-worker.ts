// The entry of a thread: plans one branch that is not merged. What it needs it asks the main thread for, piece by piece.
import { parentPort, workerData } from "node:worker_threads";
import type { TreeFile } from "../../git/git.ts";
import type { ParsedFile } from "../../model/source.ts";
import { fleetChecker } from "../../review/fleet-checker.ts";
import { planMerge } from "../../review/plan-merge.ts";
import type { PlannedMerge } from "../../review/plan-merge.ts";
import type { SourceOptions, SourceSnapshot } from "../../review/read-source.ts";
import { sourceOptions } from "../../review/wire-source.ts";
import { observedThere, openMainThread, repositoryThere } from "./ask-main.ts";
import type { MainThread } from "./ask-main.ts";
import type { PlanOrder } from "./plan-calls.ts";
import { pieceSize } from "./plan-calls.ts";
import { sentError } from "./sent-error.ts";

/** A file of the main branch: its path, its content, and its content when it was last without errors. */
export type MainFile = readonly [path: string, file: TreeFile | undefined, parsed?: ParsedFile, lastGood?: ParsedFile];

async function planBranch(order: PlanOrder, main: MainThread): Promise<PlannedMerge> {
  const { repository, namespace, workspaceLimit, head, nowMs } = order;
  return planMerge({
    git: repositoryThere(main),
    source: withinLimits(
      {
        ...sourceOptions(() => repository),
        ...(order.needsSignatures ? { isVouched: (commit, path) => main.ask("isVouched", commit, path) } : {}),
      },
      order,
    ),
    repository,
    checkFleet: fleetChecker(namespace, workspaceLimit),
    ...(order.hasKeys
      ? {
          openKeys: async () => {
            await main.ask("openKeys");
            return (file) => main.ask("decrypt", file);
          },
        }
      : {}),
    ...(order.hasEvaluator ? { evaluate: (range) => main.ask("evaluate", range) } : {}),
    ...(order.needsSignatures ? { isSigned: (...places) => main.ask("isSigned", ...places) } : {}),
    observed: observedThere(main, order.isComplete),
    rememberedLabels: (workspace, name) => main.askNow("rememberedLabels", workspace, name),
    nowMs,
    main: readMain(order, main),
    head,
    maximumCommits: order.maximumCommits,
  });
}

function readMain({ main }: PlanOrder, thread: MainThread): SourceSnapshot {
  const files = thread.listNow<MainFile>("mainFiles");
  const mapOf = <T>(pick: (file: MainFile) => T | undefined): Map<string, T> =>
    new Map(
      files.flatMap((file): [string, T][] => {
        const value = pick(file);
        return value === undefined ? [] : [[file[0], value]];
      }),
    );
  return {
    ...main,
    files: mapOf(([, file]) => file),
    parsed: mapOf(([, , parsed]) => parsed),
    lastGood: mapOf(([, , , lastGood]) => lastGood),
    parsedCount: 0,
  };
}

/** Files beyond a limit are not parsed, and each has a problem. */
function withinLimits(source: Omit<SourceOptions, "git">, limits: PlanOrder): Omit<SourceOptions, "git"> {
  const { maximumBytes, maximumDocuments } = limits;
  let bytes = 0;
  let documents = 0;
  return {
    ...source,
    parseFile: async (file) => {
      bytes += file.bytes.length;
      if (bytes > maximumBytes) return unread(file, `${maximumBytes} bytes`);
      if (documents > maximumDocuments) return unread(file, `${maximumDocuments} documents`);
      const parsed = await source.parseFile(file);
      documents += parsed.documents.length;
      return parsed;
    },
  };
}

function unread({ path, blobId }: Pick<ParsedFile, "path" | "blobId">, limit: string): ParsedFile {
  const message = `the file was not read: the files of this branch take more than ${limit}`;
  const problem = { code: "E_BRANCH_LIMIT", severity: "error", file: path, line: 1, column: 1, message } as const;
  return { path, blobId, text: "", documents: [], problems: [problem], isUnidentified: true, brokenObjects: [] };
}

/** Sends what was planned; lists are sent in pieces, each after the one before was taken. */
async function deliver({ plan, fleet, ...rest }: PlannedMerge, main: MainThread): Promise<void> {
  for (const [part, record] of [["plan", plan] as const, ["fleet", fleet] as const]) {
    for (const [key, value] of Object.entries(record) as [string, unknown][]) {
      const items: readonly unknown[] = Array.isArray(value) ? value : [];
      if (!Array.isArray(value)) await main.ask("field", part, key, value);
      else await main.ask("items", part, key, items.slice(0, pieceSize));
      for (let at = pieceSize; at < items.length; at += pieceSize)
        await main.ask("items", part, key, items.slice(at, at + pieceSize));
    }
  }
  await main.ask("done", rest);
}

const order = workerData as PlanOrder;
if (parentPort !== null) {
  const port = parentPort;
  const main = openMainThread(port, order);
  planBranch(order, main)
    .then((merge) => deliver(merge, main))
    .catch((error: unknown) => main.ask("failed", sentError(error)))
    .finally(() => port.close());
}
