// join/clusternet: serves the unmodified agents of Clusternet. Pure; the facts of its names are in
// model/dialects/clusternet.ts.
import type { JoinProtocol } from "../../join.ts";
import { credentialsBy } from "./credentials.ts";
import type { TokenCredentials } from "./token-credentials.ts";
import { accountCredentials, bootstrapCredentials } from "./token-credentials.ts";
import { lifecycleBy } from "./lifecycle.ts";
import { registrationBy } from "./registration.ts";
import { statusMirror } from "./status-mirror.ts";

/** The hub half of the protocol of Clusternet: what its controllers crrapprover and clusterlifecycle do. */
function protocolWith(credentials: TokenCredentials) {
  return {
    name: "clusternet",
    ...registrationBy(credentials),
    ...credentialsBy(credentials),
    ...lifecycleBy(credentials),
    ...statusMirror,
  } satisfies JoinProtocol;
}

/** Agents ask with tokens of accounts, which every API server can check. */
export const clusternetProtocol = protocolWith(accountCredentials);

/** Agents ask with bootstrap tokens of the form that kubeadm writes. */
export const clusternetBootstrapProtocol = protocolWith(bootstrapCredentials);
