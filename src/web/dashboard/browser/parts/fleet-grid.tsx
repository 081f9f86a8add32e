import type { JSX, RefObject } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { ClusterRow } from "../../../../model/generated/page-api.ts";
import { drawGrid } from "../data/draw-grid.ts";
import type { GridClasses, GridGroup } from "../data/fleet-grid.ts";
import { keyOf } from "../data/fleet-store.ts";
import type { GridLayout } from "../data/grid-layout.ts";
import { cellAt, layoutGrid, moveCell, placeOf } from "../data/grid-layout.ts";
import { goTo } from "../data/navigation.ts";
import { clusterPath } from "../data/routes.ts";
import { useColourScheme } from "../data/use-colour-scheme.ts";
import { useSize } from "../data/use-size.ts";
import { wordOfRow } from "./state.tsx";

interface FleetGridProps {
  readonly groups: readonly GridGroup[];
  readonly colours: GridClasses;
  readonly hrefOf: (filter: string) => string;
}

/** Pixels beside the cells within the scrolled part. */
const edgePixels = 24;

/**
 * One cell a cluster, all at once. A canvas has the cells; the link under the pointer is a real one, and a list of one
 * option, the active cell, is what the keyboard moves and a screen reader reads.
 */
export function FleetGrid({ groups, colours, hrefOf }: FleetGridProps): JSX.Element {
  const id = useId();
  const room = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(room);
  const theme = useColourScheme();
  const rows = useMemo(() => groups.flatMap((group) => group.rows), [groups]);
  const counts = groups.map((group) => group.rows.length);
  const width = Math.max(100, size.width - 2 * edgePixels);
  const layout = useMemo(
    () => layoutGrid(counts, { width, height: size.height - edgePixels }),
    [counts.join(), width, size.height],
  );
  useEffect(() => {
    const frame = requestAnimationFrame(() => paint(canvas.current, { rows, layout, colours, width }));
    return () => cancelAnimationFrame(frame);
  }, [rows, layout, colours, width, theme]);
  const { index, row, activate, pointAt, press, open } = useActiveCell({ rows, layout, room, canvas });
  return (
    <div
      ref={room}
      class="grid-room"
      onMouseMove={pointAt}
      onMouseDown={pointAt}
      onMouseLeave={() => activate(undefined)}
    >
      <div class="grid-cells" style={{ width: `${width}px`, height: `${layout.height}px` }}>
        <canvas ref={canvas} aria-hidden="true" />
        {groups.map((group, at) => (
          <GroupTitle key={group.title} group={group} top={layout.groups[at]?.top ?? 0} hrefOf={hrefOf} />
        ))}
        {row && <ActiveCell row={row} {...placeOf(layout, index)} cell={layout.cell} width={width} />}
        <div
          class="grid-keys"
          role="listbox"
          tabIndex={0}
          aria-label="Clusters: arrows move, Enter opens"
          aria-activedescendant={row ? `${id}-active` : undefined}
          onKeyDown={press}
          onFocus={({ currentTarget }) => {
            if (!row && currentTarget.matches(":focus-visible")) activate(0);
          }}
          onClick={open}
        >
          {row && (
            <div
              id={`${id}-active`}
              role="option"
              aria-selected="true"
              aria-posinset={index + 1}
              aria-setsize={rows.length}
            >
              {row.workspace}/{row.name}: {wordOfRow(row)}, {row.reason}
            </div>
          )}
        </div>
      </div>
    </div>
  );
}

interface ActiveCellInputs {
  readonly rows: readonly ClusterRow[];
  readonly layout: GridLayout;
  readonly room: RefObject<HTMLElement | null>;
  readonly canvas: RefObject<HTMLElement | null>;
}

interface ActiveCellState {
  /** -1: none. */
  readonly index: number;
  readonly row: ClusterRow | undefined;
  readonly activate: (cell: number | undefined) => void;
  readonly pointAt: (event: MouseEvent) => void;
  readonly press: (event: KeyboardEvent) => void;
  readonly open: (event: MouseEvent) => void;
}

