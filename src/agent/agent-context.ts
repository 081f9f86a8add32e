import type { AgentDependencies } from "./agent-dependencies.ts";
import type { AgentSecrets } from "./agent-secrets.ts";
import type { AgentState } from "./agent-state.ts";
import type { HubLink } from "./hub-link.ts";

/** What every part of the agent works with. */
export interface AgentContext extends AgentDependencies {
  readonly state: AgentState;
  readonly secrets: AgentSecrets;
  readonly link: HubLink;
}
