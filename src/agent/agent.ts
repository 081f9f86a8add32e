// agent: the process in a downstream cluster that answers for it. It joins the hub, sends heartbeats, reports, renews its
// credential, rolls itself to the version that the hub asks for, and leaves when it is told to.
import { describeError } from "../core/errors.ts";
import { createAgentSecrets } from "./agent-secrets.ts";
import type { AgentContext } from "./agent-context.ts";
import type { AgentDependencies } from "./agent-dependencies.ts";
import { createAgentState } from "./agent-state.ts";
import { startHealthServer } from "./health-server.ts";
import { HubLink } from "./hub-link.ts";
import { lead } from "./lead.ts";
import { standBy } from "./stand-by.ts";

/** Runs an agent until its signal is aborted. Failures are logged and tried again; nothing but a bug is thrown. */
export async function runAgent(dependencies: AgentDependencies): Promise<void> {
  const { settings, log, signal } = dependencies;
  const state = createAgentState();
  const secrets = createAgentSecrets(dependencies.downstreamApi, settings.namespace);
  const link = new HubLink(dependencies, secrets);
  const context: AgentContext = { ...dependencies, state, secrets, link };
  const health = settings.health === undefined ? undefined : await startHealthServer(settings.health, state);
  log.info("agent started", { version: settings.version, namespace: settings.namespace, healthPort: health?.port });
  try {
    const standingBy = standBy(context).catch((error: unknown) => {
      log.error("standing by ended", { error: describeError(error) });
    });
    await dependencies.runAsLeader((leaderSignal) => lead(context, leaderSignal), signal);
    await standingBy;
  } finally {
    await link.close();
    await health?.close();
    log.info("agent stopped");
  }
}
