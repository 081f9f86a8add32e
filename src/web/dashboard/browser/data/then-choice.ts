import type { RecordCommit } from "../../../../model/generated/page-api.ts";

/** What the fleet at a commit is compared with. */
export const baselines = ["before", "hour", "day", "first"] as const;
/** A choice of {@link baselines}; also the parameter `with` of the address. */
export type Baseline = (typeof baselines)[number];

/** Texts of the page, after "Compared with". */
export const baselineNames: Readonly<Record<Baseline, string>> = {
  before: "the commit before",
  hour: "an hour before",
  day: "a day before",
  first: "the oldest one here",
};

/** The choice that an address names; without one that is known, the commit before. */
export function readBaseline(text: string | null): Baseline {
  return baselines.find((baseline) => baseline === text) ?? "before";
}

/** Whether an address names a commit that is in the list. */
export function isListed(commits: readonly RecordCommit[], at: string): boolean {
  return at.length >= 7 && commits.some(({ id }) => id.startsWith(at));
}

/** The place in a list, newest first, of the commit that an address names: by its whole id or its start; else the newest. */
export function placeOf(commits: readonly RecordCommit[], at: string | null): number {
  if (at === null || at.length < 7) return 0;
  return Math.max(
    0,
    commits.findIndex(({ id }) => id.startsWith(at)),
  );
}

/**
 * The id of the commit that the one at `place` is compared with; undefined for the commit before, or where there is no
 * older one. An hour or a day before is the newest commit that is so old, or the oldest of all.
 */
export function baselineOf(commits: readonly RecordCommit[], place: number, baseline: Baseline): string | undefined {
  const older = commits.slice(place + 1);
  switch (baseline) {
    case "before":
      return undefined;
    case "first":
      return older.at(-1)?.id;
    case "hour":
    case "day": {
      const spanMs = baseline === "hour" ? 3_600_000 : 86_400_000;
      const latestMs = Date.parse(commits[place]?.committed ?? "") - spanMs;
      return (older.find(({ committed = "" }) => Date.parse(committed) <= latestMs) ?? older.at(-1))?.id;
    }
  }
}
