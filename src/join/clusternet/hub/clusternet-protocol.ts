// join/clusternet: serves the unmodified agents of Clusternet. Pure; the facts of its names are in
// model/dialects/clusternet.ts.
import type { JoinProtocol } from "../../join.ts";
import { credentialsBy } from "./credentials.ts";
import type { Doors } from "./doors.ts";
import { accountDoors, bootstrapDoors } from "./doors.ts";
import { lifecycleBy } from "./lifecycle.ts";
import { registrationBy } from "./registration.ts";
import { statusMirror } from "./status-mirror.ts";

/** The hub half of the protocol of Clusternet: what its controllers crrapprover and clusterlifecycle do. */
function protocolWith(doors: Doors) {
  return {
    name: "clusternet",
    ...registrationBy(doors),
    ...credentialsBy(doors),
    ...lifecycleBy(doors),
    ...statusMirror,
  } satisfies JoinProtocol;
}

/** Agents ask with tokens of accounts, which every API server can check. */
export const clusternetProtocol = protocolWith(accountDoors);

/** Agents ask with bootstrap tokens of the form that kubeadm writes. */
export const clusternetBootstrapProtocol = protocolWith(bootstrapDoors);
