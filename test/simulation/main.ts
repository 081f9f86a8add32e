import type { ParseArgsConfig } from "node:util";
import { parseArgs } from "node:util";
import { misfitOfOptions } from "./check-options.ts";
import { drawsForeign, drawsForge, drawsKubeconfigs, roundMs } from "./deeds.ts";
import { drills } from "./drill.ts";
import { failedSeeds } from "./seeds.ts";
import { shrink } from "./shrink.ts";
import type { RunOptions, RunResult } from "./simulate.ts";
import { deedsOf, simulate, takeOverProcess } from "./simulate.ts";
import { renderStory } from "./story.ts";

const config = {
  options: {
    help: { type: "boolean", default: false },
    /** Each drill of `drill.ts` in place of the deeds that a seed draws. */
    drill: { type: "boolean", default: false },
    /** Of these drills only those with these names. */
    drills: { type: "string" },
    /** A number, or `new`: the time in seconds. */
    seed: { type: "string", default: "1" },
    seeds: { type: "string" },
    /** Runs the seeds of `seeds.ts` instead; with `seeds` the first ones. */
    failed: { type: "boolean", default: false },
    /** People add clusters of other projects to what a seed draws. */
    foreign: { type: "boolean", default: false },
    /** People add clusters whose agents the hub installs. */
    kubeconfigs: { type: "boolean", default: false },
    /** People also work with pull requests. */
    forge: { type: "boolean", default: false },
    hours: { type: "string", default: "8" },
    clusters: { type: "string", default: "5" },
    /** Seconds between two heartbeats. */
    heartbeat: { type: "string", default: "60" },
    /** Hours that each round is longer, in which no person does anything. */
    calm: { type: "string", default: "0" },
    /** No seed is begun after so many minutes of real time. */
    minutes: { type: "string" },
    trace: { type: "boolean", default: false },
    story: { type: "boolean", default: false },
    /** Ends at the first seed that violates an invariant. */
    first: { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
    /** Prints what the hub has at the end below this key. */
    dump: { type: "string" },
  },
} as const satisfies ParseArgsConfig;
const { values, refusal } = readOptions();

/** A run, and the name of its drill. */
type NamedRun = RunOptions & { readonly name?: string };

const mostShrinkRuns = 60;
const print = (text: string): void => void process.stdout.write(text);
const beginNs = process.hrtime.bigint();
const cpuBefore = process.cpuUsage();
const first = values.seed === "new" ? Math.floor(Date.now() / 1000) : Number(values.seed);
// No exit is forced: it would drop what a pipe has not taken yet.
if (refusal !== undefined) {
  process.stderr.write(`${refusal}. docs/simulation.md has the options.\n`);
  process.exitCode = 2;
} else if (values.help) print("docs/simulation.md has the options.\n");
else process.exitCode = await runAll();

/** Gives the exit code. */
async function runAll(): Promise<number> {
  takeOverProcess();
  let failed = 0;
  let passed = 0;
  let clusterHours = 0;
  for (const options of runs()) {
    if (realMinutes() >= Number(values.minutes ?? Infinity) || (failed > 0 && values.first)) break;
    const result = await simulate({ ...options, ...(values.trace ? { print } : {}) });
    clusterHours += result.clusterHours;
    await report(options, result);
    if (result.violations.length > 0) failed += 1;
    else passed += 1;
  }
  const hours = clusterHours.toFixed(0);
  const perMinute = (clusterHours / cpuMinutes()).toFixed(0);
  print(`${hours} cluster-hours in ${cpuMinutes().toFixed(2)} CPU minutes: ${perMinute} a minute\n`);
  print(`Seeds  ${failed} failed | ${passed} passed (${failed + passed}), ${hours} cluster-hours\n`);
  return failed > 0 ? 1 : 0;
}

/** `refusal`: why no run can begin with them. */
function readOptions() {
  try {
    const { values: typed } = parseArgs(config);
    return { values: typed, refusal: misfitOfOptions(typed) };
  } catch (error) {
    const { values: defaults } = parseArgs({ ...config, args: [] });
    return { values: defaults, refusal: error instanceof Error ? error.message : String(error) };
  }
}

function runs(): Iterable<NamedRun> {
  return values.failed ? failedSeeds.slice(0, Number(values.seeds ?? Infinity)) : drawnSeeds();
}

function* drawnSeeds(): Generator<NamedRun> {
  const count = Number(values.seeds ?? (values.minutes === undefined ? 1 : Infinity));
  const calmHours = Number(values.calm);
  const heartbeatSeconds = Number(values.heartbeat);
  const roundCount = Math.ceil((Number(values.hours) * 3_600_000) / (roundMs + calmHours * 3_600_000));
  const clusterCount = Number(values.clusters);
  for (let index = 0; index < count; index++) {
    const seed = first + index;
    if (values.drill) for (const drill of chosenDrills()) yield { ...drill, seed, clusterCount, roundCount: 1 };
    else
      yield {
        seed,
        clusterCount,
        roundCount,
        heartbeatSeconds,
        calmHours,
        hasForeign: values.foreign || drawsForeign(seed),
        hasKubeconfigs: values.kubeconfigs || drawsKubeconfigs(seed),
        hasForge: values.forge || drawsForge(seed),
      };
  }
}

function chosenDrills(): typeof drills {
  const names = values.drills?.split(",");
  return drills.filter(({ name }) => names === undefined || names.includes(name));
}

function realMinutes(): number {
  return Number(process.hrtime.bigint() - beginNs) / 60e9;
}

function cpuMinutes(): number {
  const { user, system } = process.cpuUsage(cpuBefore);
  return (user + system) / 60_000_000;
}

async function report({ seed, name }: NamedRun, result: RunResult): Promise<void> {
  const isViolated = result.violations.length > 0;
  const told = isViolated && values.shrink ? await shrink(result, mostShrinkRuns) : result;
  if (isViolated || values.story) print(renderStory(told.story));
  if (values.dump !== undefined)
    for (const [key, object] of result.mirror.below(values.dump)) print(`${key} ${JSON.stringify(object)}\n`);
  const outcome = isViolated ? `VIOLATED: ${result.violations[0]?.invariant}` : "holds";
  const amounts = `${(result.elapsedMs / 3_600_000).toFixed(1)} h, ${result.clusterHours.toFixed(0)} cluster-hours`;
  if (isViolated && values.shrink) print(`deeds: ${JSON.stringify(deedsOf(told.options))}\n`);
  print(
    `seed ${seed}${name === undefined ? "" : `, ${name}`}: ${outcome}; ${amounts}, ${result.eventCount} events, trace ${result.digest}\n`,
  );
}
