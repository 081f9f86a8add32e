/** The candidate that differs least from `name` (at most a third of its letters, at least one), or undefined. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(name.length / 3));
  const lowerName = name.toLowerCase();
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    // A folder may have a hundred thousand unknown names: most candidates are excluded by their length.
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(lowerName, candidate.toLowerCase(), limit);
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/**
 * Insertions, deletions, replacements and swaps of neighbours (optimal string alignment); anything above `limit` once it is
 * more.
 */
function editDistance(left: string, right: string, limit: number): number {
  const width = right.length + 1;
  let beforePrevious = new Uint16Array(width);
  let previous = new Uint16Array(width).map((_, index) => index);
  let current = new Uint16Array(width);
  for (let row = 1; row <= left.length; row++) {
    current[0] = row;
    let least = row;
    const letter = left.charCodeAt(row - 1);
    for (let column = 1; column < width; column++) {
      const cost = letter === right.charCodeAt(column - 1) ? 0 : 1;
      let distance = (previous[column - 1] ?? 0) + cost;
      distance = Math.min(distance, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const isSwap =
        row > 1 &&
        column > 1 &&
        letter === right.charCodeAt(column - 2) &&
        left.charCodeAt(row - 2) === right.charCodeAt(column - 1);
      if (isSwap) distance = Math.min(distance, (beforePrevious[column - 2] ?? 0) + 1);
      current[column] = distance;
      if (distance < least) least = distance;
    }
    // A swap reaches back two rows, and costs one.
    if (least > limit + 1) return least;
    [beforePrevious, previous, current] = [previous, current, beforePrevious];
  }
  return previous[right.length] ?? 0;
}
