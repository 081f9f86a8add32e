import type { Member } from "../../model/member.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { notServedStatus } from "../../planning/not-served.ts";
import { reportTransitions } from "../events.ts";
import type { HubPorts } from "../hub-ports.ts";
import type { WriterPorts } from "../hub-writer.ts";
import { createHubWriter } from "../hub-writer.ts";

/** Reports in the status of a member that the daemon does not serve its protocol; nothing else is done for it. */
export async function reportNotServed(
  ports: WriterPorts & Pick<HubPorts, "hubFacts" | "events">,
  member: Member,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, workspace: namespace, name } = member;
  const status = notServedStatus(member, ports.hubFacts());
  const ref = { type: resourceTypes.cluster, namespace, name };
  if (!(await createHubWriter(ports, signal).applyStatus({ ref, status }, cluster))) return;
  for (const event of reportTransitions(cluster, cluster.status?.conditions, status.conditions ?? []))
    ports.events.record(event);
}
