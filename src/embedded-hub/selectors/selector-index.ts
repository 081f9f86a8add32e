import { fits } from "./object-selector.ts";
import type { LabelRequirement } from "./object-selector.ts";

/** Who selects by labels, found by what they select: one requirement of each is an index. */
export interface SelectorIndex {
  /** Undefined requirements fit nothing. */
  set(id: string, requirements: readonly LabelRequirement[] | undefined): void;
  delete(id: string): void;
  isEmpty(): boolean;
  /** Those that may select an object with the labels. Read to its end in one turn of the loop, or copied. */
  candidates(labels: Readonly<Record<string, string>>): readonly string[];
  /** Whether one of them does, by all its requirements. */
  selects(id: string, labels: Readonly<Record<string, string>>): boolean;
}

interface Entry {
  readonly requirements: readonly LabelRequirement[];
  readonly places: readonly string[];
}

/** The place of those that ask for no label: an object without labels may fit. */
const anywhere = "";

export function createSelectorIndex(): SelectorIndex {
  const entries = new Map<string, Entry>();
  const byPlace = new Map<string, Set<string>>();
  const crowdAt = (places: readonly string[]): number =>
    places.reduce((sum, place) => sum + 1 + (byPlace.get(place)?.size ?? 0), 0);

  const forget = (id: string): void => {
    for (const place of entries.get(id)?.places ?? []) {
      const ids = byPlace.get(place);
      ids?.delete(id);
      if (ids?.size === 0) byPlace.delete(place);
    }
    entries.delete(id);
  };

  /** Of several requirements the one with the fewest other entries: often the name of one application. */
  const choosePlaces = (requirements: readonly LabelRequirement[]): readonly string[] => {
    let best: readonly string[] = [anywhere];
    let crowd = Number.POSITIVE_INFINITY;
    for (const requirement of requirements) {
      if (requirement.isNegated) continue;
      const places = placesOf(requirement);
      const found = crowdAt(places);
      if (found < crowd) [best, crowd] = [places, found];
    }
    return best;
  };

  return {
    set: (id, requirements) => {
      forget(id);
      if (requirements === undefined) return;
      const places = choosePlaces(requirements);
      entries.set(id, { requirements, places });
      for (const place of places) byPlace.set(place, (byPlace.get(place) ?? new Set()).add(id));
    },
    delete: forget,
    isEmpty: () => entries.size === 0,
    candidates: (labels) => {
      const places = Object.entries(labels).flatMap(([key, value]) => [key, `${key}=${value}`]);
      // No id is at two places of one object: a label has one value.
      return [anywhere, ...places].flatMap((place) => [...(byPlace.get(place) ?? [])]);
    },
    selects: (id, labels) => entries.get(id)?.requirements.every((one) => fits(one, labels)) ?? false,
  };
}

/** Keys of labels have no "=". */
function placesOf({ key, values }: LabelRequirement): readonly string[] {
  return values === undefined ? [key] : [...values].map((value) => `${key}=${value}`);
}
