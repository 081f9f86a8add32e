import { compareNames } from "../../core/compare-names.ts";
import type { ClusterRow } from "../../model/generated/page-api.ts";

/** The line of every cluster, kept as clusters change: a change costs nothing in proportion to the fleet. */
export class RowTable {
  readonly #rowOf: (key: string) => ClusterRow | undefined;
  readonly #rows = new Map<string, ClusterRow>();
  #sorted: readonly ClusterRow[] | undefined;

  /** `rowOf` makes the line of the cluster `workspace/name`; undefined when there is none. */
  constructor(rowOf: (key: string) => ClusterRow | undefined) {
    this.#rowOf = rowOf;
  }

  /** Reads a cluster that was created, changed or deleted. True when its line differs. */
  update(key: string): boolean {
    const before = this.#rows.get(key);
    const row = this.#rowOf(key);
    if (JSON.stringify(row) === JSON.stringify(before)) return false;
    if (row) this.#rows.set(key, row);
    else this.#rows.delete(key);
    this.#sorted = undefined;
    return true;
  }

  get(key: string): ClusterRow | undefined {
    return this.#rows.get(key);
  }

  /** Sorted by workspace and name. */
  all(): readonly ClusterRow[] {
    this.#sorted ??= [...this.#rows.values()].sort(compareRows);
    return this.#sorted;
  }
}

function compareRows(a: ClusterRow, b: ClusterRow): number {
  return compareNames(a.workspace, b.workspace) || compareNames(a.name, b.name);
}
