import { healAtMs, roundMs } from "./deeds.ts";
import { drills } from "./drill.ts";
import { paceOf } from "./pace.ts";

/** Options of the command line as they were typed; those that have a default are always there. */
export interface TypedOptions {
  readonly seed: string;
  readonly seeds?: string | undefined;
  readonly hours: string;
  readonly clusters: string;
  readonly heartbeat: string;
  readonly calm: string;
  readonly minutes?: string | undefined;
  readonly drills?: string | undefined;
}

interface NumberRule {
  readonly least: number;
  readonly most?: number;
  readonly isWhole?: boolean;
}

const rules: Readonly<Record<Exclude<keyof TypedOptions, "drills">, NumberRule>> = {
  seed: { least: 0, isWhole: true },
  seeds: { least: 1, isWhole: true },
  hours: { least: 0.1 },
  clusters: { least: 1, isWhole: true },
  // What a file may declare.
  heartbeat: { least: 1, most: 3600, isWhole: true },
  calm: { least: 0 },
  minutes: { least: 0 },
};

/** What is wrong with the options, in a sentence; undefined when a run can begin. */
export function misfitOfOptions(options: TypedOptions): string | undefined {
  for (const [name, rule] of Object.entries(rules)) {
    const typed = options[name as keyof typeof rules];
    if (typed === undefined || (name === "seed" && typed === "new")) continue;
    if (!fits(typed, rule)) return `--${name} ${typed}: ${wordsOf(rule)} is needed`;
  }
  const unknown = options.drills?.split(",").find((name) => drills.every((drill) => drill.name !== name));
  if (unknown !== undefined)
    return `--drills ${unknown}: there is no such drill, only ${drills.map(({ name }) => name).join(", ")}`;
  const { factsPeriodMs = 0 } = paceOf(Number(options.heartbeat)).agent;
  const restMs = roundMs - healAtMs + Number(options.calm) * 3_600_000;
  if (factsPeriodMs <= restMs) return undefined;
  const hours = Math.ceil((factsPeriodMs - roundMs + healAtMs) / 360_000) / 10;
  return `--heartbeat ${options.heartbeat}: agents read the facts of their clusters so rarely that --calm ${hours} or more is needed`;
}

function fits(typed: string, { least, most = Number.MAX_SAFE_INTEGER, isWhole = false }: NumberRule): boolean {
  const number = typed.trim() === "" ? NaN : Number(typed);
  return number >= least && number <= most && (!isWhole || Number.isInteger(number));
}

function wordsOf({ least, most, isWhole = false }: NumberRule): string {
  const range = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
  return `a ${isWhole ? "whole " : ""}number ${range}`;
}
