import { blobIdOf } from "../core/blob-id.ts";
import { isAppError } from "../core/errors.ts";
import { memoizeWeak } from "../core/memoize-weak.ts";
import type { GitEngine, TreeFile } from "../git/git.ts";
import { toFile, toYamlFile } from "../planning/render-status.ts";
import type { StatusFile } from "../planning/render-status.ts";
import type { StatusFiles } from "../planning/status-files.ts";
import { checksumsPath, signaturePath } from "../planning/status-signature.ts";
import type { SealedCommit } from "../planning/status-signature.ts";
import type { StatusSignature } from "../model/generated/status-signature.ts";
import type { StatusOwner } from "./refuse-other-hub.ts";
import { refuseOtherHub } from "./refuse-other-hub.ts";

/** Identity of the daemon's own commits. */
export const statusAuthor = { name: "Rollcall", email: "rollcall@rollcall.dev" } as const;
const pushTries = 8;

export interface WriteBackRequest {
  readonly branch: string;
  /** A branch that another hub wrote is left to it. */
  readonly owner: StatusOwner;
  /** Every file of the branch as it should be, but checksums and signature. */
  readonly files: StatusFiles;
  /** The hub's signature over a commit of them. Must be deterministic: a commit whose signature is another is made again. */
  readonly sign: (commit: Pick<SealedCommit, "parent" | "checksums">) => StatusSignature;
  /** The newest source commit that is worked into the files; it becomes the trailer. */
  readonly sourceCommit: string | undefined;
  /** First line without the `[skip ci]`. */
  readonly subject: string;
  readonly committedAtMs: number;
  readonly signal: AbortSignal;
}

/** What stands on the branch: its head, that commit's one parent, and the ids of its files. */
interface Standing {
  readonly branch: string;
  readonly head: string | undefined;
  /** `merge` for a commit of several, which is never ours. */
  readonly parent: string | undefined;
  readonly blobIds: Map<string, string>;
  /** Files that stand there as they were when they settled; undefined when all are to be compared. */
  readonly files: StatusFiles | undefined;
}

/** Where the status is written when a Repository does not say. */
export const defaultStatusBranch = "rollcall/status";

/**
 * Keeps the status branch. It never forces: a lost race is fetched, compared and pushed again. Files of the branch that are
 * not ours by path are removed: the branch holds nothing else.
 */
export class StatusBranch {
  readonly #git: GitEngine;
  #standing: Standing | undefined;

  constructor(git: GitEngine) {
    this.#git = git;
  }

  /**
   * Writes the files as one commit when any differs. Returns the branch's head.
   * @throws E_GIT_PUSH_DENIED, E_GIT_AUTH, E_GIT_REMOTE; E_GIT_PUSH_RACE after eight lost races;
   *   E_OWNED_ELSEWHERE for a branch of another hub
   */
  async write(request: WriteBackRequest): Promise<string | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#writeOnce(request);
      } catch (error) {
        this.#standing = undefined;
        if (!isAppError(error, "E_GIT_PUSH_RACE") || attempt === pushTries) throw error;
      }
    }
  }

  async #writeOnce(request: WriteBackRequest): Promise<string | undefined> {
    const isKnown = this.#standing?.branch === request.branch;
    const standing = (this.#standing = isKnown && this.#standing ? this.#standing : await this.#load(request));
    const { files } = request;
    const checksums = toFile(files.checksums());
    const sealed = (parent: string | undefined): StatusFile =>
      toYamlFile(request.sign({ parent, checksums: checksums.content }));
    const isKept = standing.files === files;
    const changes = new Map<string, StatusFile | undefined>();
    for (const path of isKept ? files.changed() : [...files.paths(), ...standing.blobIds.keys()]) {
      const file = files.get(path);
      if (isListed(path) && isAnother(standing, path, file)) changes.set(path, file);
    }
    if (isAnother(standing, checksumsPath, checksums)) changes.set(checksumsPath, checksums);
    const isWritten = changes.size === 0 && !isAnother(standing, signaturePath, sealed(standing.parent));
    if (isWritten) return this.#keep({ ...standing, files });
    changes.set(signaturePath, sealed(standing.head));
    const trailer = request.sourceCommit === undefined ? "" : `\n\nRollcall-Source-Commit: ${request.sourceCommit}`;
    const head = await this.#git.commitAndPush({
      branch: request.branch,
      parent: standing.head,
      changes: new Map([...changes].map(([path, file]) => [path, file?.content ?? null])),
      message: `${request.subject} [skip ci]${trailer}\n`,
      author: statusAuthor,
      committedAtMs: request.committedAtMs,
      signal: request.signal,
    });
    const { blobIds } = standing;
    for (const [path, file] of changes) {
      if (file === undefined) blobIds.delete(path);
      else blobIds.set(path, blobIdOfFile(file, head.length));
    }
    return this.#keep({ branch: request.branch, head, parent: standing.head, blobIds, files });
  }

  /** The files stand on the branch: next time, only what changes from now on is compared. Returns the head. */
  #keep(standing: Standing): string | undefined {
    standing.files?.settle();
    this.#standing = standing;
    return standing.head;
  }

  /** Names the files that are there; the signature alone is read. */
  async #load({ branch, owner, signal }: WriteBackRequest): Promise<Standing> {
    const head = await this.#git.fetchHead(branch, signal);
    if (head === undefined) return { branch, head, parent: undefined, blobIds: new Map(), files: undefined };
    const { parents, committedAtMs } = await this.#git.readCommit(head);
    const there = await this.#git.listFiles(head);
    await refuseOtherHub(this.#git, { branch, head, committedAtMs, files: there }, owner);
    // What is no file is replaced by one.
    const blobIds = new Map(there.map(({ path, blobId, mode }) => [path, isFile(mode) ? blobId : ""]));
    return { branch, head, parent: parents.length > 1 ? "merge" : parents[0], blobIds, files: undefined };
  }
}

function isFile(mode: TreeFile["mode"]): boolean {
  return mode === "file" || mode === "executable";
}

/** Whether the branch has another content at the path. */
function isAnother({ head, blobIds }: Standing, path: string, file: StatusFile | undefined): boolean {
  if (head === undefined || file === undefined) return blobIds.has(path) !== (file !== undefined);
  return blobIds.get(path) !== blobIdOfFile(file, head.length);
}

/** Each file is hashed once: some list the whole fleet. */
const blobIdOfFile = memoizeWeak(({ content }: StatusFile, idLength: number): string =>
  blobIdOf(content, "0".repeat(idLength)),
);

/** Whether the checksums name the path. */
function isListed(path: string): boolean {
  return path !== checksumsPath && path !== signaturePath;
}
