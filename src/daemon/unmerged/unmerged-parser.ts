import { Worker } from "node:worker_threads";
import { startTimer } from "../../core/timer.ts";
import type { FileContent } from "../../manifests/parse-file.ts";
import type { ParsedFile } from "../../model/source.ts";
import type { UnmergedParser } from "../../review/read-source.ts";

/** What reading the files of one branch may cost. */
export interface UnmergedLimits {
  /** Of all its files together. Default 20,000. */
  readonly timeMs: number;
  /** Of all its files that are parsed. Default 16 MiB. */
  readonly bytes: number;
  /** Documents in all of them: the plan's own work follows these. Default 20,000. */
  readonly documents: number;
  /** Of the thread's heap. Default 256. */
  readonly memoryMiB: number;
}

export const defaultUnmergedLimits: UnmergedLimits = {
  timeMs: 20_000,
  bytes: 16 * 1024 * 1024,
  documents: 20_000,
  memoryMiB: 256,
};

/**
 * Parses files that nobody merged in a thread of their own, made with the first file and ended by `close`. Files beyond a
 * limit are not read and say so (E_BRANCH_LIMIT). A thread that takes too long or too much memory is ended, and no
 * further file of the branch is read. `entry` is the built parse-worker. Never rejects for what a file holds.
 */
export function openUnmergedParser(entry: URL, limits: UnmergedLimits = defaultUnmergedLimits): UnmergedParser {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let cutOff: string | undefined;
  const spent = { timeMs: 0, bytes: 0, documents: 0 };

  const parseNext = async (file: FileContent): Promise<ParsedFile> => {
    if (spent.bytes + file.bytes.length > limits.bytes) cutOff ??= `${limits.bytes} bytes`;
    if (spent.documents > limits.documents) cutOff ??= `${limits.documents} documents`;
    if (cutOff !== undefined) return unread(file, cutOff);
    spent.bytes += file.bytes.length;
    worker ??= startWorker(entry, limits);
    const startMs = performance.now();
    const outcome = await ask(worker, file, Math.max(1, limits.timeMs - spent.timeMs));
    spent.timeMs += performance.now() - startMs;
    if (typeof outcome !== "string") {
      spent.documents += outcome.documents.length;
      return outcome;
    }
    cutOff = outcome === "time" ? `${limits.timeMs} ms` : `${limits.memoryMiB} MiB of memory`;
    await worker.terminate();
    return unread(file, cutOff);
  };

  return {
    parseFile(file) {
      const parsed = last.then(() => parseNext(file));
      last = parsed.catch(() => undefined);
      return parsed;
    },
    async close() {
      cutOff ??= "the time of its plan";
      await worker?.terminate();
    },
  };
}

function startWorker(entry: URL, { memoryMiB }: UnmergedLimits): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: memoryMiB, maxYoungGenerationSizeMb: 32 };
  // Whoever waits for an answer hears of the failure; between two files it must not end this process.
  return new Worker(entry, { resourceLimits, env: {} }).on("error", () => undefined);
}

/** Rejects with what else the thread fails of. */
function ask(worker: Worker, file: FileContent, timeMs: number): Promise<ParsedFile | "time" | "memory"> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      cancel();
      worker.off("message", answer).off("error", fail).off("exit", end);
      // Nothing happens where there was an answer.
      resolve("time");
    };
    const answer = (parsed: ParsedFile): void => {
      resolve(parsed);
      end();
    };
    const fail = (error: Error): void => {
      if ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") resolve("memory");
      else reject(error);
      end();
    };
    const cancel = startTimer(timeMs, end);
    worker.on("message", answer).on("error", fail).on("exit", end);
    // What is sent is copied: the bytes stay whole here.
    worker.postMessage({ path: file.path, blobId: file.blobId, bytes: file.bytes });
  });
}

function unread({ path, blobId }: FileContent, limit: string): ParsedFile {
  const message = `the file was not read: the files of this branch take more than ${limit}`;
  const problem = { code: "E_BRANCH_LIMIT", severity: "error", file: path, line: 1, column: 1, message } as const;
  return { path, blobId, text: "", documents: [], problems: [problem], isUnidentified: true, brokenObjects: [] };
}
