import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../core/errors.ts";
import { listLocalBranches } from "./local-refs.ts";
import { locateRepository } from "./local-repository.ts";
import { parseRemoteUrl } from "./remote-url.ts";
import { listFolders, watchFolders } from "./watch-folders.ts";

/** Told which branches are elsewhere now, made or gone; with none when all have to be looked at. */
export type OnBranchChange = (branches: readonly string[]) => void;

export interface WatchOptions {
  /** Told of what the watch itself meets, such as too few file watches on this machine; looking by time still helps. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Calls `onChange` soon after a branch of a local repository moved, whoever moved it, and once when watching has begun
 * (what happened before is not known). Files of a work tree never matter. Resolves when watching has begun; it ends with
 * `signal`. A burst of changes may be one call, but after the last change there is always one.
 * @throws E_GIT_REMOTE when there is no repository at `path`
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

  let known: ReadonlyMap<string, string> | undefined;
  let isScanning = false;
  let isDirty = false;
  const scan = async (): Promise<void> => {
    isDirty = true;
    if (isScanning) return;
    isScanning = true;
    try {
      while (isDirty && !signal.aborted) {
        isDirty = false;
        // A folder that is new may have others in it, made before it was watched.
        if (await folders.follow(await foldersOf(commonDir))) {
          isDirty = true;
          continue;
        }
        const now = await readBranches(commonDir);
        const changed = known === undefined ? [] : differences(known, now);
        const isNews = known === undefined || changed.length > 0;
        known = now;
        if (isNews && !signal.aborted) onChange(changed);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (known === undefined) throw error;
      onError(error);
      // Whoever looks will meet the same error, and say so where it belongs.
      onChange([]);
    } finally {
      isScanning = false;
    }
    if (isDirty && !signal.aborted) await scan();
  };
  const folders = watchFolders({
    onEvent: () => void scan().catch(onError),
    onError: (error) => {
      onError(error);
      void scan().catch(onError);
    },
  });
  signal.addEventListener("abort", () => void folders.close(), { once: true });
  try {
    await scan();
  } catch (error) {
    await folders.close();
    throw error;
  }
  // It may have ended while a watch began.
  if (signal.aborted) await folders.close();
}

/** The repository's folder for HEAD and packed-refs, and the folders of branches. */
async function foldersOf(commonDir: string): Promise<string[]> {
  return [commonDir, join(commonDir, "refs"), ...(await listFolders(join(commonDir, "refs", "heads")))];
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
