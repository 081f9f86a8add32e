import { appendAll } from "./append-all.ts";
import { Chunks } from "./chunks.ts";

/** Lines of a block; the bytes of the others are not made again when one of them changes. */
const mostLines = 128;

interface Block {
  /** In order; the line of each has the same index. */
  readonly keys: string[];
  readonly lines: string[];
  /** All lines; undefined when one has changed since. */
  bytes: Buffer | undefined;
}

/** Lines of text in the order of their keys. A change costs what one block of them does, not what all do. */
export class SortedLines {
  readonly #compare: (a: string, b: string) => number;
  readonly #blocks: Block[] = [];

  constructor(compare: (a: string, b: string) => number) {
    this.#compare = compare;
  }

  /** Sets the line of a key, with its line break; undefined removes it. */
  set(key: string, line: string | undefined): void {
    const at = Math.max(0, this.#countUpTo(this.#blocks.length, key, (index) => this.#blocks[index]?.keys[0]) - 1);
    const block = this.#blocks[at];
    if (block === undefined) {
      if (line !== undefined) this.#blocks.push({ keys: [key], lines: [line], bytes: undefined });
      return;
    }
    const { keys, lines } = block;
    const after = this.#countUpTo(keys.length, key, (index) => keys[index]);
    const isThere = keys[after - 1] === key;
    if (line === undefined && !isThere) return;
    block.bytes = undefined;
    if (line === undefined) {
      keys.splice(after - 1, 1);
      lines.splice(after - 1, 1);
      if (keys.length === 0) this.#blocks.splice(at, 1);
    } else if (isThere) {
      lines[after - 1] = line;
    } else {
      keys.splice(after, 0, key);
      lines.splice(after, 0, line);
      if (keys.length > mostLines) this.#split(at, block);
    }
  }

  /** All lines, as UTF-8: the parts that have not changed are those of the call before. */
  bytes(): Chunks {
    const parts: Buffer[] = [];
    for (const block of this.#blocks) parts.push((block.bytes ??= Buffer.from(block.lines.join(""))));
    return new Chunks(parts);
  }

  /** At most `count` lines. */
  firstLines(count: number): string[] {
    const found: string[] = [];
    for (const { lines } of this.#blocks) {
      if (found.length >= count) break;
      appendAll(found, lines.slice(0, count - found.length));
    }
    return found;
  }

  #split(at: number, { keys, lines }: Block): void {
    const half = keys.length >> 1;
    this.#blocks.splice(at + 1, 0, { keys: keys.splice(half), lines: lines.splice(half), bytes: undefined });
  }

  /** How many of `count` sorted keys do not come after `key`. */
  #countUpTo(count: number, key: string, keyAt: (index: number) => string | undefined): number {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(keyAt(middle) ?? "", key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
