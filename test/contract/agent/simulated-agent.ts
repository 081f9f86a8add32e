import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import type { RunningAgent } from "../../support/simulated-agent.ts";
import { startSimulatedAgent as startAgent } from "../../support/simulated-agent.ts";
import { collectingLog } from "./fleet-session.ts";
import type { LogLine } from "./fleet-session.ts";

export interface SimulatedAgent extends RunningAgent {
  readonly lines: readonly LogLine[];
  /** Resolves when it was admitted: true; or refused: false. */
  readonly result: Promise<boolean>;
}

export function startSimulatedAgent(values: AgentValues, cluster: { name: string; clientID: string }): SimulatedAgent {
  const lines: LogLine[] = [];
  let decide: (isIn: boolean) => void = () => undefined;
  const result = new Promise<boolean>((resolve) => (decide = resolve));
  const log = collectingLog(lines);
  const agent = startAgent({
    values,
    cluster,
    log: {
      ...log,
      info: (message, fields) => {
        log.info(message, fields);
        if (message === "joined the hub") decide(true);
      },
      error: (message, fields) => {
        log.error(message, fields);
        if (message === "the hub refused the registration") decide(false);
      },
    },
  });
  return { ...agent, lines, result };
}
