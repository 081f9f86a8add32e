/** Where each cell of the grid is. Cells are numbered through all groups. */
export interface GridLayout {
  /** Pixels of a cell with its gap. */
  readonly cell: number;
  readonly columns: number;
  readonly height: number;
  readonly groups: readonly PlacedGroup[];
}

export interface PlacedGroup {
  /** Pixels from the top to its title. */
  readonly top: number;
  /** Number of its first cell. */
  readonly first: number;
  readonly count: number;
}

export const titlePixels = 26;
const gapPixels = 8;
/** A cell is as large as lets the fleet be seen at once; no smaller than can be pointed at. */
const cellSizes = [30, 24, 18, 14, 11, 9];

/** Lays groups of cells one below the other, in a room of `width` and, if it can be, `height`. */
export function layoutGrid(
  counts: readonly number[],
  { width, height }: { readonly width: number; readonly height: number },
): GridLayout {
  const layouts = cellSizes.map((cell) => layoutCells(counts, { cell, width }));
  return layouts.find((layout) => layout.height <= height) ?? layoutCells(counts, { cell: 9, width });
}

function layoutCells(
  counts: readonly number[],
  { cell, width }: { readonly cell: number; readonly width: number },
): GridLayout {
  const columns = Math.max(1, Math.floor(width / cell));
  const groups: PlacedGroup[] = [];
  let top = 0;
  let first = 0;
  for (const count of counts) {
    groups.push({ top, first, count });
    top += titlePixels + Math.ceil(count / columns) * cell + gapPixels;
    first += count;
  }
  return { cell, columns, height: top, groups };
}

/** The cell at a point; undefined beside the cells. */
export function cellAt(layout: GridLayout, x: number, y: number): number | undefined {
  const { cell, columns, groups } = layout;
  const group = groups.findLast(({ top }) => y >= top + titlePixels);
  const column = Math.floor(x / cell);
  if (!group || column < 0 || column >= columns) return undefined;
  const index = Math.floor((y - group.top - titlePixels) / cell) * columns + column;
  return index < group.count ? group.first + index : undefined;
}

/** The left and upper edge of a cell. */
export function placeOf(layout: GridLayout, index: number): { readonly x: number; readonly y: number } {
  const { cell, columns, groups } = layout;
  const group = groups.findLast(({ first }) => first <= index) ?? { top: 0, first: 0 };
  const inGroup = index - group.first;
  return { x: (inGroup % columns) * cell, y: group.top + titlePixels + Math.floor(inGroup / columns) * cell };
}

/** The cell that a key leads to; undefined for a key that leads nowhere. Up and down keep the column, through groups too. */
export function moveCell(layout: GridLayout, index: number, key: string): number | undefined {
  const last = layout.groups.reduce((sum, { count }) => sum + count, 0) - 1;
  const inside = (wanted: number): number => Math.min(Math.max(wanted, 0), last);
  switch (key) {
    case "ArrowRight":
      return inside(index + 1);
    case "ArrowLeft":
      return inside(index - 1);
    case "Home":
      return 0;
    case "End":
      return last;
    case "ArrowDown":
      return besides(layout, index, 1);
    case "ArrowUp":
      return besides(layout, index, -1);
    default:
      return undefined;
  }
}

function besides({ columns, groups }: GridLayout, index: number, step: 1 | -1): number {
  const at = groups.findLastIndex(({ first }) => first <= index);
  const group = groups[at];
  if (!group) return index;
  const inGroup = index - group.first;
  const column = inGroup % columns;
  const row = Math.floor(inGroup / columns) + step;
  const lastRow = Math.floor((group.count - 1) / columns);
  if (row >= 0 && row <= lastRow) return group.first + Math.min(row * columns + column, group.count - 1);
  const next = groups[at + step];
  if (!next) return index;
  const startOfRow = step === 1 ? 0 : Math.floor((next.count - 1) / columns) * columns;
  return next.first + Math.min(startOfRow + column, next.count - 1);
}
