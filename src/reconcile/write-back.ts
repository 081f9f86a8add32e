import { blobIdOf, blobIdOfBytes } from "../core/blob-id.ts";
import { AppError, isAppError } from "../core/errors.ts";
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
import { continuesTrailer, statusAuthor } from "./status-branches.ts";
import type { HistoryReading, HistoryRequest, Squash } from "./status-history.ts";
import { StatusHistory } from "./status-history.ts";

const pushTries = 8;

export interface WriteBackRequest {
  readonly branch: string;
  /** A branch that another hub wrote is left to it. */
  readonly owner: StatusOwner;
  /** Every file of the branch as it should be, but checksums and signature. */
  readonly files: StatusFiles;
  /** The hub's signature over a commit of them. Must be deterministic: a commit whose signature is another is made again. */
  readonly sign: (commit: Pick<SealedCommit, "parent" | "digest">) => StatusSignature;
  /** The newest source commit that is worked into the files; it becomes the trailer. */
  readonly sourceCommit: string | undefined;
  /** First line without the `[skip ci]`. */
  readonly subject: string;
  readonly committedAtMs: number;
  /** The branch begins anew with the commit. Default: it continues. */
  readonly squash?: Squash | undefined;
  readonly signal: AbortSignal;
}

/** What is on the branch: its head, that commit's one parent, and the ids of its files. */
interface Standing {
  readonly branch: string;
  readonly head: string | undefined;
  /** `merge` for a commit of several, which is never ours. */
  readonly parent: string | undefined;
  readonly blobIds: Map<string, string>;
  /** Files that are there as they were when they settled; undefined when all are to be compared. */
  readonly files: StatusFiles | undefined;
}

/**
 * Keeps the status branch. A lost race is fetched, compared and pushed again; nothing is forced but a squash. Files of the
 * branch that are not ours by path are removed: the branch holds nothing else.
 */
export class StatusBranch {
  readonly #git: GitEngine;
  readonly #history: StatusHistory;
  #standing: Standing | undefined;

  constructor(git: GitEngine) {
    this.#git = git;
    this.#history = new StatusHistory(git);
  }

  /** Whether the branch is to begin anew. @throws as a read does */
  async readHistory(request: Omit<HistoryRequest, "head">): Promise<HistoryReading> {
    if (request.days === undefined) return {};
    this.#standing = await this.#open(request);
    return this.#history.evaluate({ ...request, head: this.#standing.head });
  }

  /** The next write reads the branch: a person may have moved or deleted it. */
  forget(): void {
    this.#standing = undefined;
  }

  /** The branch cannot begin anew for this reason; it is not tried for a day. */
  keepHistory(days: number, nowMs: number, reason: string): HistoryReading {
    return this.#history.keep({ days, nowMs }, reason);
  }

  /**
   * Writes the files as one commit when any differs. Returns the branch's head.
   * @throws E_GIT_PUSH_DENIED, E_GIT_AUTH, E_GIT_REMOTE; E_GIT_PUSH_RACE after eight lost races, and after one of a squash;
   *   E_OWNED_ELSEWHERE for a branch of another hub
   */
  async write(request: WriteBackRequest): Promise<string | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#writeOnce(request);
      } catch (error) {
        this.#standing = undefined;
        if (!isAppError(error, "E_GIT_PUSH_RACE") || attempt === pushTries || request.squash) throw error;
      }
    }
  }

  async #writeOnce(request: WriteBackRequest): Promise<string | undefined> {
    const standing = (this.#standing = await this.#open(request));
    const { files, squash } = request;
    const checksums = toFile(files.checksums());
    const sealed = (parent: string | undefined): StatusFile =>
      toYamlFile(request.sign({ parent, digest: checksums.digest }));
    const isKept = standing.files === files;
    const changes = new Map<string, StatusFile | undefined>();
    for (const path of isKept ? files.changed() : [...files.paths(), ...standing.blobIds.keys()]) {
      const file = files.get(path);
      if (isListed(path) && isAnother(standing, path, file)) changes.set(path, file);
    }
    if (isAnother(standing, checksumsPath, checksums)) changes.set(checksumsPath, checksums);
    const isWritten = changes.size === 0 && !squash && !isAnother(standing, signaturePath, sealed(standing.parent));
    if (isWritten) return this.#keep({ ...standing, files });
    const parent = squash ? undefined : standing.head;
    changes.set(signaturePath, sealed(parent));
    if (squash) await this.#keepPast(squash, standing, request);
    const head = await this.#git.commitAndPush({
      branch: request.branch,
      parent: standing.head,
      ...(squash ? { isRoot: true } : {}),
      changes: new Map([...changes].map(([path, file]) => [path, file?.content ?? null])),
      message: messageOf(request),
      author: statusAuthor,
      committedAtMs: request.committedAtMs,
      signal: request.signal,
    });
    const { blobIds } = standing;
    for (const [path, file] of changes) {
      if (file === undefined) blobIds.delete(path);
      else blobIds.set(path, blobIdOfFile(file, head.length));
    }
    this.#history.record({ before: standing.head, head, start: squash?.start });
    return this.#keep({ branch: request.branch, head, parent, blobIds, files });
  }

  /** Brings the branch of the past to where the branch is, before that leaves its history. */
  async #keepPast({ start, head, pastHead }: Squash, standing: Standing, { signal }: WriteBackRequest): Promise<void> {
    if (standing.head !== head) throw new AppError("E_GIT_PUSH_RACE", `squash ${standing.branch}: it was moved`);
    await this.#git.moveBranch({ branch: start.branch, from: pastHead, to: head, signal });
  }

  /** The files are on the branch: next time, only what changes from now on is compared. Returns the head. */
  #keep(standing: Standing): string | undefined {
    standing.files?.settle();
    this.#standing = standing;
    return standing.head;
  }

  /** Names the files that are there; the signature alone is read. */
  async #open({ branch, owner, signal }: Pick<WriteBackRequest, "branch" | "owner" | "signal">): Promise<Standing> {
    if (this.#standing?.branch === branch) return this.#standing;
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

function messageOf({ subject, sourceCommit, squash }: WriteBackRequest): string {
  const trailers = [
    ...(sourceCommit === undefined ? [] : [`Rollcall-Source-Commit: ${sourceCommit}\n`]),
    ...(squash ? [`${continuesTrailer(squash.head)}\n`] : []),
  ];
  return [`${subject} [skip ci]\n`, ...(trailers.length > 0 ? ["\n"] : []), ...trailers].join("");
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
  typeof content === "string"
    ? blobIdOf(content, "0".repeat(idLength))
    : blobIdOfBytes(content, idLength === 64 ? "sha256" : "sha1"),
);

/** Whether the checksums name the path. */
function isListed(path: string): boolean {
  return path !== checksumsPath && path !== signaturePath;
}
