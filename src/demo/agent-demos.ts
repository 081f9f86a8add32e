import type { ForeignProtocolName } from "../daemon/foreign-protocols.ts";
import type { AgentDemo } from "./agent-demo.ts";
import { clusternetAgentDemo } from "./up-agent-clusternet.ts";
import { fleetAgentDemo } from "./up-agent-fleet.ts";
import { kubefleetAgentDemo } from "./up-agent-kubefleet.ts";

/** How `rollcall up --protocol` runs the agents of each foreign protocol. */
export const agentDemos: Readonly<Record<ForeignProtocolName, AgentDemo>> = {
  fleet: fleetAgentDemo,
  kubefleet: kubefleetAgentDemo,
  clusternet: clusternetAgentDemo,
};
