// agent: the process in a downstream cluster. It joins the hub, sends heartbeats, reports, renews its credential,
// updates itself to the version that the hub offers, and uninstalls itself on the hub's order.
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
