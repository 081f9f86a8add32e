import { runAgent } from "../../agent/agent.ts";
import type { CommandContext } from "./command-context.ts";
import { wireAgent } from "../../agent-process/wire-agent.ts";

/** `rollcall agent`: runs until it is stopped. */
export async function runAgentCommand(
  context: Pick<CommandContext, "environment" | "settings" | "signal" | "stdout">,
): Promise<number> {
  const { environment, settings, signal, stdout } = context;
  const dependencies = await wireAgent({
    environment,
    logLevel: settings.text("log-level") ?? "info",
    write: (line) => void stdout.write(line),
    signal,
  });
  try {
    await runAgent(dependencies);
  } finally {
    await dependencies.downstreamApi.close();
  }
  return 0;
}
