import { RE2JS } from "re2js";
import { BoundedCache } from "../bounded-cache.ts";
import { foldedRanges, programSizeOf } from "../pattern-cost.ts";

/** A pattern beyond these takes longer to compile than a request may; real ones are shorter. */
const maximumLength = 20_000;
const maximumFoldedRanges = 16;
const maximumProgramSize = 30_000;
/** Of all patterns of one definition or policy together. An instruction takes a microsecond to five of them, and 340 bytes. */
const mostInstructions = 100_000;
const tooLarge = "error parsing regexp: expression too large";
/** What a pattern takes that has no instructions, and a class such as `\pL` beyond its own. */
const leastInstructions = 200;
const classInstructions = 20;

interface Compiled {
  readonly program: RE2JS | undefined;
  /** Why there is no program, as Go reports it. */
  readonly fault: string | undefined;
  readonly instructions: number;
}

/** Compiled patterns; they come from clients, so no more of them are kept than what two definitions may have. */
const compiled = new BoundedCache<string, Compiled>({
  limit: 2 * mostInstructions,
  weightOf: ({ instructions }) => leastInstructions + instructions,
});

/** A pattern that matches in time linear in the text, or undefined when it is no RE2 pattern. */
export function compilePattern(pattern: string): RE2JS | undefined {
  return compiledOf(pattern).program;
}

/** What the patterns of one definition or policy may take to compile. A class for what is left. */
export class PatternBudget {
  private left = mostInstructions;
  private readonly taken = new Set<string>();

  /** False for a pattern that is too much beside those of before. Each counts once. */
  takes(pattern: string): boolean {
    if (this.taken.has(pattern)) return true;
    this.taken.add(pattern);
    this.left -= programSizeOf(pattern) + classInstructions * (pattern.match(/\\p/giu)?.length ?? 0);
    return this.left >= 0;
  }

  /** What keeps a text from being a pattern here, as Go reports it. */
  faultOf(pattern: string): string | undefined {
    return this.takes(pattern) ? faultOfPattern(pattern) : tooLarge;
  }
}

/** True when some part of the text matches, as in Go. False also for a pattern that is none. */
export function matchesPattern(pattern: string, text: string): boolean {
  return compilePattern(pattern)?.matcher(text).find() ?? false;
}

/** What keeps a text from being a pattern, as Go reports it; undefined for a pattern. */
export function faultOfPattern(pattern: string): string | undefined {
  return compiledOf(pattern).fault;
}

function compiledOf(pattern: string): Compiled {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = compile(pattern);
  compiled.set(pattern, made);
  return made;
}

function compile(pattern: string): Compiled {
  try {
    return { program: compileBounded(pattern), fault: undefined, instructions: programSizeOf(pattern) };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { program: undefined, fault, instructions: pattern.length };
  }
}

function compileBounded(pattern: string): RE2JS {
  const isTooLarge =
    pattern.length > maximumLength ||
    foldedRanges(pattern) > maximumFoldedRanges ||
    programSizeOf(pattern) > maximumProgramSize;
  if (isTooLarge) {
    throw new RangeError(tooLarge);
  }
  return RE2JS.compile(pattern);
}
