import { watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { basename } from "node:path";
import { fileErrorCode } from "./durable-files.ts";

export interface FolderWatchOptions {
  /** Called for each change of an entry of a followed folder, and when one is deleted. */
  readonly onEvent: () => void;
  /** Called once for each folder that cannot be watched, such as when this machine has too few file watches. */
  readonly onError: (error: unknown) => void;
}

/**
 * Watches folders that come and go, each by itself. A folder that is deleted and made again at once is watched again:
 * libraries that compare names miss it.
 */
export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #failed = new Set<string>();
  readonly #options: FolderWatchOptions;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  /** Watches these folders and no others. True when one of them is new: what was in it until now made no event. */
  follow(folders: readonly string[]): boolean {
    const wanted = new Set(folders);
    for (const folder of this.#watchers.keys()) if (!wanted.has(folder)) this.#forget(folder);
    for (const folder of this.#failed) if (!wanted.has(folder)) this.#failed.delete(folder);
    let isNew = false;
    for (const folder of wanted) if (!this.#watchers.has(folder) && this.#begin(folder)) isNew = true;
    return isNew;
  }

  close(): void {
    for (const folder of this.#watchers.keys()) this.#forget(folder);
  }

  #begin(folder: string): boolean {
    try {
      const watcher = watch(folder, { persistent: false });
      watcher.on("change", (type, name) => {
        // So is reported that the folder itself was deleted or moved. An entry with its name does no harm.
        if (type === "rename" && (name === null || name === basename(folder))) this.#forget(folder, watcher);
        this.#options.onEvent();
      });
      watcher.on("error", (error) => {
        this.#forget(folder, watcher);
        // So is it reported on Windows that the folder was deleted.
        if (fileErrorCode(error) !== "EPERM") this.#options.onError(error);
        this.#options.onEvent();
      });
      this.#watchers.set(folder, watcher);
      return true;
    } catch (error) {
      // Its deletion is an event of the folder that it was in.
      if (fileErrorCode(error) === "ENOENT" || this.#failed.has(folder)) return false;
      this.#failed.add(folder);
      this.#options.onError(error);
      return false;
    }
  }

  #forget(folder: string, watcher = this.#watchers.get(folder)): void {
    watcher?.close();
    if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder);
  }
}
