import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { drawCell } from "../data/draw-grid.ts";
import type { GridClass } from "../data/fleet-grid.ts";

const cellPixels = 16;

interface GridLegendProps {
  readonly classes: readonly GridClass[];
  /** Changes when colours do. */
  readonly theme: number;
  readonly hrefOf: (filter: string) => string;
}

/** What each colour and mark means, and how many clusters have it; each leads to those. */
export function GridLegend({ classes, theme, hrefOf }: GridLegendProps): JSX.Element {
  return (
    <ul class="grid-legend" aria-label="Legend">
      {classes.map((item) => (
        <li key={item.title}>
          <Swatch appearance={item} theme={theme} />
          {item.filter === undefined ? <span>{item.title}</span> : <a href={hrefOf(item.filter)}>{item.title}</a>}
          <span class="soft">{item.count.toLocaleString("en")}</span>
        </li>
      ))}
    </ul>
  );
}

function Swatch({ appearance, theme }: { readonly appearance: GridClass; readonly theme: number }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { colour, mark } = appearance;
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!canvas.current || !context) return;
    const style = getComputedStyle(canvas.current);
    drawCell(context, { colour: style.color, ground: style.backgroundColor, mark, size: cellPixels });
  }, [colour, mark, theme]);
  return (
    <canvas
      ref={canvas}
      class={`cell ${colour}`}
      data-colour={colour}
      width={cellPixels}
      height={cellPixels}
      aria-hidden="true"
    />
  );
}
