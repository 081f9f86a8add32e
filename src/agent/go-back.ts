import { withPredecessor } from "../join/rollcall/downstream/membership.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { AgentContext } from "./agent-context.ts";
import { isCredentialProblem } from "./retry.ts";

/**
 * Restores the previous membership after a cancelled move. The hub must accept its recovery credential first, because the
 * present membership is lost then. False when there is no previous membership, or the hub refuses its credential.
 */
export async function goBack(
  { secrets, link, log }: Pick<AgentContext, "secrets" | "link" | "log">,
  signal: AbortSignal,
): Promise<boolean> {
  const former = secrets.identity && withPredecessor(secrets.identity);
  if (former?.membership === undefined) return false;
  const { workspace, membership } = former;
  const report = { type: resourceTypes.clusterReport, namespace: workspace, name: membership.clusterName };
  const { api, close } = link.bootstrap(former, membership.recoveryToken);
  try {
    await api.get(report, { signal });
  } catch (error) {
    if (!isCredentialProblem(error)) throw error;
    return false;
  } finally {
    await close();
  }
  await secrets.changeIdentity((held) => (held && withPredecessor(held)) ?? former, signal);
  log.warn("going back to what this cluster was", { cluster: membership.clusterName, workspace });
  return true;
}
