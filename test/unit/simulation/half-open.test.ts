import { describe, expect, it } from "vitest";
import { createNetwork } from "../../simulation/network.ts";
import type { Server } from "../../simulation/network.ts";
import { Scheduler } from "../../simulation/scheduler.ts";
import { createTrace } from "../../simulation/trace.ts";

const unresponsiveMs = 150_000;

/** A watch whose server sends at 60 s, while nothing passes; `halfOpenAt` is when it was half-open last. */
async function watchThroughCut(seed: number) {
  const scheduler = new Scheduler(seed, createTrace(undefined));
  const [client, node] = [scheduler.addNode("daemon"), scheduler.addNode("hub")];
  const server: Server = {
    node,
    url: "https://hub.simulated",
    serve: (_request, response) => {
      response.writeHead(200);
      response.write(Buffer.from("one\n"));
      scheduler.send(node, 60_000, "an event", () => response.write(Buffer.from("two\n")));
    },
  };
  const isLinked = () => scheduler.elapsedMs < 50_000 || scheduler.elapsedMs > 72_000;
  const network = createNetwork({
    scheduler,
    fateOf: () => ({ kind: "served" }),
    isLinked,
    watchDelayMs: () => 0,
    onCall: () => undefined,
  });
  const parts: string[] = [];
  const limits = { headTimeoutMs: 30_000, idleTimeoutMs: unresponsiveMs };
  const read = async (): Promise<void> => {
    const transport = network.transport(client, server);
    const answer = await transport.send({ method: "GET", path: "/", headers: {}, pool: "watch", ...limits });
    for await (const part of answer.body) parts.push(Buffer.from(part).toString());
  };
  let failure = "";
  read().catch((error: unknown) => (failure = String(error)));
  const halfOpenAt = async (atMs: number): Promise<number | undefined> => {
    await scheduler.run(atMs - scheduler.elapsedMs);
    return network.halfOpenAtMs(client);
  };
  return { halfOpenAt, parts, failure: () => failure };
}

describe("a connection that nothing passes for a while", () => {
  it("is known to be half-open until the client gives it up, or delivers all of it", async () => {
    const kinds = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const watch = await watchThroughCut(seed);
      expect(await watch.halfOpenAt(40_000)).toBeUndefined();
      const isHalfOpen = (await watch.halfOpenAt(100_000)) !== undefined;
      kinds.add(isHalfOpen ? "half-open" : "sent again");
      expect(watch.parts).toEqual(isHalfOpen ? ["one\n"] : ["one\n", "two\n"]);
      const lastMs = await watch.halfOpenAt(400_000);
      if (!isHalfOpen) expect(lastMs).toBeUndefined();
      else expect(Math.round((lastMs ?? 0) / 1000)).toBe(unresponsiveMs / 1000);
    }
    expect([...kinds].sort()).toEqual(["half-open", "sent again"]);
  });
});
