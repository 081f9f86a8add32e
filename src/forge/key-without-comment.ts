/** Type and key of a line of a `.pub` file. Forges keep the comment behind them, leave it out or write their own. */
export function keyWithoutComment(line: string): string {
  return line.trim().split(/\s+/u).slice(0, 2).join(" ");
}
