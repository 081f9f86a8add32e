// Runs every benchmark of this folder one after the other, or those that are named: `npm run bench -- commit`. For `scale`, all
// that measure a goal for ten thousand clusters are run, and a table of the goals follows. Numbers only; nothing passes or fails.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { scaleBenches, scaleTable } from "./scale-goals.mjs";

const wanted = process.argv.slice(2);
const folder = import.meta.dirname;
const root = join(folder, "../..");
const isScale = wanted.includes("scale");
const named = readdirSync(folder)
  .filter((name) => /\.bench\.(mjs|ts)$/u.test(name) || name === "validate.mjs")
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
const names = [...new Set([...named, ...(isScale ? scaleBenches : [])])];
console.log(
  `machine: ${cpus().length} x ${cpus()[0]?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}`,
);
const outputs = new Map();
for (const name of names) {
  console.log(`\n== ${name}`);
  outputs.set(name, await run(name));
}
if (isScale) console.log(`\n== ten thousand clusters\n${scaleTable(outputs).join("\n")}`);

/** Runs a benchmark whose lines are shown as they come; resolves with all of them. */
async function run(name) {
  const path = name.includes("/") ? name : join("test/bench", name);
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "bench", path];
  const child = spawn(process.execPath, path.endsWith(".ts") ? vitest : [path], {
    stdio: ["inherit", "pipe", "inherit"],
    cwd: root,
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    process.stdout.write(text);
    output += text;
  });
  await new Promise((ended) => child.once("close", ended));
  return output;
}
