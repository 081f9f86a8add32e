import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clusternetAgentBinary } from "../support/clusternet-agent-process.ts";
import { startProgram } from "../support/run-program.ts";

// Clusternet's agent is built from its own project: ROLLCALL_CLUSTERNET_AGENT names the program.
describe.skipIf(clusternetAgentBinary === undefined)("rollcall up --protocol clusternet", () => {
  it("runs clusters with Clusternet's own agent, to Ready", async () => {
    const dir = await mkdtemp(join(tmpdir(), "rollcall-up-clusternet-"));
    const program = startProgram([
      ...["up", "--protocol", "clusternet", "--agent-binary", clusternetAgentBinary ?? "", "--clusters", "2"],
      ...["--dir", dir, "--exit-when-healthy"],
    ]);
    try {
      await program.untilLine((line) => line.includes("Every cluster is Ready"));
      for (const name of ["clusternet-1", "clusternet-2"])
        expect(program.lines.some((line) => line.includes(name) && line.endsWith("Ready"))).toBe(true);
    } finally {
      await program.end();
      await rm(dir, { recursive: true, force: true });
    }
  });
});
