const leastSpanSeconds = 1800;

/**
 * The first and the last second of an axis: those of `times`, which rise, and at least half an hour. uPlot gives the axis of one
 * time years.
 */
export function plotRange(times: ArrayLike<number>, nowSeconds: number): [number, number] {
  const last = times[times.length - 1] ?? nowSeconds;
  return [Math.min(times[0] ?? last, last - leastSpanSeconds), last];
}
