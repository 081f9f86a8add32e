import { parse } from "yaml";
import { textAt } from "../../../src/core/read-json.ts";
import { readTokenFlags } from "../../../src/join/clusternet/manifests/agent-flags.ts";
import { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import { foreignPeriodSeconds } from "./agent-parts.ts";
import type { ForeignParts } from "./agent-parts.ts";
import { clientIdOf } from "./foreign-names.ts";

const lookMs = 5000;
const retryMs = 10_000;
/** A person finds the cluster missing, and restarts the agent. */
const restartedAfterMs = 5 * 60_000;

/**
 * Clusternet's agent: it asks once more with the answer that it kept; where that is refused it asks with what it was installed
 * with, for good: it does not come back to the answer that it kept before it is restarted, which a person does. It looks until it
 * is approved, whatever else the answer has, and sends heartbeats from then on.
 */
export async function runClusternetAgent(parts: ForeignParts): Promise<void> {
  const { memory, clock, holds } = parts;
  const kept = await reading("answer");
  let hasKept = kept?.["token"] !== undefined;
  const endMs = clock.nowMs() + restartedAfterMs;
  while (hasKept || kept === undefined || clock.nowMs() < endMs) {
    const client = clientOf(parts, (await reading("bootstrap"))?.["values"] ?? "");
    if (hasKept && kept !== undefined) {
      client.answer = { token: kept["token"] ?? "", namespace: kept["namespace"] ?? "" };
      holds(client.answer.token);
      if (await client.restart().catch(() => undefined)) return beat(parts, client);
      hasKept = false;
    } else if (await isLetIn(client).catch(() => false)) {
      holds(client.answer?.token ?? "");
      await memory.write("answer", { ...client.answer }).catch(() => undefined);
      return beat(parts, client);
    }
    await clock.sleep(retryMs);
  }

  async function reading(name: "answer" | "bootstrap"): Promise<Record<string, string> | undefined> {
    for (;;) {
      const failed = {};
      const read = await memory.read(name).catch(() => failed);
      if (read !== failed) return read;
      await clock.sleep(lookMs);
    }
  }

  async function isLetIn(client: ClusternetAgentClient): Promise<boolean> {
    const asked = await client.ask();
    if (asked.status !== 201 && asked.status !== 409) return false;
    for (let looks = 0; looks < 6; looks++) {
      await clock.sleep(lookMs);
      if (await client.look()) return true;
    }
    return false;
  }
}

async function beat({ clock }: ForeignParts, client: ClusternetAgentClient): Promise<void> {
  for (;;) {
    await client.heartbeat().catch(() => undefined);
    client.calls.length = 0;
    await clock.sleep(foreignPeriodSeconds * 1000);
  }
}

function clientOf({ cluster, server, caPem: ca, send }: ForeignParts, text: string): ClusternetAgentClient {
  const values: unknown = parse(text);
  const flags = { "cluster-labels": textAt(values, "extraArgs", "cluster-labels") ?? "", "cluster-reg-name": cluster };
  const { workspace = "", tokenName = "" } = readTokenFlags(flags) ?? {};
  const labels = { "rollcall.dev/workspace": workspace, "rollcall.dev/token": tokenName };
  const token = textAt(values, "registrationToken") ?? "";
  const said = { server, ca, token, clusterId: clientIdOf(cluster), clusterName: cluster, labels, send };
  return new ClusternetAgentClient(said);
}
