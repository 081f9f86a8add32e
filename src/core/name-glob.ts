/** True when `pattern` has a wildcard: `*` (any text) or `?` (one character). */
export function isGlob(pattern: string): boolean {
  return /[*?]/u.test(pattern);
}

/**
 * True when `name` matches `pattern` as a whole: `*` matches any text, also none, `?` one character, any other
 * character itself. Time is bounded by the product of both lengths: patterns come from files and are not trusted.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  let patternAt = 0;
  let nameAt = 0;
  let starAt = -1;
  let resumeAt = 0;
  while (nameAt < name.length) {
    if (pattern[patternAt] === "*") {
      starAt = patternAt++;
      resumeAt = nameAt;
    } else if (patternAt < pattern.length && (pattern[patternAt] === "?" || pattern[patternAt] === name[nameAt])) {
      patternAt++;
      nameAt++;
    } else if (starAt >= 0) {
      // Only the last star needs to give more: an earlier one can gain nothing by it.
      patternAt = starAt + 1;
      nameAt = ++resumeAt;
    } else {
      return false;
    }
  }
  while (pattern[patternAt] === "*") patternAt++;
  return patternAt === pattern.length;
}
