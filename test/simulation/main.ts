import { parseArgs } from "node:util";
import { roundMs } from "./deeds.ts";
import { simulate, takeOverProcess } from "./simulate.ts";
import { renderStory } from "./story.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    hours: { type: "string", default: "8" },
    clusters: { type: "string", default: "5" },
    trace: { type: "boolean", default: false },
    story: { type: "boolean", default: false },
  },
});

const print = (text: string): void => void process.stdout.write(text);
const cpuBefore = process.cpuUsage();
takeOverProcess();
let failures = 0;
let clusterHours = 0;
const first = Number(values.seed);
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const result = await simulate({
    seed,
    clusterCount: Number(values.clusters),
    roundCount: Math.ceil((Number(values.hours) * 3_600_000) / roundMs),
    ...(values.trace ? { print } : {}),
  });
  clusterHours += result.clusterHours;
  const { violations, digest, eventCount, elapsedMs } = result;
  if (violations.length > 0 || values.story) print(renderStory(result.story));
  if (violations.length > 0) failures += 1;
  const hours = (elapsedMs / 3_600_000).toFixed(1);
  const verdict = violations.length === 0 ? "holds" : `VIOLATED: ${violations[0]?.invariant}`;
  print(
    `seed ${seed}: ${verdict}; ${hours} h, ${result.clusterHours.toFixed(0)} cluster-hours, ${eventCount} events, trace ${digest}\n`,
  );
}
const { user, system } = process.cpuUsage(cpuBefore);
const cpuMinutes = (user + system) / 60_000_000;
print(
  `${clusterHours.toFixed(0)} cluster-hours in ${cpuMinutes.toFixed(2)} CPU minutes: ${(clusterHours / cpuMinutes).toFixed(0)} a minute\n`,
);
process.exit(failures > 0 ? 1 : 0);
