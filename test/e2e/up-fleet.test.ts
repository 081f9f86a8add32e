import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fleetAgentBinary } from "../support/fleet-agent-process.ts";
import { isRunning } from "../support/is-running.ts";
import type { RunningProgram } from "../support/run-program.ts";
import { startProgram } from "../support/run-program.ts";
import { until } from "../support/until.ts";

const names = ["fleet-1", "fleet-2", "fleet-3"];

// Fleet's agent is built from its own project: ROLLCALL_FLEET_AGENT names the program.
describe.skipIf(fleetAgentBinary === undefined)("rollcall up --protocol fleet", () => {
  let dir = "";
  const start = (...more: readonly string[]): RunningProgram =>
    startProgram([
      ...["up", "--protocol", "fleet", "--agent-binary", fleetAgentBinary ?? "", "--clusters", "3", "--dir", dir],
      ...more,
    ]);
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "rollcall-up-fleet-"));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it("runs three clusters with Fleet's own agent, and ends when each is Ready", async () => {
    const program = start("--exit-when-healthy");
    await program.untilLine((line) => line.includes("Every cluster is Ready"));
    const code = await new Promise((resolve) => program.child.once("exit", resolve));
    expect(code).toBe(0);
    for (const name of names)
      expect(program.lines.some((line) => line.includes(name) && line.endsWith("Ready"))).toBe(true);
  });

  it("continues with the same clusters, and leaves no process behind when it is stopped", async () => {
    const program = start();
    await program.untilLine((line) => line.includes("Every cluster is Ready"));
    const started = await childrenOf(program.child.pid ?? 0);
    expect(started.filter(({ command }) => command.includes("fleetagent"))).toHaveLength(3);
    await program.end("SIGINT");
    await until(
      () => Promise.resolve(started.filter(({ pid }) => isRunning(pid))),
      (left) => left.length === 0,
    );
  });
});

interface Started {
  readonly pid: number;
  readonly command: string;
}

async function childrenOf(parent: number): Promise<Started[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,args="]);
  return stdout.split("\n").flatMap((line) => {
    const [, pid, ppid, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(line) ?? [];
    return Number(ppid) === parent ? [{ pid: Number(pid), command }] : [];
  });
}
