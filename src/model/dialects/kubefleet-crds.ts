import { kubefleetCrds } from "../generated/kubefleet-crds.ts";
import type { KubeObject } from "../kubernetes.ts";

const memberDefinition = "appliedworks.placement.kubernetes-fleet.io";

/** What a hub needs to serve KubeFleet's agents. */
export const kubefleetHubCrds: readonly KubeObject[] = kubefleetCrds.filter(
  ({ metadata }) => metadata.name !== memberDefinition,
);

/** What a member needs: its agent ends at once without it. */
export const kubefleetMemberCrds: readonly KubeObject[] = kubefleetCrds.filter(
  ({ metadata }) => metadata.name === memberDefinition,
);
