const mostRounds = 4;

/**
 * How many times as much the larger input costs as the smaller one: the least of up to four rounds, each of which measures both anew.
 * What is out of proportion is so in each round; what slows a machine down for a moment is not. A round below `enough` is the last one.
 * `firstLarge`: what the larger input cost, where it has been measured already.
 */
export function leastGrowth(
  costs: { readonly large: () => number; readonly small: () => number },
  enough: number,
  firstLarge = costs.large(),
): number {
  let least = firstLarge / costs.small();
  for (let round = 1; round < mostRounds && least >= enough; round += 1)
    least = Math.min(least, costs.large() / costs.small());
  return least;
}
