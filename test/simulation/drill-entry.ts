import type { DeedKind } from "./deeds.ts";

/** Second of the round, what happens, whom it meets, for how many seconds. */
export type DrillEntry = readonly [atSeconds: number, kind: DeedKind, pick: number, forSeconds?: number];
