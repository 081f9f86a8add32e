// Fleet agents that register at once on a real kube-apiserver: rate, waiting times, calls of the hub. Needs
// KUBEBUILDER_ASSETS. Fleet's own controllers, for comparison: 100 in 11 s, 300 in 32 s, about 22 calls each.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "vitest";
import { FleetAgentClient } from "../support/fleet-agent-client.ts";
import { readAuditLog } from "../support/audit-log.ts";
import { hasControlPlane, startControlPlane } from "../support/control-plane.ts";
import { openFleetHubSession } from "../contract/fleet/fleet-hub-session.ts";

const counts = (process.env["ROLLCALL_BENCH_AGENTS"] ?? "100,300").split(",").map(Number);
/** As an agent waits, but four times as often, so that the time of the hub is seen. */
const pollMs = 500;

for (const count of counts)
  it.skipIf(!hasControlPlane())(`${count} Fleet agents at once`, { timeout: 600_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "rollcall-bench-"));
    const auditLogPath = join(folder, "audit.log");
    const plane = await startControlPlane({ auditLogPath });
    const session = await openFleetHubSession({ kubeconfig: plane.kubeconfig, stop: () => Promise.resolve() });
    try {
      await session.declareToken("door");
      const bootstrap = await session.bootstrapOf("door");
      const isHub = (user: string): boolean => !user.startsWith("system:serviceaccount:") && !isControlPlane(user);
      const callsBefore = (await readAuditLog(auditLogPath, isHub)).length;
      const startMs = performance.now();
      const waitsMs = await Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const agent = new FleetAgentClient(bootstrap, { clientID: `client-${index}` });
          if (!(await agent.register({}, { waitMs: 300_000, pollMs })))
            throw new Error(`agent ${index} was not let in`);
          return performance.now() - startMs;
        }),
      );
      const allSeconds = (performance.now() - startMs) / 1000;
      const calls = (await readAuditLog(auditLogPath, isHub)).length - callsBefore;
      const sorted = waitsMs.toSorted((a, b) => a - b);
      const at = (share: number): string => `${((sorted[Math.floor(share * (count - 1))] ?? 0) / 1000).toFixed(1)} s`;
      const numbers = {
        all: `${allSeconds.toFixed(1)} s`,
        rate: `${(count / allSeconds).toFixed(1)}/s`,
        p50: at(0.5),
        p95: at(0.95),
        callsEach: (calls / count).toFixed(1),
      };
      process.stdout.write(`${count} agents: ${JSON.stringify(numbers)}\n`);
    } finally {
      await session.close();
      await plane.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

function isControlPlane(user: string): boolean {
  return /^system:(?:apiserver|kube-|node:|anonymous)/u.test(user);
}
