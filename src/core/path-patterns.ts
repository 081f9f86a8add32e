/** Patterns of a .gitignore file, compiled. */
export interface PathPatterns {
  /**
   * True when the last pattern that fits is not a negated one. A path below a folder that is matched is matched, and
   * no negated pattern brings it back, as git has it.
   */
  matches(path: string): boolean;
  /** The same of a folder. */
  matchesFolder(path: string): boolean;
  /** True where the last pattern that fits this path itself is not a negated one; undefined where none fits. */
  decide(path: string, isFolder: boolean): boolean | undefined;
  /** Comparisons so far, some 10 ns each; to remember a folder counts for 400 of them. */
  readonly steps: number;
}

/** What matching has cost so far. */
interface Meter {
  steps: number;
}

const stepsPerFolder = 400;
/** To part a name into its characters. */
const charactersPerStep = 4;

interface Pattern {
  readonly isNegated: boolean;
  readonly isFolderOnly: boolean;
  readonly fits: (names: readonly string[]) => boolean;
}

/** One part of a pattern between slashes; `**` matches any number of parts of the path. */
type Segment = "**" | ((name: string) => boolean);

/** What one place of a part accepts; `*` accepts any number of characters. */
type Token = "*" | ((character: string) => boolean);

/**
 * Compiles lines of a .gitignore file; `path` is given with forward slashes, relative to the file's folder, without a
 * slash at its end. Patterns come from repositories and are not trusted: matching takes time in proportion to the
 * product of both lengths, never more (libraries that make regular expressions of them can be stopped by one line).
 * Source: git, gitignore(5).
 */
export function compilePathPatterns(lines: readonly string[]): PathPatterns {
  const meter: Meter = { steps: 0 };
  const patterns = lines.flatMap((line) => compileLine(line, meter) ?? []);
  const folders = new Map<string, boolean>();
  const matchesFolder = (folder: string): boolean => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const result = matchesParent(folder, matchesFolder) || evaluate(patterns, folder, true) === true;
    meter.steps += stepsPerFolder;
    folders.set(folder, result);
    return result;
  };
  return {
    matches(path) {
      if (patterns.length === 0) return false;
      return matchesParent(path, matchesFolder) || evaluate(patterns, path, false) === true;
    },
    matchesFolder,
    decide: (path, isFolder) => evaluate(patterns, path, isFolder),
    get steps() {
      return meter.steps;
    },
  };
}

/**
 * Compiles paths that a setting names: patterns as above, and as other projects write them too. `.`, `./` and `/` are the whole
 * tree, and `./clusters` is the folder `clusters` of the root.
 */
export function compilePaths(paths: readonly string[]): PathPatterns {
  return compilePathPatterns(paths.map(fromRoot));
}

function fromRoot(path: string): string {
  const rest = path.replace(/^\.(?=\/|$)/u, "");
  return rest === "" || rest === "/" ? "*" : rest;
}

function matchesParent(path: string, matchesFolder: (folder: string) => boolean): boolean {
  const slash = path.lastIndexOf("/");
  return slash >= 0 && matchesFolder(path.slice(0, slash));
}

function evaluate(patterns: readonly Pattern[], path: string, isFolder: boolean): boolean | undefined {
  const names = path.split("/");
  for (let at = patterns.length - 1; at >= 0; at--) {
    const pattern = patterns[at];
    if (pattern === undefined || (pattern.isFolderOnly && !isFolder)) continue;
    if (pattern.fits(names)) return !pattern.isNegated;
  }
  return undefined;
}

function compileLine(line: string, meter: Meter): Pattern | undefined {
  let text = withoutTrailingSpaces(line.endsWith("\r") ? line.slice(0, -1) : line);
  if (text === "" || text.startsWith("#")) return undefined;
  const isNegated = text.startsWith("!");
  if (isNegated) text = text.slice(1);
  const isFolderOnly = text.endsWith("/");
  if (isFolderOnly) text = text.slice(0, -1);
  const isAnchored = text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  if (text === "") return undefined;
  const segments: Segment[] = isAnchored ? [] : ["**"];
  const parts = text.split("/");
  parts.forEach((part, index) => {
    if (!/^\*{2,}$/u.test(part)) segments.push(compilePart(part, meter));
    else if (index < parts.length - 1 || parts.length === 1) segments.push("**");
    // `folder/**` means everything inside the folder, not the folder itself.
    else segments.push(() => true, "**");
  });
  const [, last] = segments;
  // Without a slash, the name decides; a path may have hundreds of parts, and each folder above it is compared, too.
  const isOfName = !isAnchored && segments.length === 2 && typeof last === "function";
  const fits = isOfName
    ? (names: readonly string[]) => last(names.at(-1) ?? "")
    : (names: readonly string[]) => matchesSegments(segments, names);
  return { isNegated, isFolderOnly, fits };
}

