import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { watch } from "chokidar";
import type { FSWatcher } from "chokidar";
import { AppError } from "../../core/errors.ts";
import { startTimer } from "../../core/timer.ts";
import { listLocalBranches } from "./local-refs.ts";
import { locateRepository } from "./local-repository.ts";
import { parseRemoteUrl } from "../wire/remote-url.ts";

/** Called with the branches that were moved, made or deleted; with none when all have to be read. */
export type OnBranchChange = (branches: readonly string[]) => void;

/** By then chokidar watches a folder that it has just met. */
const settleMs = 300;

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
  const watcher = watch(commonDir, {
    ignored: (candidate, stats) => !isFolderOfRefs(relative(commonDir, candidate)) || stats?.isFile() === true,
    ignoreInitial: true,
    persistent: false,
    atomic: false,
  });
  signal.addEventListener("abort", () => void watcher.close(), { once: true });
  const ready = whenReady(watcher, signal);

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
        const now = await readBranches(commonDir);
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
  let stopSettling: (() => void) | undefined;
  const onEvent = (): void => {
    void scan();
    // A new folder is watched a moment after it was seen: what was put into it between the two made no event.
    stopSettling?.();
    if (!signal.aborted) stopSettling = startTimer(settleMs, () => void scan());
  };
  signal.addEventListener("abort", () => stopSettling?.(), { once: true });
  // `all` drops what follows within 50 ms of an event on the same path; `raw` is every single one.
  watcher.on("raw", onEvent);
  watcher.on("all", onEvent);
  watcher.on("error", (error) => {
    onError(error);
    onEvent();
  });
  await ready;
  known = await readBranches(commonDir);
  hasBegun = true;
  if (!signal.aborted) onChange([]);
  if (isDirty) await scan();
}

/** The repository's folder for HEAD and packed-refs, and the folders of branches. */
function isFolderOfRefs(name: string): boolean {
  const path = name.replaceAll("\\", "/");
  return path === "" || path === "refs" || path === "refs/heads" || path.startsWith("refs/heads/");
}

async function whenReady(watcher: FSWatcher, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    watcher.once("ready", () => resolve());
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Every branch and where it is, and under an empty name which of them is HEAD. */
async function readBranches(commonDir: string): Promise<ReadonlyMap<string, string>> {
  const branches = await listLocalBranches(commonDir);
  const head = await readFile(join(commonDir, "HEAD"), "utf8");
  return new Map([...branches].map(([ref, id]): [string, string] => [ref.slice("refs/heads/".length), id])).set(
    "",
    head,
  );
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).map((name) => name || "HEAD");
}