/** The cell that the pointer or the keyboard is at. */
function useActiveCell({ rows, layout, room, canvas }: ActiveCellInputs): ActiveCellState {
  const [active, setActive] = useState<string>();
  // By name: a cluster that is added or removed moves the cells, not what is active.
  const index = active === undefined ? -1 : rows.findIndex((row) => keyOf(row) === active);
  const row = rows[index];
  const activate = (cell: number | undefined): void => {
    const found = cell === undefined ? undefined : rows[cell];
    setActive(found && keyOf(found));
  };
  const cellUnder = (event: MouseEvent): number | undefined => {
    const box = canvas.current?.getBoundingClientRect();
    return box && cellAt(layout, event.clientX - box.left, event.clientY - box.top);
  };
  const pointAt = (event: MouseEvent): void => activate(cellUnder(event));
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = index < 0 ? 0 : moveCell(layout, index, event.key);
    if (event.key === "Enter" && row) goTo(clusterPath(row));
    else if (event.key === "Escape") setActive(undefined);
    else if (moveCell(layout, Math.max(index, 0), event.key) !== undefined) moveTo(next);
    else return;
    event.preventDefault();
  };
  const moveTo = (next: number | undefined): void => {
    activate(next);
    const y = next === undefined ? 0 : placeOf(layout, next).y;
    const { scrollTop: top = 0, clientHeight: height = 0 } = room.current ?? {};
    if (y < top || y + layout.cell + edgePixels > top + height) room.current?.scrollTo({ top: y - height / 2 });
  };
  const open = (event: MouseEvent): void => {
    const pressed = rows[cellUnder(event) ?? -1];
    if (pressed) goTo(clusterPath(pressed));
  };
  return { index, row, activate, pointAt, press, open };
}

function GroupTitle(props: {
  readonly group: GridGroup;
  readonly top: number;
  readonly hrefOf: (filter: string) => string;
}): JSX.Element {
  const { group, top, hrefOf } = props;
  return (
    <h2 style={{ top: `${top}px` }}>
      {group.filter === undefined ? (
        group.title
      ) : (
        <a href={hrefOf(group.filter)} dir="auto">
          {group.title}
        </a>
      )}{" "}
      <span class="soft">{group.rows.length.toLocaleString("en")}</span>
    </h2>
  );
}

interface ActiveCellProps {
  readonly row: ClusterRow;
  readonly x: number;
  readonly y: number;
  readonly cell: number;
  readonly width: number;
}

/** The link of a cell, over it, and the facts of its cluster. */
function ActiveCell({ row, x, y, cell, width }: ActiveCellProps): JSX.Element {
  const side = x > width / 2 ? { right: `${width - x + 6}px` } : { left: `${x + cell + 6}px` };
  return (
    <>
      <a
        class="grid-active"
        href={clusterPath(row)}
        tabIndex={-1}
        aria-hidden="true"
        style={{ left: `${x}px`, top: `${y}px`, width: `${cell}px`, height: `${cell}px` }}
      />
      <div class="grid-tip" aria-hidden="true" style={{ top: `${y}px`, ...side }}>
        <strong dir="auto">{row.name}</strong> <span class="soft">{row.workspace}</span>
        <br />
        <span class={row.state}>{wordOfRow(row)}</span> {row.reason}
        <br />
        <span class="soft">
          Kubernetes {row.kubernetesVersion ?? "–"}, agent {row.agentVersion ?? "–"}
        </span>
      </div>
    </>
  );
}

function paint(
  canvas: HTMLCanvasElement | null,
  inputs: {
    readonly rows: readonly ClusterRow[];
    readonly layout: ReturnType<typeof layoutGrid>;
    readonly colours: GridClasses;
    readonly width: number;
  },
): void {
  const { rows, layout, colours, width } = inputs;
  const context = canvas?.getContext("2d");
  if (!canvas || !context) return;
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(layout.height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${layout.height}px`;
  context.scale(scale, scale);
  const classes = Uint8Array.from(rows, (row) => colours.classOf.get(row) ?? 0);
  // A canvas cannot read the style sheet: the legend's cells have the colours.
  const appearances = colours.classes.map(({ colour, mark }) => {
    const swatch = document.querySelector(`.grid-legend .cell[data-colour="${colour}"]`);
    return { colour: swatch ? getComputedStyle(swatch).color : "gray", mark };
  });
  const ground = getComputedStyle(canvas).backgroundColor;
  drawGrid(context, { layout, classes, appearances, ground });
}
