// Fleet agents that register at once on a real kube-apiserver: rate, waiting times, calls of the hub, and the seconds of CPU
// that all of it took, agents too, until the last answer was there: those mean more on a busy machine. Needs
// KUBEBUILDER_ASSETS. Fleet's own controllers, for comparison: 100 in 11 s, 300 in 32 s, about 22 calls each.
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "vitest";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { startKubeCache } from "../../src/kube/kube-cache.ts";
import { fleetRegistrationNamespace } from "../../src/model/dialects/fleet.ts";
import type { KubeObject, ResourceType } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { FleetAgentClient } from "../support/fleet-agent-client.ts";
import { readAuditLog } from "../support/audit-log.ts";
import { cpuSecondsOfFamily } from "../support/cpu-seconds.ts";
import { hasControlPlane, startControlPlane } from "../support/control-plane.ts";
import { conditionOf } from "../contract/agent/fleet-helpers.ts";
import { openFleetHubSession } from "../contract/fleet/fleet-hub-session.ts";

const counts = (process.env["ROLLCALL_BENCH_AGENTS"] ?? "100,300").split(",").map(Number);
/** As an agent waits. When its answer is there is seen by a watch, so that nothing but agents' own calls loads the hub. */
const pollMs = 2000;

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
      const { secret, cluster } = resourceTypes;
      const answered = await follow(session.api, { type: secret, namespace: fleetRegistrationNamespace, count });
      const told = await follow(
        session.api,
        { type: cluster, namespace: session.workspace, count },
        (object) => conditionOf(object, "Joined") === "True",
      );
      const load = loadavg()[0]?.toFixed(1);
      const startMs = performance.now();
      const cpuBefore = cpuSecondsOfFamily();
      const waitsMs = await Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const agent = new FleetAgentClient(bootstrap, { clientID: `client-${index}` });
          if (!(await agent.register({}, { waitMs: 300_000, pollMs })))
            throw new Error(`agent ${index} was not let in`);
          return performance.now() - startMs;
        }),
      );
      const allSeconds = (Math.max(...answered.timesMs()) - startMs) / 1000;
      // What is only reported about a member comes after the answers.
      await told.whenAll;
      const toldSeconds = (Math.max(...told.timesMs()) - startMs) / 1000;
      await answered.stop();
      await told.stop();
      const calls = (await readAuditLog(auditLogPath, isHub)).length - callsBefore;
      const sorted = waitsMs.toSorted((a, b) => a - b);
      const at = (share: number): string => `${((sorted[Math.floor(share * (count - 1))] ?? 0) / 1000).toFixed(1)} s`;
      const numbers = {
        all: `${allSeconds.toFixed(1)} s`,
        told: `${toldSeconds.toFixed(1)} s`,
        rate: `${(count / allSeconds).toFixed(1)}/s`,
        cpuSeconds: (answered.cpuSecondsAtLast() - cpuBefore).toFixed(1),
        agentP50: at(0.5),
        agentP95: at(0.95),
        callsEach: (calls / count).toFixed(1),
        load,
      };
      process.stdout.write(`${count} agents: ${JSON.stringify(numbers)}\n`);
    } finally {
      await session.close();
      await plane.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

/** When (ms of this process) each of so many objects was as it is meant to be, and how much CPU was used by the last. */
async function follow(
  api: KubeApi,
  { type, namespace, count }: { readonly type: ResourceType; readonly namespace: string; readonly count: number },
  isMeant: (object: KubeObject) => boolean = () => true,
) {
  const times = new Map<string, number>();
  let cpuSeconds = NaN;
  let onAll: () => void = () => undefined;
  const whenAll = new Promise<void>((resolve) => (onAll = resolve));
  const cache = startKubeCache(
    api,
    type,
    {
      namespace,
      onChange: ({ ref, object }) => {
        if (object === undefined || times.has(ref.name) || !isMeant(object)) return;
        times.set(ref.name, performance.now());
        if (times.size < count) return;
        cpuSeconds = cpuSecondsOfFamily();
        onAll();
      },
    },
    { clock: realClock, random: realRandom },
  );
  await cache.whenSynced();
  times.clear();
  return { timesMs: () => [...times.values()], cpuSecondsAtLast: () => cpuSeconds, whenAll, stop: () => cache.stop() };
}

function isControlPlane(user: string): boolean {
  return /^system:(?:apiserver|kube-|node:|anonymous)/u.test(user);
}
