import type { Proposal } from "../model/proposal.ts";
import { labelKeys } from "../model/well-known.ts";
import { decideRegistration } from "./decide-registration.ts";
import type { HubPorts } from "./hub-ports.ts";
import { compareAge } from "./list-registrations.ts";

/**
 * Every request to join that waits for a file, oldest first, of tokens that belong to one Repository. It neither
 * decides nor writes: it returns the current decision of the controllers.
 */
export function pendingProposals(
  ports: Pick<HubPorts, "view" | "protocols" | "hubFacts">,
  repositoryLabel: string,
): Proposal[] {
  const { view } = ports;
  const proposals: Proposal[] = [];
  for (const { registrations: kind } of ports.protocols.values()) {
    for (const registration of [...view.list(kind.type)].sort(compareAge)) {
      const { name, deletionTimestamp } = registration.metadata;
      const workspace = kind.workspaceOf(registration);
      const token = kind.tokenNameOf(registration);
      if (token === undefined || deletionTimestamp !== undefined || kind.isDecided(registration)) continue;
      const owner = view.tokenOf(workspace, token)?.token;
      if (owner?.spec?.approval !== "PullRequest") continue;
      if (owner.metadata.labels?.[labelKeys.repository] !== repositoryLabel) continue;
      const decision = decideRegistration(ports, kind, { registration, members: view.membersOf(workspace) });
      if (decision.kind === "proposal")
        proposals.push({ workspace, registration: name, token, cluster: decision.cluster });
    }
  }
  return proposals;
}
