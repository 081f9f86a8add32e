import { sha256Hex } from "../core/digest.ts";
import { isAppError } from "../core/errors.ts";
import type { GitEngine } from "../git/git.ts";
import type { StatusFile } from "../planning/render-status.ts";

/** Identity of the daemon's own commits. */
export const statusAuthor = { name: "Rollcall", email: "rollcall@rollcall.dev" } as const;
const pushTries = 8;

export interface WriteBackRequest {
  readonly branch: string;
  /** Every file of the branch as it should be. */
  readonly files: ReadonlyMap<string, StatusFile>;
  /** The newest source commit that is worked into the files; it becomes the trailer. */
  readonly sourceCommit: string | undefined;
  /** First line without the `[skip ci]`. */
  readonly subject: string;
  readonly committedAtMs: number;
  readonly signal: AbortSignal;
}

/**
 * Keeps the status branch. It never forces: a lost race is fetched, compared and pushed again. Files of the branch that are
 * not ours by path are removed: the branch holds nothing else.
 */
export class StatusBranch {
  readonly #git: GitEngine;
  #head: string | undefined;
  #digests: Map<string, string> | undefined;

  constructor(git: GitEngine) {
    this.#git = git;
  }

  /**
   * Writes the files as one commit when any differs. Returns the branch's head.
   * @throws E_GIT_PUSH_DENIED, E_GIT_AUTH, E_GIT_REMOTE; E_GIT_PUSH_RACE after eight lost races
   */
  async write(request: WriteBackRequest): Promise<string | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#writeOnce(request);
      } catch (error) {
        this.#digests = undefined;
        if (!isAppError(error, "E_GIT_PUSH_RACE") || attempt === pushTries) throw error;
      }
    }
  }

  async #writeOnce(request: WriteBackRequest): Promise<string | undefined> {
    const digests = this.#digests ?? (await this.#load(request.branch, request.signal));
    const changes = new Map<string, string | null>();
    const next = new Map<string, string>();
    for (const [path, { content, digest }] of request.files) {
      next.set(path, digest);
      if (digests.get(path) !== digest) changes.set(path, content);
    }
    for (const path of digests.keys()) if (!next.has(path)) changes.set(path, null);
    if (changes.size === 0) {
      this.#digests = digests;
      return this.#head;
    }
    const trailer = request.sourceCommit === undefined ? "" : `\n\nRollcall-Source-Commit: ${request.sourceCommit}`;
    this.#head = await this.#git.commitAndPush({
      branch: request.branch,
      parent: this.#head,
      changes,
      message: `${request.subject} [skip ci]${trailer}\n`,
      author: statusAuthor,
      committedAtMs: request.committedAtMs,
      signal: request.signal,
    });
    this.#digests = next;
    return this.#head;
  }

  async #load(branch: string, signal: AbortSignal): Promise<Map<string, string>> {
    this.#head = await this.#git.fetchHead(branch, signal);
    const digests = new Map<string, string>();
    if (this.#head === undefined) return digests;
    for (const { path, blobId } of await this.#git.listFiles(this.#head)) {
      digests.set(path, sha256Hex(await this.#git.readBlob(blobId)));
    }
    return digests;
  }
}
