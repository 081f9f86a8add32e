import { parseArgs } from "node:util";
import { roundMs } from "./deeds.ts";
import { shrink } from "./shrink.ts";
import type { RunResult } from "./simulate.ts";
import { simulate, takeOverProcess } from "./simulate.ts";
import { renderStory } from "./story.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    hours: { type: "string", default: "8" },
    clusters: { type: "string", default: "5" },
    /** No seed is begun after so many minutes of CPU time. */
    "cpu-minutes": { type: "string", default: "1000" },
    trace: { type: "boolean", default: false },
    story: { type: "boolean", default: false },
    /** Ends at the first seed that violates an invariant. */
    first: { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
    /** Prints what the hub has at the end below this key. */
    dump: { type: "string" },
  },
});

const mostShrinkRuns = 60;
const print = (text: string): void => void process.stdout.write(text);
const cpuBefore = process.cpuUsage();
takeOverProcess();
let failures = 0;
let clusterHours = 0;
const first = Number(values.seed);
for (let seed = first; seed < first + Number(values.seeds) && cpuMinutes() < Number(values["cpu-minutes"]); seed++) {
  const result = await simulate({
    seed,
    clusterCount: Number(values.clusters),
    roundCount: Math.ceil((Number(values.hours) * 3_600_000) / roundMs),
    ...(values.trace ? { print } : {}),
  });
  clusterHours += result.clusterHours;
  await report(seed, result);
  if (result.violations.length > 0) failures += 1;
  if (failures > 0 && values.first) break;
}
const perMinute = (clusterHours / cpuMinutes()).toFixed(0);
print(`${clusterHours.toFixed(0)} cluster-hours in ${cpuMinutes().toFixed(2)} CPU minutes: ${perMinute} a minute\n`);
process.exit(failures > 0 ? 1 : 0);

function cpuMinutes(): number {
  const { user, system } = process.cpuUsage(cpuBefore);
  return (user + system) / 60_000_000;
}

async function report(seed: number, result: RunResult): Promise<void> {
  const isViolated = result.violations.length > 0;
  const told = isViolated && values.shrink ? await shrink(result, mostShrinkRuns) : result;
  if (isViolated || values.story) print(renderStory(told.story));
  if (values.dump !== undefined)
    for (const [key, object] of result.mirror.below(values.dump)) print(`${key} ${JSON.stringify(object)}\n`);
  const outcome = isViolated ? `VIOLATED: ${result.violations[0]?.invariant}` : "holds";
  const amounts = `${(result.elapsedMs / 3_600_000).toFixed(1)} h, ${result.clusterHours.toFixed(0)} cluster-hours`;
  print(`seed ${seed}: ${outcome}; ${amounts}, ${result.eventCount} events, trace ${result.digest}\n`);
}
