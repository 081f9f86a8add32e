import { textAt } from "../../../src/core/read-json.ts";
import { notesName } from "../people-by-hand.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** What the hub acknowledged stays: also where several clients write at the same time, and where the hub is killed. */
export function acknowledgedWritesStay({ mirror, intent, violate }: Scene): Invariant {
  const name = "what the hub acknowledged stays";
  return {
    name,
    onTick: () => {
      const notes = mirror.get(`//configmaps/fleet/${notesName}`);
      for (const [key, value] of intent.notes) {
        const kept = textAt(notes, "data", key);
        // A later write of the same key may be on its way.
        if (kept !== undefined && Number(kept) >= Number(value)) continue;
        violate(name, `${key}=${value} was acknowledged, and the hub has ${kept ?? "nothing"}`);
      }
    },
  };
}
