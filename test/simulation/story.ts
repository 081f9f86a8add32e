import { worldBeginMs } from "./scheduler.ts";

export interface StoryLine {
  readonly elapsedMs: number;
  readonly who: string;
  readonly what: string;
}

/** What a person needs to read to understand a run: deeds, faults, what the hub came to, what was violated. */
export interface Story {
  readonly lines: readonly StoryLine[];
  tell(who: string, what: string): void;
}

export function createStory(elapsedMs: () => number): Story {
  const lines: StoryLine[] = [];
  return {
    lines,
    tell: (who, what) => {
      lines.push({ elapsedMs: elapsedMs(), who, what });
    },
  };
}

/** `+01:02:03.004 who: what`, one line each. */
export function renderStory(lines: readonly StoryLine[]): string {
  return lines.map(({ elapsedMs, who, what }) => `${renderTime(elapsedMs)} ${who}: ${what}\n`).join("");
}

export function renderTime(elapsedMs: number): string {
  const days = Math.floor(elapsedMs / 86_400_000);
  const time = new Date(worldBeginMs + (elapsedMs % 86_400_000)).toISOString().slice(11, 23);
  return `+${days}d ${time}`;
}
