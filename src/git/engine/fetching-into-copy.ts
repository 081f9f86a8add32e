import type { ObjectReader } from "../objects/git-object.ts";
import { readCommit } from "../objects/read-repository.ts";
import type { CopyWork } from "./copy-work.ts";
import type { Damage } from "./fetch-repairing.ts";
import type { NativeCopy } from "./native-copy.ts";
import type { NativeRemote } from "./native-remote.ts";

export interface CopyFetchingOptions {
  readonly copy: NativeCopy;
  readonly remote: NativeRemote;
  /** Those of the copy. */
  readonly objects: ObjectReader;
  readonly work: CopyWork;
  readonly damage: Damage;
}

// After so many failures to fetch what the remote does have, the copy itself is checked.
const suspiciousFailures = 3;

/** How native git fetches the head of a ref, with all it reaches; undefined when the ref does not exist. */
export function fetchingIntoCopy({ copy, remote, objects, work, damage }: CopyFetchingOptions) {
  let failures = 0;
  let hasUnfinished = false;

  /** While something is downloaded, its own pack is not finished either. */
  const removeUnfinished = async (): Promise<void> => {
    if (!hasUnfinished || !work.isAlone()) return;
    await copy.removeUnfinished();
    hasUnfinished = false;
  };

  const download = async (ref: string, id: string, signal: AbortSignal | undefined): Promise<string> => {
    try {
      const localRef = copy.localRefOf(ref);
      await remote.fetch({ ref, localRef, gitDir: copy.gitDir, ...(signal ? { signal } : {}) });
      failures = 0;
    } catch (error) {
      hasUnfinished = true;
      failures += 1;
      if (failures % suspiciousFailures === 0 && !(await copy.isWhole())) damage.isFound = true;
      throw error;
    }
    // The branch may have moved on between the two reads.
    const head = (await copy.readHead(ref)) ?? id;
    await readCommit(objects, head);
    return head;
  };

  /** Where the branch is, and the download of what is not here yet, which has begun. */
  const lookAt = async (
    ref: string,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly head: string | undefined; readonly downloaded?: Promise<string> }> => {
    if (damage.isFound) {
      await work.whenAlone();
      await copy.empty();
    }
    damage.isFound = false;
    const { id, format } = await remote.readRef(ref, signal);
    if (copy.isThere() && copy.objects.format !== format) await work.whenAlone();
    await copy.prepare(format);
    if (id === undefined) await copy.writeHead(ref, undefined);
    if (id === undefined || id === (await copy.readHead(ref))) return { head: id };
    return { head: id, downloaded: work.beside(() => download(ref, id, signal)) };
  };

  return async (ref: string, signal?: AbortSignal): Promise<string | undefined> => {
    const { head, downloaded } = await work.run(() => lookAt(ref, signal));
    if (downloaded === undefined) return head;
    try {
      return await downloaded;
    } finally {
      await work.run(removeUnfinished);
    }
  };
}
