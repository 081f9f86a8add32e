// Runs every benchmark of this folder one after the other, or those that are named: `npm run bench -- commit`.
// Numbers only; nothing here passes or fails.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";

const wanted = process.argv.slice(2);
const folder = import.meta.dirname;
const names = readdirSync(folder)
  .filter((name) => /\.bench\.(mjs|ts)$/u.test(name) || name === "validate.mjs")
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
console.log(
  `machine: ${cpus().length} x ${cpus()[0]?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}`,
);
for (const name of names) {
  console.log(`\n== ${name}`);
  const isTypeScript = name.endsWith(".ts");
  const command = isTypeScript
    ? ["node_modules/vitest/vitest.mjs", "run", "--project", "bench", join("test/bench", name)]
    : [join(folder, name)];
  spawnSync(process.execPath, command, { stdio: "inherit", cwd: join(folder, "../..") });
}
