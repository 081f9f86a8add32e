// A process of agents, which living.bench starts: it notifies its parent when each has joined, and answers how many calls each made.
import process from "node:process";
import type { JoiningAgent } from "./joining-agent.ts";
import { startAgent, stopAll } from "./joining-agent.ts";

/** What the parent asks for. */
export type AgentsRequest =
  | { readonly kind: "start"; readonly index: number; readonly values: string }
  | { readonly kind: "calls" }
  | { readonly kind: "stop" };

/** What it is sent. */
export type AgentsAnswer =
  | { readonly kind: "joined"; readonly index: number }
  /** Of each agent, in the order of their starts. */
  | { readonly kind: "calls"; readonly counts: readonly number[] };

const agents: JoiningAgent[] = [];
const tell = (answer: AgentsAnswer): void => void process.send?.(answer);

process.on("message", (request: AgentsRequest) => {
  if (request.kind === "calls") tell({ kind: "calls", counts: agents.map(({ countCalls }) => countCalls()) });
  else if (request.kind === "stop") void stopAll(agents).then(() => process.disconnect());
  else void start(request);
});

// Also when the parent ended without a word.
process.on("disconnect", () => process.exit());

async function start({ index, values }: Extract<AgentsRequest, { kind: "start" }>): Promise<void> {
  const agent = startAgent(index, values);
  agents.push(agent);
  await agent.whenJoined;
  tell({ kind: "joined", index });
}
