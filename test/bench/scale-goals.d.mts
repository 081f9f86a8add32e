/** The files of the benchmarks, in this folder or from the root. */
export const scaleBenches: readonly string[];

/** A line for each goal. `outputs`: what the benchmarks printed, by file. */
export function scaleTable(outputs: ReadonlyMap<string, string>): readonly string[];
