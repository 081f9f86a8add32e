import process from "node:process";
import { runAgentCommand } from "./commands/agent.ts";
import { agentOptions } from "../settings/agent-options.ts";
import { settingsFrom } from "../settings/settings.ts";

/** `rollcall agent` without the command line's parser, settings from the environment alone: what runs in a Pod. */
export async function runLeanAgent(signal: AbortSignal): Promise<number> {
  const settings = settingsFrom(agentOptions, "agent", { given: {}, environment: process.env });
  return runAgentCommand({ settings, environment: process.env, signal, stdout: process.stdout });
}
