import type { GridLayout } from "./grid-layout.ts";
import { placeOf } from "./grid-layout.ts";

interface DrawnGrid {
  readonly layout: GridLayout;
  /** The class of each cell. */
  readonly classes: Uint8Array;
  /** The colour and mark of each class. */
  readonly appearances: readonly { readonly colour: string; readonly mark: number }[];
  /** The colour of marks: that of the ground. */
  readonly ground: string;
}

/** Draws every cell: the colours class by class, as setting one costs more than filling a cell with it. */
export function drawGrid(context: CanvasRenderingContext2D, { layout, classes, appearances, ground }: DrawnGrid): void {
  const size = layout.cell - (layout.cell > 12 ? 2 : 1);
  for (const [index, { colour }] of appearances.entries()) {
    context.fillStyle = colour;
    for (const [cell, found] of classes.entries()) {
      if (found !== index) continue;
      const { x, y } = placeOf(layout, cell);
      context.fillRect(x, y, size, size);
    }
  }
  context.strokeStyle = ground;
  context.fillStyle = ground;
  context.lineWidth = Math.max(1.2, size / 9);
  context.beginPath();
  for (const [cell, found] of classes.entries()) {
    const mark = appearances[found]?.mark ?? 0;
    if (mark === 0) continue;
    const { x, y } = placeOf(layout, cell);
    traceMark(context, mark, { x, y, size });
  }
  context.stroke();
}

/** Draws one cell, as a legend shows it. */
export function drawCell(
  context: CanvasRenderingContext2D,
  {
    colour,
    ground,
    mark,
    size,
  }: { readonly colour: string; readonly ground: string; readonly mark: number; readonly size: number },
): void {
  context.clearRect(0, 0, size, size);
  context.fillStyle = colour;
  context.fillRect(0, 0, size, size);
  context.strokeStyle = ground;
  context.lineWidth = Math.max(1.2, size / 9);
  context.beginPath();
  traceMark(context, mark, { x: 0, y: 0, size });
  context.stroke();
}

/** From and to, in parts of a cell. */
type Stroke = readonly [number, number, number, number];
const marks: readonly (readonly Stroke[])[] = [
  [],
  [[0.15, 0.85, 0.85, 0.15]],
  [[0.1, 0.5, 0.9, 0.5]],
  [[0.5, 0.1, 0.5, 0.9]],
  [[0.15, 0.15, 0.85, 0.85]],
  [
    [0.2, 0.2, 0.8, 0.8],
    [0.2, 0.8, 0.8, 0.2],
  ],
  [
    [0.25, 0.25, 0.75, 0.25],
    [0.75, 0.25, 0.75, 0.75],
    [0.75, 0.75, 0.25, 0.75],
    [0.25, 0.75, 0.25, 0.25],
  ],
  [
    [0.1, 0.35, 0.9, 0.35],
    [0.1, 0.65, 0.9, 0.65],
  ],
  [
    [0.1, 0.5, 0.9, 0.5],
    [0.5, 0.1, 0.5, 0.9],
  ],
  [
    [0.15, 0.7, 0.5, 0.25],
    [0.5, 0.25, 0.85, 0.7],
  ],
];

function traceMark(
  context: CanvasRenderingContext2D,
  mark: number,
  { x, y, size }: { readonly x: number; readonly y: number; readonly size: number },
): void {
  for (const [fromX, fromY, toX, toY] of marks[mark] ?? []) {
    context.moveTo(x + fromX * size, y + fromY * size);
    context.lineTo(x + toX * size, y + toY * size);
  }
}
