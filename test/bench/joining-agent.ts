// One of many agents in a process.
import { silentLog } from "../../src/core/log.ts";
import { startSimulatedAgent } from "../support/simulated-agent.ts";

export interface JoiningAgent {
  readonly stop: () => Promise<void>;
  /** When it had its credential, by `performance.now`. */
  readonly whenJoined: Promise<number>;
  /** Its calls of the hub so far. */
  readonly countCalls: () => number;
}

export function startAgent(index: number, values: string): JoiningAgent {
  const noted = { joined: (_atMs: number): void => undefined };
  const whenJoined = new Promise<number>((resolve) => (noted.joined = resolve));
  const { hubApis, stop } = startSimulatedAgent({
    values: JSON.parse(values) as object,
    cluster: { name: `edge-${index}`, clientID: `client-${index}` },
    log: {
      ...silentLog,
      info: (message) => {
        if (message === "joined the hub") noted.joined(performance.now());
      },
    },
  });
  const countCalls = (): number =>
    hubApis.flatMap(({ requestCounts }) => [...requestCounts.values()]).reduce((sum, count) => sum + count, 0);
  return { whenJoined, countCalls, stop };
}

export async function stopAll(agents: readonly JoiningAgent[]): Promise<void> {
  await Promise.all(agents.map(({ stop }) => stop()));
}
