import { compareNames } from "../../../../core/compare-names.ts";
import type { ClusterChanges, ClusterList, ClusterRow } from "../../../../model/generated/page-api.ts";

/** Every cluster in one line, kept current by changes. It holds the fleet once and no history. */
export class FleetStore {
  readonly #rows = new Map<string, ClusterRow>();
  #cursor = "";
  /** The newest reported cursor. */
  #reported = "";
  /** Keys by name; comparing ten thousand names costs more than all else, and a change seldom brings a new one. */
  #order: readonly string[] | undefined;
  #sorted: readonly ClusterRow[] | undefined;

  /** Takes in a list that was read as a whole. False when changes came meanwhile that are not in it: read it again. */
  replace({ feed, items }: ClusterList): boolean {
    this.#rows.clear();
    for (const row of items) this.#rows.set(keyOf(row), row);
    this.#cursor = feed;
    this.#order = undefined;
    this.#sorted = undefined;
    const reported = placeOf(this.#reported);
    return reported.id !== placeOf(feed).id || reported.version <= placeOf(feed).version;
  }

  /** Takes in changes. False when some before them are missing: the list must be read again. */
  apply({ from, to, items, gone }: ClusterChanges): boolean {
    this.#reported = to;
    const known = placeOf(this.#cursor);
    const start = placeOf(from);
    const end = placeOf(to);
    if (start.id !== known.id || end.id !== known.id || start.version > known.version) return false;
    if (end.version <= known.version) return true;
    if (gone.length > 0 || items.some((row) => !this.#rows.has(keyOf(row)))) this.#order = undefined;
    for (const row of items) this.#rows.set(keyOf(row), row);
    for (const key of gone) this.#rows.delete(key);
    this.#cursor = to;
    if (items.length > 0 || gone.length > 0) this.#sorted = undefined;
    return true;
  }

  /** Sorted by name; the same array until something changes. */
  all(): readonly ClusterRow[] {
    this.#order ??= [...this.#rows.values()]
      .sort((a, b) => compareNames(a.name, b.name) || compareNames(a.workspace, b.workspace))
      .map(keyOf);
    this.#sorted ??= this.#order.flatMap((key) => this.#rows.get(key) ?? []);
    return this.#sorted;
  }
}

export function keyOf({ workspace, name }: Pick<ClusterRow, "workspace" | "name">): string {
  return `${workspace}/${name}`;
}

/** A cursor is `<process>.<version>`. */
function placeOf(cursor: string): { readonly id: string; readonly version: number } {
  const dot = cursor.lastIndexOf(".");
  return { id: cursor.slice(0, Math.max(0, dot)), version: Number(cursor.slice(dot + 1)) };
}
