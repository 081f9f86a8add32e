import { KubefleetAgentClient } from "../../support/kubefleet-agent-client.ts";
import { foreignPeriodSeconds } from "./agent-parts.ts";
import type { ForeignParts } from "./agent-parts.ts";

const lookMs = 10_000;

/**
 * KubeFleet's member agent: it reads its token again each minute, sends heartbeats while the hub wants it to be joined, and reports
 * once that it has left.
 */
export async function runKubefleetAgent(parts: ForeignParts): Promise<never> {
  const { memory, clock } = parts;
  let said: "Joined" | "Left" | undefined;
  for (;;) {
    const token = (await memory.read("bootstrap").catch(() => undefined))?.["values"];
    if (token !== undefined) said = await live(clientOf(parts, token), said).catch(() => said);
    else await clock.sleep(lookMs);
  }

  /** One period. Resolves with the last report to the hub. */
  async function live(client: KubefleetAgentClient, before: typeof said): Promise<typeof said> {
    let told = before;
    if (before === undefined) await client.start();
    for (let waitedMs = 0; waitedMs < foreignPeriodSeconds * 1000; waitedMs += lookMs) {
      const state = await client.state().catch(() => undefined);
      if (state === "Leave" && told !== "Left" && (await isReported(client, "False"))) told = "Left";
      if (state === "Join" && (waitedMs === 0 || told !== "Joined") && (await isReported(client, "True")))
        told = "Joined";
      await clock.sleep(lookMs);
    }
    return told;
  }
}

async function isReported(client: KubefleetAgentClient, joined: "True" | "False"): Promise<boolean> {
  const answered = await client.heartbeat({ joined }).catch(() => undefined);
  return answered?.status === 200;
}

function clientOf({ cluster: clusterName, server, caPem: ca, send, holds }: ForeignParts, token: string) {
  holds(token);
  return new KubefleetAgentClient({ server, ca, token, clusterName, send });
}
