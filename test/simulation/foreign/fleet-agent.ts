import { FleetAgentClient, readFleetValues } from "../../support/fleet-agent-client.ts";
import type { FleetCredential } from "../../support/fleet-agent-client.ts";
import { foreignPeriodSeconds } from "./agent-parts.ts";
import type { ForeignParts } from "./agent-parts.ts";
import { clientIdOf } from "./foreign-names.ts";

const retryMs = 60_000;
const firstBeatMs = 15_000;
const pollMs = 2000;
const answerWaitMs = 30 * 60_000;

/**
 * Rancher Fleet's agent: it tries the credential that it kept, and on any failure asks to join again, for which it needs the
 * values that it forgot when it joined. Once it works it sends heartbeats, whatever is answered.
 */
export async function runFleetAgent(parts: ForeignParts): Promise<never> {
  for (;;) {
    const client = await join(parts).catch(() => undefined);
    if (client !== undefined) return beat(parts, client);
    await parts.clock.sleep(retryMs);
  }
}

async function join(parts: ForeignParts): Promise<FleetAgentClient | undefined> {
  const { cluster, memory, send, holds } = parts;
  const [kept, installed] = [await memory.read("answer"), await memory.read("bootstrap")];
  const bootstrap = readFleetValues((installed ?? kept)?.["values"] ?? "");
  const client = new FleetAgentClient(bootstrap, { clientID: clientIdOf(cluster), send });
  if (kept !== undefined) {
    client.credential = kept as unknown as FleetCredential;
    holds(client.credential.token);
    if ((await client.listDeployments().catch(() => undefined))?.status === 200) return client;
  }
  if (installed === undefined || !(await client.register({}, { waitMs: answerWaitMs, pollMs }))) return undefined;
  const { credential } = client;
  if (credential === undefined) return undefined;
  holds(credential.token);
  // The address and its CA stay known.
  await memory.write("answer", { ...credential, values: installed["values"] ?? "" });
  await memory.forget("bootstrap");
  return client;
}

async function beat({ clock }: ForeignParts, client: FleetAgentClient): Promise<never> {
  await clock.sleep(firstBeatMs);
  for (;;) {
    await client.heartbeat().catch(() => undefined);
    client.calls.length = 0;
    await clock.sleep(foreignPeriodSeconds * 1000);
  }
}
