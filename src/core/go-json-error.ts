/** Levels of nested objects and arrays that are read; a deeper value is refused. Real ones are flatter. */
export const deepestJsonLevel = 1000;

/**
 * Why a text is no JSON, in the wording of Go's decoder, which clients and users know. The text is known to be
 * malformed or too deep. Source: Go, package encoding/json, scanner.
 */
export function describeJsonError(text: string): string {
  return new JsonErrorScan(text).run();
}

const atEnd = "unexpected end of JSON input";

class JsonErrorScan {
  private readonly text: string;
  private position = 0;
  private level = 0;
  private problem: string | undefined;

  constructor(text: string) {
    // At the end Go tries one space more, which not every state takes.
    this.text = `${text} `;
  }

  run(): string {
    this.value();
    this.skipSpace();
    if (this.problem === undefined && this.position < this.text.length) this.fail("after top-level value");
    return this.problem ?? atEnd;
  }

  private value(): void {
    this.skipSpace();
    const character = this.peek();
    if (character === "{") this.nested(() => this.object());
    else if (character === "[") this.nested(() => this.array());
    else if (character === '"') this.string();
    else if (character === "-" || this.isDigit()) this.number();
    else if (character === "t") this.literal("true");
    else if (character === "f") this.literal("false");
    else if (character === "n") this.literal("null");
    else this.fail("looking for beginning of value");
  }

  private nested(read: () => void): void {
    this.level += 1;
    if (this.level > deepestJsonLevel) this.fail("exceeded max depth");
    else read();
    this.level -= 1;
  }

  private object(): void {
    this.position += 1;
    this.skipSpace();
    if (this.peek() === "}") {
      this.position += 1;
      return;
    }
    while (this.problem === undefined) {
      this.skipSpace();
      if (this.peek() !== '"') return this.fail("looking for beginning of object key string");
      this.string();
      this.skipSpace();
      if (this.problem !== undefined || !this.take(":", "after object key")) return;
      this.value();
      this.skipSpace();
      if (this.problem !== undefined) return;
      if (this.peek() === "}") {
        this.position += 1;
        return;
      }
      if (!this.take(",", "after object key:value pair")) return;
    }
  }

  private array(): void {
    this.position += 1;
    this.skipSpace();
    if (this.peek() === "]") {
      this.position += 1;
      return;
    }
    while (this.problem === undefined) {
      this.value();
      this.skipSpace();
      if (this.problem !== undefined) return;
      if (this.peek() === "]") {
        this.position += 1;
        return;
      }
      if (!this.take(",", "after array element")) return;
    }
  }

  private string(): void {
    this.position += 1;
    for (;;) {
      const character = this.peek();
      if (character === "") return this.fail("");
      if (character < " ") return this.fail("in string literal");
      this.position += 1;
      if (character === '"') return;
      if (character !== "\\") continue;
      const escaped = this.peek();
      if (escaped === "u") {
        this.position += 1;
        for (let digit = 0; digit < 4; digit += 1, this.position += 1) {
          if (!/^[\da-f]$/iu.test(this.peek())) return this.fail("in \\u hexadecimal character escape");
        }
      } else if (escaped !== "" && '"\\/bfnrt'.includes(escaped)) this.position += 1;
      else return this.fail("in string escape code");
    }
  }

  private number(): void {
    if (this.peek() === "-") this.position += 1;
    if (!this.isDigit()) return this.fail("in numeric literal");
    if (this.peek() === "0") this.position += 1;
    else this.digits();
    if (this.peek() === ".") {
      this.position += 1;
      if (!this.isDigit()) return this.fail("after decimal point in numeric literal");
      this.digits();
    }
    if (this.peek() !== "e" && this.peek() !== "E") return;
    this.position += 1;
    if (this.peek() === "-" || this.peek() === "+") this.position += 1;
    if (!this.isDigit()) return this.fail("in exponent of numeric literal");
    this.digits();
  }

  private isDigit(): boolean {
    const character = this.peek();
    return character >= "0" && character <= "9";
  }

  private digits(): void {
    while (this.isDigit()) this.position += 1;
  }

  private literal(word: string): void {
    for (const expected of word) {
      if (this.peek() !== expected) return this.fail(`in literal ${word} (expecting '${expected}')`);
      this.position += 1;
    }
  }

  private take(expected: string, context: string): boolean {
    if (this.peek() === expected) {
      this.position += 1;
      return true;
    }
    this.fail(context);
    return false;
  }

  private fail(context: string): void {
    if (this.problem !== undefined) return;
    const code = this.text.codePointAt(this.position);
    this.problem =
      code === undefined ? atEnd : `invalid character ${quoteCharacter(String.fromCodePoint(code))} ${context}`;
  }

  private peek(): string {
    return this.text[this.position] ?? "";
  }

  private skipSpace(): void {
    for (;;) {
      const character = this.peek();
      if (character === "" || !" \t\r\n".includes(character)) return;
      this.position += 1;
    }
  }
}

/** Go names the first byte, as if it were a character of its own. */
function quoteCharacter(character: string): string {
  if (character === "'") return String.raw`'\''`;
  const [byte = 0] = Buffer.from(character, "utf8");
  const short = shortEscapes[byte];
  if (short !== undefined) return `'${short}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, "0")}'`;
  return `'${String.fromCodePoint(byte)}'`;
}

const shortEscapes: Readonly<Record<number, string>> = {
  7: String.raw`\a`,
  8: String.raw`\b`,
  9: String.raw`\t`,
  10: String.raw`\n`,
  11: String.raw`\v`,
  12: String.raw`\f`,
  13: String.raw`\r`,
  92: "\\\\",
};
