/** More keys are not remembered: then the next reports are made once more. */
const mostKeys = 1000;

/** What a forge was told last, by key: the same is not told again. */
export class ToldOnce {
  readonly #told = new Map<string, string>();

  /** Runs `tell` unless it was the last for this key that succeeded with the same text. */
  async once(key: string, text: string, tell: () => Promise<unknown>): Promise<void> {
    if (this.#told.get(key) === text) return;
    // A call whose answer is lost may have taken effect: until one is answered, nothing is known.
    this.#told.delete(key);
    await tell();
    if (this.#told.size >= mostKeys) this.#told.clear();
    this.#told.set(key, text);
  }
}
