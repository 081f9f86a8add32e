/** An answer as a server gave it. */
export interface KnownAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly chunks: readonly Buffer[];
}

/**
 * Answers of a server whose every client may read everything, by path. An agent asks its cluster the same questions each
 * minute and rarely changes anything there: an answer holds until the next write of the server begins.
 */
export class ReadCache {
  readonly #answers = new Map<string, KnownAnswer>();
  #writes = 0;
  /** Rises with each write that begins and ends: an answer that was begun before is not kept. */
  version = 0;

  get(path: string): KnownAnswer | undefined {
    return this.#answers.get(path);
  }

  /** Keeps an answer that was begun at `version`. */
  put(path: string, answer: KnownAnswer, version: number): void {
    if (this.#writes === 0 && version === this.version) this.#answers.set(path, answer);
  }

  beginWrite(): void {
    this.#writes += 1;
    this.forget();
  }

  endWrite(): void {
    this.#writes -= 1;
    this.forget();
  }

  forget(): void {
    this.version += 1;
    this.#answers.clear();
  }
}
