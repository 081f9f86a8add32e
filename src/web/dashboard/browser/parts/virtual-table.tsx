import type { ComponentChildren, JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Column<T, K extends string> {
  readonly key: K;
  readonly title: string;
  /** Whether the table can be sorted by it. */
  readonly isSortable: boolean;
  readonly cell: (row: T) => ComponentChildren;
}

interface VirtualTableProps<T, K extends string> {
  readonly title: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T, K>[];
  readonly keyOf: (row: T) => string;
  readonly sort: K;
  readonly isDescending: boolean;
  readonly onSort: (key: K) => void;
}

const rowPixels = 38;
const spareRows = 12;
/** On paper: some 50 pages. More would keep the browser busy for long. */
const mostPrinted = 2_000;
/** Keys that move through the rows, and how far. */
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 15, PageUp: -15 };

/** A table that draws the rows in sight and no others: ten thousand cost as much as forty. */
export function VirtualTable<T, K extends string>(props: VirtualTableProps<T, K>): JSX.Element {
  const { title, rows, columns, keyOf, sort, isDescending, onSort } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const view = useSight(scroller);
  const isPrinted = usePrinting();
  const first = isPrinted ? 0 : Math.max(0, Math.floor(view.top / rowPixels) - spareRows);
  const shown = isPrinted
    ? rows.slice(0, mostPrinted)
    : rows.slice(first, first + Math.ceil(view.height / rowPixels) + 2 * spareRows);
  return (
    <div
      ref={scroller}
      class="table-scroller"
      role="region"
      aria-label={title}
      tabIndex={0}
      onClickCapture={({ currentTarget }) => history.replaceState({ tableTop: currentTarget.scrollTop }, "")}
      onKeyDown={(event) => moveThroughRows(event, scroller.current)}
    >
      <div class="table" role="table" aria-label={title} aria-rowcount={rows.length + 1}>
        <div class="table-head" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <div
              key={column.key}
              role="columnheader"
              aria-sort={column.key !== sort ? undefined : isDescending ? "descending" : "ascending"}
            >
              {column.isSortable ? (
                <button type="button" onClick={() => onSort(column.key)}>
                  {column.title}
                  <span class="arrow" aria-hidden="true">
                    {column.key === sort ? (isDescending ? "▼" : "▲") : ""}
                  </span>
                </button>
              ) : (
                column.title
              )}
            </div>
          ))}
        </div>
        <div
          class="table-body"
          role="rowgroup"
          style={{ height: `${(isPrinted ? shown : rows).length * rowPixels}px` }}
        >
          {shown.map((row, index) => (
            <div
              key={keyOf(row)}
              class="table-row"
              role="row"
              aria-rowindex={first + index + 2}
              style={{ transform: `translateY(${(first + index) * rowPixels}px)` }}
            >
              {columns.map((column) => (
                <div key={column.key} role="cell">
                  {column.cell(row)}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
      {isPrinted && rows.length > shown.length && (
        <p class="empty">
          The first {mostPrinted} of {rows.length}. Filter them to print others.
        </p>
      )}
    </div>
  );
}

/** What of the table is in sight. */
function useSight(scroller: RefObject<HTMLDivElement | null>): { readonly top: number; readonly height: number } {
  const [view, setView] = useState({ top: 0, height: 800 });
  // A link in the table may lead to the table of another filter, and the way back from there to this one.
  useLayoutEffect(() => scroller.current?.scrollTo(0, readTop()), [location.href]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const resize = new ResizeObserver(measure);
    resize.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      resize.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  return view;
}

/** True while the page is printed: paper has no rows out of sight. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const begin = (): void => setPrinting(true);
    const end = (): void => setPrinting(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}

/** Where the table of this entry of the history was scrolled to when a link in it was followed; 0 for a new entry. */
function readTop(): number {
  const { tableTop } = (history.state ?? {}) as { readonly tableTop?: unknown };
  return typeof tableTop === "number" ? tableTop : 0;
}

/** Arrow keys go from row to row; Enter follows the row's link, as it does on any link. */
function moveThroughRows(event: KeyboardEvent, scroller: HTMLElement | null): void {
  const step = steps[event.key];
  if (step === undefined || !scroller || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const current = document.activeElement?.closest<HTMLElement>(".table-row");
  const seen = [...scroller.querySelectorAll<HTMLElement>(".table-row")];
  const indexOf = (row: HTMLElement): number => Number(row.getAttribute("aria-rowindex"));
  const firstSeen = Math.floor(scroller.scrollTop / rowPixels) + 2;
  const wanted = current ? indexOf(current) + step : firstSeen;
  const target = seen.sort((a, b) => Math.abs(indexOf(a) - wanted) - Math.abs(indexOf(b) - wanted))[0];
  target?.querySelector("a")?.focus({ preventScroll: true });
  target?.scrollIntoView({ block: "nearest" });
}
