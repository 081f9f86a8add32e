import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { watch } from "chokidar";
import type { FSWatcher } from "chokidar";
import { fileErrorCode } from "./durable-files.ts";

/** Watches for each folder by itself: what appears in it, goes or changes, but not below. */
export interface FolderWatches {
  /**
   * Makes these the folders that are watched. Resolves when each of them is: what happens in them from then on is told.
   * True when one of them was not watched before.
   */
  follow(folders: readonly string[]): Promise<boolean>;
  close(): Promise<void>;
}

export interface FolderListeners {
  /** Something happened in a folder. */
  readonly onEvent: () => void;
  readonly onError: (error: unknown) => void;
}

interface Watched {
  /** Tells the folder from another one that was made later under the same name. */
  readonly identity: string;
  readonly watcher: FSWatcher;
  /** Whoever waits for it to begin need not any more. */
  readonly giveUp: () => void;
}

/**
 * chokidar reads a new folder first and watches it after that, so that it misses what is made there in between; with a
 * watcher for each folder it says when each one has begun.
 */
export function watchFolders({ onEvent, onError }: FolderListeners): FolderWatches {
  const watched = new Map<string, Watched>();

  const begin = async (folder: string, identity: string): Promise<void> => {
    const watcher = watch(folder, {
      ignored: (candidate) => candidate !== folder,
      depth: 0,
      ignoreInitial: true,
      persistent: false,
      atomic: false,
    });
    watcher.on("raw", onEvent);
    watcher.on("error", onError);
    await new Promise<void>((resolve) => {
      watched.set(folder, { identity, watcher, giveUp: resolve });
      watcher.once("ready", resolve);
    });
  };

  const end = async (folder: string): Promise<void> => {
    const { watcher, giveUp } = watched.get(folder) ?? {};
    watched.delete(folder);
    giveUp?.();
    await watcher?.close();
  };

  return {
    follow: async (folders) => {
      const identities = new Map<string, string>();
      for (const folder of folders) {
        const identity = await identityOf(folder);
        if (identity !== undefined) identities.set(folder, identity);
      }
      for (const [folder, { identity }] of watched) if (identities.get(folder) !== identity) await end(folder);
      const added = [...identities].filter(([folder]) => !watched.has(folder));
      await Promise.all(added.map(([folder, identity]) => begin(folder, identity)));
      return added.length > 0;
    },
    close: async () => {
      await Promise.all([...watched.keys()].map(end));
    },
  };
}

/** The folder and all folders below it; none when it is not there. */
export async function listFolders(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const below = entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
    return [folder, ...below];
  } catch (error) {
    // They come and go with their branches.
    if (["ENOENT", "ENOTDIR"].includes(fileErrorCode(error) ?? "")) return [];
    throw error;
  }
}

async function identityOf(folder: string): Promise<string | undefined> {
  try {
    const { ino, birthtimeMs } = await stat(folder);
    return `${ino} ${birthtimeMs}`;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(fileErrorCode(error) ?? "")) return undefined;
    throw error;
  }
}
