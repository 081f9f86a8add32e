import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import { listBranchesAndFolders } from "./local-refs.ts";
import { locateRepository } from "./local-repository.ts";
import { FolderWatch } from "./watch-folders.ts";
import { parseRemoteUrl } from "../wire/remote-url.ts";

/** Called with the branches that were moved, made or deleted; with none when all have to be read. */
export type OnBranchChange = (branches: readonly string[]) => void;

export interface WatchOptions {
  /** Called with errors of the watch itself, such as too few file watches on this machine; polling still helps. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Calls `onChange` soon after any process moved a branch of a local repository, and once when watching has begun
 * (what happened before is not known). Files of a work tree never matter. Resolves when watching has begun; it ends with
 * `signal`. A burst of changes may be one call, but after the last change there is always one.
 * @throws E_GIT_FOLDER when there is no repository at `path`
 */
export async function watchLocalRepository(
  path: string,
  onChange: OnBranchChange,
  signal: AbortSignal,
  { onError = () => undefined }: WatchOptions = {},
): Promise<void> {
  const address = parseRemoteUrl(path, { isLocalAllowed: true });
  if (address.kind !== "local") throw new AppError("E_GIT_URL", `watch ${address.url}: it is no folder`);
  const { commonDir } = await locateRepository(address.path);
  signal.throwIfAborted();
  const folders = new FolderWatch({ onEvent: () => void scan(), onError });
  signal.addEventListener("abort", () => folders.close(), { once: true });

  let known: ReadonlyMap<string, string> = new Map();
  let hasBegun = false;
  let isScanning = false;
  let isDirty = false;
  const scan = async (): Promise<void> => {
    isDirty = true;
    if (isScanning || !hasBegun) return;
    isScanning = true;
    try {
      while (isDirty && !signal.aborted) {
        isDirty = false;
        const now = await followBranches(commonDir, folders, signal);
        const changed = differences(known, now);
        known = now;
        if (changed.length > 0 && !signal.aborted) onChange(changed);
      }
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
      // The next read meets the same error and reports it.
      onChange([]);
    } finally {
      isScanning = false;
    }
    if (isDirty && !signal.aborted) await scan();
  };
  try {
    known = await followBranches(commonDir, folders, signal);
  } catch (error) {
    folders.close();
    throw error;
  }
  hasBegun = true;
  if (!signal.aborted) onChange([]);
  if (isDirty) await scan();
}

/**
 * Every branch and where it is, and under an empty name which of them is HEAD. They are read again until each of their
 * folders was watched before: what is changed later makes an event.
 */
async function followBranches(
  commonDir: string,
  watched: FolderWatch,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  for (;;) {
    const { branches, folders } = await listBranchesAndFolders(commonDir);
    // The repository's folder has HEAD and packed-refs.
    const isNew = !signal.aborted && watched.follow([commonDir, join(commonDir, "refs"), ...folders]);
    if (isNew) continue;
    const head = await readFile(join(commonDir, "HEAD"), "utf8");
    const named = [...branches].map(([ref, id]): [string, string] => [ref.slice("refs/heads/".length), id]);
    return new Map(named).set("", head);
  }
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).map((name) => name || "HEAD");
}
