import { describeError, isAppError } from "../core/errors.ts";
import type { AppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { GitEngine } from "../git/git.ts";

/**
 * Opens an engine. While another process has the folder of its copy, or the disk is full, the engine answers each call with
 * that error and is opened again with the next one: the process may end, and the others must not wait for it.
 * @throws whatever `open` throws besides
 */
export async function openOrWait(url: string, open: () => Promise<GitEngine>, log: Log): Promise<GitEngine> {
  try {
    return await open();
  } catch (error) {
    if (!isAppError(error, "E_DIR_LOCKED", "E_DISK_WRITE")) throw error;
    log.warn("a repository cannot be opened yet", { error: describeError(error) });
    return reopeningEngine(url, open);
  }
}

/** An engine that is opened when something is first asked of it, as often as that fails. */
function reopeningEngine(url: string, open: () => Promise<GitEngine>): GitEngine {
  let opened: Promise<GitEngine> | undefined;
  const engine = (): Promise<GitEngine> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    url,
    fetchHead: async (...args) => (await engine()).fetchHead(...args),
    readCommit: async (...args) => (await engine()).readCommit(...args),
    readSignature: async (...args) => (await engine()).readSignature(...args),
    isAncestor: async (...args) => (await engine()).isAncestor(...args),
    listCommits: async (...args) => (await engine()).listCommits(...args),
    listFiles: async (...args) => (await engine()).listFiles(...args),
    changedPaths: async (...args) => (await engine()).changedPaths(...args),
    readBlob: async (...args) => (await engine()).readBlob(...args),
    listBranches: async (...args) => (await engine()).listBranches(...args),
    commitAndPush: async (...args) => (await engine()).commitAndPush(...args),
    moveBranch: async (...args) => (await engine()).moveBranch(...args),
    deleteBranch: async (...args) => (await engine()).deleteBranch(...args),
    close: async () => (await opened)?.close(),
  };
}

/** An engine whose every answer is the reason why there is none. */
export function refusingEngine(url: string, error: AppError): GitEngine {
  const refuse = (): Promise<never> => Promise.reject(error);
  return {
    url,
    fetchHead: refuse,
    readCommit: refuse,
    readSignature: refuse,
    isAncestor: refuse,
    listCommits: refuse,
    listFiles: refuse,
    changedPaths: refuse,
    readBlob: refuse,
    listBranches: refuse,
    commitAndPush: refuse,
    moveBranch: refuse,
    deleteBranch: refuse,
    close: () => Promise.resolve(),
  };
}