function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end--;
  let backslashes = 0;
  while (backslashes < end && line[end - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1 && end < line.length ? line.slice(0, end + 1) : line.slice(0, end);
}

function compilePart(part: string, meter: Meter): (name: string) => boolean {
  const tokens = /[*?[\\]/u.test(part) ? tokensOf([...part], meter) : [];
  if (tokens === undefined) return () => false;
  return (name) => {
    meter.steps += 1;
    if (tokens.length === 0) return name === part;
    meter.steps += name.length / charactersPerStep;
    return matchesTokens(tokens, [...name], meter);
  };
}

/** Undefined for a part that can fit nothing: an open bracket, a backslash at the end. */
function tokensOf(characters: readonly string[], meter: Meter): Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at];
    if (character === "*") {
      if (tokens.at(-1) !== "*") tokens.push("*");
    } else if (character === "?") {
      tokens.push(() => true);
    } else if (character === "[") {
      const set = characterSet(characters, at + 1, meter);
      if (set === undefined) return undefined;
      tokens.push(set.accepts);
      at = set.end;
    } else {
      const literal = character === "\\" ? characters[++at] : character;
      if (literal === undefined) return undefined;
      tokens.push((other) => other === literal);
    }
  }
  return tokens;
}

/** The set that starts behind its bracket; `end` is the index of its closing bracket. */
function characterSet(
  characters: readonly string[],
  start: number,
  meter: Meter,
): { accepts: Token; end: number } | undefined {
  const isNegated = characters[start] === "!" || characters[start] === "^";
  const first = isNegated ? start + 1 : start;
  const ranges: [string, string][] = [];
  for (let at = first; at < characters.length; at++) {
    if (characters[at] === "]" && at > first) {
      const isInside = (other: string): boolean => {
        meter.steps += ranges.length;
        return ranges.some(([low, high]) => other >= low && other <= high);
      };
      return { accepts: (other) => isInside(other) !== isNegated, end: at };
    }
    if (characters[at] === "\\") at++;
    const low = characters[at];
    if (low === undefined) return undefined;
    if (characters[at + 1] === "-" && characters[at + 2] !== undefined && characters[at + 2] !== "]") {
      at += characters[at + 2] === "\\" ? 3 : 2;
      ranges.push([low, characters[at] ?? low]);
    } else {
      ranges.push([low, low]);
    }
  }
  return undefined;
}

function matchesTokens(tokens: readonly Token[], name: readonly string[], meter: Meter): boolean {
  return matchesSequence(tokens, name, "*", (token, character) => {
    meter.steps += 1;
    return token !== "*" && token(character);
  });
}

function matchesSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  return matchesSequence(segments, names, "**", (segment, name) => segment !== "**" && segment(name));
}

/** Glob matching over any sequence. Only the last wildcard ever needs to take more, so the time is bounded. */
function matchesSequence<P, V>(
  patterns: readonly P[],
  values: readonly V[],
  wildcard: P,
  fits: (pattern: P, value: V) => boolean,
): boolean {
  let patternAt = 0;
  let valueAt = 0;
  let wildcardAt = -1;
  let resumeAt = 0;
  while (valueAt < values.length) {
    const pattern = patterns[patternAt];
    const value = values[valueAt];
    if (patternAt < patterns.length && pattern === wildcard) {
      wildcardAt = patternAt++;
      resumeAt = valueAt;
    } else if (pattern !== undefined && value !== undefined && fits(pattern, value)) {
      patternAt++;
      valueAt++;
    } else if (wildcardAt >= 0) {
      patternAt = wildcardAt + 1;
      valueAt = ++resumeAt;
    } else {
      return false;
    }
  }
  while (patternAt < patterns.length && patterns[patternAt] === wildcard) patternAt++;
  return patternAt === patterns.length;
}
