import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { daemonNowMs } from "../data/daemon-clock.ts";
import { plotRange } from "../data/plot-range.ts";
import { formatTick } from "../data/time.ts";

export interface Line {
  readonly label: string;
  /** Name of a colour of the style sheet, without its dashes. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  /** Lines of one colour have another number each. Default 0: it has no dashes. */
  readonly dash?: number;
  /** Draws points only. */
  readonly isPoints?: boolean;
}

interface PlotProps {
  /** Describes the plot for screen readers. */
  readonly title: string;
  /** Seconds since 1970, rising. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly unit?: string;
}

const heightPixels = 150;

/** Numbers over time. It follows the width of its place and the colours of the theme. */
export function Plot({ title, times, lines, unit = "" }: PlotProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data = [times, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    plot.current = new uPlot(optionsOf(element, { lines, unit }), data, element);
    const resize = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: heightPixels }),
    );
    resize.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const redraw = (): void => plot.current?.redraw(false, true);
    scheme.addEventListener("change", redraw);
    addEventListener("themechange", redraw);
    return () => {
      scheme.removeEventListener("change", redraw);
      removeEventListener("themechange", redraw);
      resize.disconnect();
      plot.current?.destroy();
    };
  }, [lines.map(({ label }) => label).join()]);
  useEffect(() => plot.current?.setData(data), [times, lines]);
  return (
    <figure class="plot">
      <div ref={place} role="img" aria-label={title} />
      <figcaption>
        {lines.map(({ label, colour, dash = 0 }) => (
          <span key={label}>
            <i class={dash === 0 ? `swatch ${colour}` : `swatch ${colour} dashed`} aria-hidden="true" /> {label}
          </span>
        ))}
        <span>Times are UTC</span>
      </figcaption>
    </figure>
  );
}

function optionsOf(element: HTMLElement, { lines, unit }: Pick<PlotProps, "lines" | "unit">): uPlot.Options {
  // A canvas cannot read the style sheet's variables: the colours are taken from elements that have them.
  const colourOf = (name: string) => (): string => {
    const swatch = element.parentElement?.querySelector(`.swatch.${name}`);
    return swatch ? getComputedStyle(swatch).backgroundColor : "gray";
  };
  // A count holds until the next one.
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const fillOf = (name: string) => (): string => `color-mix(in srgb, ${colourOf(name)()} 14%, transparent)`;
  const axis = {
    stroke: () => getComputedStyle(element).color,
    grid: { stroke: () => getComputedStyle(element).borderTopColor, width: 1 },
    ticks: { show: false },
  };
  return {
    width: Math.max(200, element.clientWidth),
    height: heightPixels,
    legend: { show: false },
    // As all exact times of the page: an outage on the plot is found in the history and in logs.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    cursor: { show: false },
    // On the right there is room for half of the last label.
    padding: [8, 20, 0, 0],
    scales: {
      x: { range: (plot) => plotRange(plot.data[0], daemonNowMs() / 1000) },
      y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] },
    },
    axes: [
      { ...axis, font: "11px system-ui", size: 28, space: 70, values: (_plot, ticks) => ticks.map(formatTick) },
      {
        ...axis,
        font: "11px system-ui",
        size: 46,
        values: (_plot, ticks) => ticks.map((tick) => (Number.isInteger(tick) || unit !== "" ? `${tick}${unit}` : "")),
      },
    ],
    series: [
      {},
      ...lines.map(({ colour, dash = 0, isPoints = false }): uPlot.Series => ({
        stroke: colourOf(colour),
        fill: isPoints ? undefined : fillOf(colour),
        width: isPoints ? 0 : 1.5,
        ...(dash === 0 ? {} : { dash: [10 / dash, 4] }),
        ...(isPoints || !stepped ? {} : { paths: stepped }),
        points: isPoints ? { show: true, size: 6, fill: colourOf(colour) } : { show: false },
      })),
    ],
  };
}
