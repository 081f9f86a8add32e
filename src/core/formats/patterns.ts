import { RE2JS } from "re2js";
import { foldedRanges, programSizeOf } from "../pattern-cost.ts";

/** Compiled patterns of schemas; they come from clients, so no more than this many are kept. */
const maximumPatterns = 1000;
/** A pattern beyond these takes longer to compile than a request may; real ones are shorter. */
const maximumLength = 20_000;
const maximumFoldedRanges = 16;
const maximumProgramSize = 100_000;
const compiled = new Map<string, RE2JS | undefined>();

/** A pattern that matches in time linear in the text, or undefined when it is no RE2 pattern. */
export function compilePattern(pattern: string): RE2JS | undefined {
  if (compiled.has(pattern)) return compiled.get(pattern);
  const program = tryCompile(pattern);
  if (compiled.size >= maximumPatterns) compiled.clear();
  compiled.set(pattern, program);
  return program;
}

/** True when some part of the text matches, as in Go. False also for a pattern that is none. */
export function matchesPattern(pattern: string, text: string): boolean {
  return compilePattern(pattern)?.matcher(text).find() ?? false;
}

/** What keeps a text from being a pattern, as Go reports it; undefined for a pattern. */
export function faultOfPattern(pattern: string): string | undefined {
  try {
    compileBounded(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function tryCompile(pattern: string): RE2JS | undefined {
  try {
    return compileBounded(pattern);
  } catch {
    // The caller reports it, or does not mind.
    return undefined;
  }
}

function compileBounded(pattern: string): RE2JS {
  const isTooLarge =
    pattern.length > maximumLength ||
    foldedRanges(pattern) > maximumFoldedRanges ||
    programSizeOf(pattern) > maximumProgramSize;
  if (isTooLarge) {
    throw new RangeError("error parsing regexp: expression too large");
  }
  return RE2JS.compile(pattern);
}
