// npm run simulate:planted [-- --seed N --seeds N --hours H --clusters C --only TEXT --from N --to N --drills NAMES]
// Plants each fault of test/simulation/planted in a bundle and prints which the simulator finds, after how many simulated
// hours, by which invariant.
// Without --hours the deeds are those of test/simulation/drill.ts.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { simulatorFlags, withSimulator } from "./simulate-build.mjs";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "100" },
    seeds: { type: "string", default: "2" },
    hours: { type: "string" },
    /** Of the drills only these, with commas between them. */
    drills: { type: "string" },
    clusters: { type: "string", default: "4" },
    minutes: { type: "string", default: "5" },
    only: { type: "string", default: "" },
    /** The numbers of the first and the last fault. */
    from: { type: "string", default: "1" },
    to: { type: "string", default: "1000" },
  },
});
const faults = JSON.parse(await readFile(new URL("../test/simulation/planted/faults.json", import.meta.url), "utf8"));
const wanted = faults
  .slice(Number(values.from) - 1, Number(values.to))
  .filter(({ name }) => name.includes(values.only));

function run(script) {
  const drill = values.drills === undefined ? ["--drill"] : ["--drill", "--drills", values.drills];
  const deeds = values.hours === undefined ? drill : ["--hours", values.hours];
  const args = ["--seed", values.seed, "--seeds", values.seeds, "--clusters", values.clusters, ...deeds];
  const options = { timeout: Number(values.minutes) * 60_000, maxBuffer: 256 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...simulatorFlags({ isTraced: false }), script, ...args, "--first"],
      options,
      (_error, stdout) => resolve(stdout),
    );
  });
}

function resultOf(output) {
  const ends = [...output.matchAll(/^seed (\d+(?:, [a-z ]+)?): (.*?); ([\d.]+) h,/gmu)];
  const hours = ends.reduce((sum, [, , , text]) => sum + Number(text), 0).toFixed(1);
  const found = ends.find(([, , result]) => result.startsWith("VIOLATED"));
  if (found === undefined) return `not found | ${hours} |`;
  return `found | ${hours} | seed ${found[1]}: ${found[2].replace("VIOLATED: ", "")}`;
}

console.log("| planted fault | result | simulated hours | by |\n| --- | --- | --- | --- |");
let count = 0;
for (const fault of wanted) {
  const result = resultOf(await withSimulator(run, { fault }));
  if (result.startsWith("found")) count += 1;
  console.log(`| ${fault.name} | ${result} |`);
}
console.log(`\n${count} of ${wanted.length} are found.`);
