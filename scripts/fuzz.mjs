// npm run fuzz -- TARGET|all [--minutes N] [--seed S]: random inputs against one target, or the time shared by all of them.
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});
const environment = {
  ...process.env,
  FUZZ_TARGET: positionals[0] ?? "all",
  FUZZ_MINUTES: values.minutes,
  FUZZ_SEED: values.seed,
};
const child = spawn("npx", ["vitest", "run", "--project", "fuzz"], { stdio: "inherit", env: environment });
child.on("exit", (code) => process.exit(code ?? 1));
