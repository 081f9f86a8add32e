import { agentOfRequest } from "./invariants/agent-of-request.ts";
import type { Member } from "./member-clusters.ts";
import type { World } from "./world.ts";

/** The name of the cluster by which its agent works: that of the credential that it used last. Before, its first name. */
export function nameOnHub(world: Pick<World, "lastCredentialOf" | "foreignSubjects">, { agent, name }: Member): string {
  return agentOfRequest({ headers: { authorization: world.lastCredentialOf(agent) ?? "" } }, world) ?? name;
}
