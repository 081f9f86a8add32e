import { describe, expect, it } from "vitest";
import type { Fate } from "../../simulation/network-faults.ts";
import { createNetwork } from "../../simulation/network.ts";
import { Scheduler } from "../../simulation/scheduler.ts";
import { createTrace } from "../../simulation/trace.ts";

/** For one request that meets `fate`: of each answer of the server, whether the client is to receive it. */
async function heardAnswers(fate: Fate): Promise<boolean[]> {
  const scheduler = new Scheduler(1, createTrace(undefined));
  const [client, node] = [scheduler.addNode("daemon"), scheduler.addNode("forge")];
  const heard: boolean[] = [];
  const network = createNetwork({
    scheduler,
    fateOf: () => fate,
    isLinked: () => true,
    watchDelayMs: () => 0,
    onCall: ({ isHeard }) => heard.push(isHeard),
  });
  const transport = network.transport(client, {
    node,
    url: "https://forge.simulated",
    serve: (_request, response) => {
      response.writeHead(429);
      response.end();
    },
  });
  const limits = { headTimeoutMs: 30_000, idleTimeoutMs: 30_000 };
  transport.send({ method: "GET", path: "/", headers: {}, pool: "work", ...limits }).catch(() => undefined);
  await scheduler.run(60_000);
  return heard;
}

describe("an answer that a fault of the network keeps from the client", () => {
  it("is known as such, so that no invariant expects the client to have learned from it", async () => {
    expect(await heardAnswers({ kind: "served" })).toEqual([true]);
    expect(await heardAnswers({ kind: "lost-answer", isClosed: true })).toEqual([false]);
    expect(await heardAnswers({ kind: "doubled", againWithinMs: 3000 })).toEqual([true, false]);
  });
});
