import { describe, expect, it } from "vitest";
import {
  cellAt,
  layoutGrid,
  moveCell,
  placeOf,
  titlePixels,
} from "../../../../src/web/dashboard/browser/data/grid-layout.ts";

/** Ten columns; groups of 25, 3 and 12 cells. */
const layout = layoutGrid([25, 3, 12], { width: 300, height: 10_000 });

describe("layoutGrid", () => {
  it("has large cells where there is room, and small ones for ten thousand", () => {
    expect([layout.cell, layout.columns]).toEqual([30, 10]);
    const full = layoutGrid([10_000], { width: 1180, height: 700 });
    expect([full.cell, full.columns, full.height]).toEqual([9, 131, titlePixels + 77 * 9 + 8]);
  });

  it("finds each cell where it is placed, and none in titles and gaps", () => {
    for (let index = 0; index < 40; index++) {
      const { x, y } = placeOf(layout, index);
      expect(cellAt(layout, x + 1, y + 1)).toBe(index);
    }
    expect(cellAt(layout, 5, 5)).toBeUndefined();
    expect(cellAt(layout, 299, (layout.groups[1]?.top ?? 0) + titlePixels + 1)).toBeUndefined();
    expect(cellAt(layout, 301, titlePixels + 1)).toBeUndefined();
  });
});

describe("moveCell", () => {
  it.each([
    { from: 0, key: "ArrowRight", to: 1 },
    { from: 0, key: "ArrowLeft", to: 0 },
    { from: 39, key: "ArrowRight", to: 39 },
    { from: 4, key: "ArrowDown", to: 14 },
    { from: 18, key: "ArrowDown", to: 24 },
    { from: 24, key: "ArrowDown", to: 27 },
    { from: 26, key: "ArrowUp", to: 21 },
    { from: 26, key: "ArrowDown", to: 29 },
    { from: 3, key: "ArrowUp", to: 3 },
    { from: 25, key: "ArrowDown", to: 28 },
    { from: 28, key: "ArrowUp", to: 25 },
    { from: 7, key: "End", to: 39 },
    { from: 7, key: "Home", to: 0 },
    { from: 7, key: "x", to: undefined },
  ])("moves from $from to $to by $key", ({ from, key, to }) => {
    expect(moveCell(layout, from, key)).toBe(to);
  });
});
