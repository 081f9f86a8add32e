import { stripVTControlCharacters } from "node:util";

/**
 * Rows in columns as wide as their widest cell, two spaces apart; colours do not count. `widths`: those of rows that were
 * printed before, which grow.
 */
export function renderTable(rows: readonly (readonly string[])[], widths: number[] = []): string {
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
  const lines = rows.map((row) =>
    row
      .map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - widthOf(cell)))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
