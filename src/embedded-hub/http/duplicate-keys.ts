/** As many as kube-apiserver names. Source: sigs.k8s.io/json, saveStrictError. */
const mostDuplicates = 100;

/**
 * Paths of keys that occur more than once in one object of a JSON text, the first 100, each once, with the position of the
 * second one: `data.a`, `spec.list[0].b`; undefined when objects and arrays are within each other more than
 * `deepestLevel` times. The text is known to be valid JSON. One pass over its characters: every write is checked, so it
 * must cost less than parsing.
 */
export function findDuplicateKeys(text: string, deepestLevel: number): ReadonlyMap<string, number> | undefined {
  return new KeyScan(text, deepestLevel, "second").run();
}

/** Positions of all keys of a JSON text by path; of those that occur more than once the first. */
export function findKeys(text: string, deepestLevel: number): ReadonlyMap<string, number> {
  return new KeyScan(text, deepestLevel, "first").run() ?? new Map();
}

interface Level {
  /** Undefined in arrays. */
  readonly keys: Set<string> | undefined;
  key: string;
  index: number;
}

const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;
const comma = 44;
const colon = 58;

class KeyScan {
  private readonly text: string;
  private readonly deepestLevel: number;
  private readonly levels: Level[] = [];
  private readonly wanted: "first" | "second";
  private readonly found = new Map<string, number>();
  private position = 0;

  constructor(text: string, deepestLevel: number, wanted: "first" | "second") {
    this.wanted = wanted;
    this.text = text;
    this.deepestLevel = deepestLevel;
  }

  run(): ReadonlyMap<string, number> | undefined {
    const { text } = this;
    for (; this.position < text.length; this.position += 1) {
      switch (text.charCodeAt(this.position)) {
        case quote:
          this.takeString();
          break;
        case openBrace:
          if (!this.enter(new Set())) return undefined;
          break;
        case openBracket:
          if (!this.enter(undefined)) return undefined;
          break;
        case closeBrace:
        case closeBracket:
          this.levels.pop();
          break;
        case comma: {
          const level = this.levels.at(-1);
          if (level !== undefined) level.index += 1;
          break;
        }
      }
    }
    return this.found;
  }

  private enter(keys: Set<string> | undefined): boolean {
    this.levels.push({ keys, key: "", index: 0 });
    return this.levels.length <= this.deepestLevel;
  }

  /** Moves to the closing quote; a string before a colon is a key. */
  private takeString(): void {
    const { text } = this;
    const start = this.position;
    let end = start + 1;
    let isEscaped = false;
    for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(end)) {
      if (code === backslash) {
        isEscaped = true;
        end += 1;
      }
      end += 1;
    }
    this.position = end;
    const level = this.levels.at(-1);
    if (level?.keys === undefined || !this.isBeforeColon(end + 1)) return;
    const raw = text.slice(start, end + 1);
    level.key = isEscaped ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    const isAgain = level.keys.has(level.key);
    if (!isAgain) level.keys.add(level.key);
    if (isAgain === (this.wanted === "second")) this.record(start);
  }

  private record(position: number): void {
    if (this.wanted === "second" && this.found.size >= mostDuplicates) return;
    const path = this.path();
    if (!this.found.has(path)) this.found.set(path, position);
  }

  private isBeforeColon(from: number): boolean {
    let position = from;
    while (this.text.charCodeAt(position) <= 32) position += 1;
    return this.text.charCodeAt(position) === colon;
  }

  private path(): string {
    return this.levels.reduce((path, { keys, key, index }) => {
      if (keys === undefined) return `${path}[${index}]`;
      return path === "" ? key : `${path}.${key}`;
    }, "");
  }
}
