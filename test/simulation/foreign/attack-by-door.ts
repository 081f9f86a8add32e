import { parse } from "yaml";
import { textAt } from "../../../src/core/read-json.ts";
import { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import { FleetAgentClient, readFleetValues } from "../../support/fleet-agent-client.ts";
import { workspace } from "../daemon-process.ts";
import { simulatedCaPem } from "../hub-process.ts";
import type { Intent } from "../intent.ts";
import type { World } from "../world.ts";
import { sendOver } from "./agent-parts.ts";
import { clientIdOf, doorOf, foreignOf } from "./foreign-names.ts";
import { foreignValuesFor } from "./foreign-process.ts";

/**
 * One who holds what a cluster's agent joins with asks with an id of his own: by Fleet's token for a cluster that no file declares,
 * by Clusternet's for that cluster.
 */
export async function attackByDoor(
  { world, intent }: { readonly world: World; readonly intent: Intent },
  victim: string,
): Promise<void> {
  const protocol = foreignOf(victim);
  const door = protocol && doorOf(protocol);
  if (protocol === undefined || door === undefined) return;
  const values = await foreignValuesFor(world, victim, protocol);
  const send = sendOver(world.network.transport(world.people, world.hub));
  const intruder = clientIdOf(`${protocol}-intruder`);
  intent.forged.set(intruder, protocol === "fleet" ? intruder : victim);
  if (protocol === "fleet") {
    await new FleetAgentClient(readFleetValues(values), { clientID: intruder, send }).ask();
    return;
  }
  const labels = { "rollcall.dev/workspace": workspace, "rollcall.dev/token": door };
  const said = { server: world.hub.url, ca: simulatedCaPem, clusterId: intruder, clusterName: victim, labels, send };
  await new ClusternetAgentClient({ ...said, token: textAt(parse(values), "registrationToken") ?? "" }).ask();
}
