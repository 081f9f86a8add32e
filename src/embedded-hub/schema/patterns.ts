import { RE2JS } from "re2js";

/** Compiled patterns of schemas; they come from clients, so no more than this many are kept. */
const maximumPatterns = 1000;
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

/** What keeps a text from being a pattern, in the words of Go; undefined for a pattern. */
export function faultOfPattern(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function tryCompile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    // The caller reports it, or does not mind.
    return undefined;
  }
}
