// Requests to join without a proof, as many as the holder of a token's credential likes, on an embedded hub: what
// they cost, what is left of them, and how long another agent waits meanwhile. ROLLCALL_BENCH_FLOOD: how many (10000).
import { it } from "vitest";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { token, valuesOf } from "../contract/agent/fleet-helpers.ts";
import { openFleetSession } from "../contract/agent/fleet-session.ts";
import { startSimulatedAgent } from "../contract/agent/simulated-agent.ts";
import { flood, forgedRequest, holderOf } from "../support/flood-hub.ts";
import { embeddedHub } from "../support/hub-under-test.ts";
import { until } from "../support/until.ts";

const count = Number(process.env["ROLLCALL_BENCH_FLOOD"] ?? "10000");

it(`${count} requests without a proof`, { timeout: 1_800_000 }, async () => {
  const session = await openFleetSession(await embeddedHub());
  try {
    for (const door of ["open", "other"]) await session.create(token(session, door, {}));
    const [values, other] = [await valuesOf(session, "open"), await valuesOf(session, "other")];
    const api = holderOf(values);
    const requests = Array.from({ length: count }, (_, index) => forgedRequest(values, `bad-${index}`));
    const callsBefore = total(session.hubCalls);
    const startMs = performance.now();
    let most = 0;
    const left = async () =>
      (await session.api.list(resourceTypes.clusterRegistration, { namespace: session.workspace })).items.length;
    const flooding = flood(api, requests);
    await until(left, (seen) => seen >= Math.min(count / 4, 500), 600_000);
    const askedMs = performance.now();
    const honest = startSimulatedAgent(other, { name: "honest", clientID: "honest" });
    const joined = honest.result.then(() => performance.now() - askedMs);
    let isOver = false;
    const over = flooding.then(() => (isOver = true));
    while (!isOver) {
      most = Math.max(most, await left());
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    await over;
    const floodedMs = performance.now() - startMs;
    await until(left, (seen) => seen <= 51, 600_000);
    const numbers = {
      flooded: `${(floodedMs / 1000).toFixed(1)} s`,
      clean: `${((performance.now() - startMs) / 1000).toFixed(1)} s`,
      honestIn: `${((await joined) / 1000).toFixed(2)} s`,
      mostAtOnce: most,
      left: await left(),
      hubCallsEach: ((total(session.hubCalls) - callsBefore) / count).toFixed(2),
      memory: `${Math.round(process.memoryUsage().rss / 1e6)} MB (hub, controllers and holders together)`,
    };
    process.stdout.write(`${count} requests: ${JSON.stringify(numbers)}\n`);
    await honest.stop();
    await api.close();
  } finally {
    await session.close();
  }
});

function total(calls: ReadonlyMap<string, number>): number {
  return [...calls.values()].reduce((sum, each) => sum + each, 0);
}
