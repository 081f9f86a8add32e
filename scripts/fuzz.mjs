// npm run fuzz -- TARGET[,TARGET]|all [--minutes N] [--seed S] [--inputs N] [--coverage]: random inputs against targets,
// which share the time; at most N inputs each. docs/security.md names the targets.
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    inputs: { type: "string", default: "" },
    coverage: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const environment = {
  ...process.env,
  FUZZ_TARGET: positionals[0] ?? "all",
  FUZZ_MINUTES: values.minutes,
  FUZZ_SEED: values.seed,
  FUZZ_INPUTS: values.inputs,
  FUZZ_COVERAGE: String(values.coverage),
};
const child = spawn("npx", ["vitest", "run", "--project", "fuzz"], { stdio: "inherit", env: environment });
child.on("exit", (code) => process.exit(code ?? 1));
