import type { ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

/** One kind of object that the hub keeps, and what becomes of it when a user deletes it. */
export interface HandDeletion {
  readonly object: string;
  readonly outcome: string;
  readonly type: ResourceType;
  /** Of the object, given the name of the cluster and the number of its working credential. */
  readonly nameOf: (cluster: string, credential: number) => string;
  /** Whose it is: a cluster with a file, one that joined by a token without one, or the token. */
  readonly owner: "declared" | "newcomer" | "token";
  /** The agent has to be given another working credential. */
  readonly isRenewed?: boolean;
  /** The values in the token's Secret become others. */
  readonly changesValues?: boolean;
  /** The object is not created again by itself. */
  readonly isLost?: boolean;
}

const {
  cluster,
  clusterRegistrationToken,
  clusterReport,
  configMap,
  lease,
  role,
  roleBinding,
  secret,
  serviceAccount,
} = resourceTypes;
const working = (name: string) => `rollcall-${name}`;
const recovery = (name: string) => `rollcall-${name}.recovery`;
const account = () => "rollcall.token.door";

/** In the order in which they are tried: what the next one needs comes after it. The table of docs/life-of-a-cluster.md is made of these. */
export const handDeletions: readonly HandDeletion[] = [
  {
    object: "`Cluster` that a file declares",
    outcome: "created again as the file declares it; the agent is not affected",
    type: cluster,
    nameOf: (name) => name,
    owner: "declared",
  },
  {
    object: "`Cluster` that was registered without a file",
    outcome: "created again from the member state, with its labels; the agent is not affected",
    type: cluster,
    nameOf: (name) => name,
    owner: "newcomer",
  },
  {
    object: "ConfigMap `rollcall-agent-<name>` (the agent's manifest)",
    outcome: "created again",
    type: configMap,
    nameOf: (name) => `rollcall-agent-${name}`,
    owner: "declared",
  },
  {
    object: "Lease `rollcall-<name>`",
    outcome: "created again; the agent's next heartbeat renews it",
    type: lease,
    nameOf: working,
    owner: "declared",
  },
  {
    object: "`ClusterReport`",
    outcome: "created again; the agent writes its whole report again",
    type: clusterReport,
    nameOf: (name) => name,
    owner: "declared",
  },
  {
    object: "Role `rollcall-<name>`",
    outcome: "created again; the agent is refused until then and retries",
    type: role,
    nameOf: working,
    owner: "declared",
  },
  {
    object: "RoleBinding `rollcall-<name>`",
    outcome: "the same",
    type: roleBinding,
    nameOf: working,
    owner: "declared",
  },
  {
    object: "Secret `rollcall-<name>.<n>` (a working credential)",
    outcome: "that credential is revoked; the agent gets the next one by its recovery credential",
    type: secret,
    nameOf: (name, credential) => `rollcall-${name}.${credential}`,
    owner: "declared",
    isRenewed: true,
    isLost: true,
  },
  {
    object: "ServiceAccount `rollcall-<name>`",
    outcome: "created again; its tokens are revoked, and the agent gets the next one by its recovery credential",
    type: serviceAccount,
    nameOf: working,
    owner: "declared",
    isRenewed: true,
  },
  {
    object: "Role, RoleBinding `rollcall-<name>.recovery`",
    outcome: "created again",
    type: role,
    nameOf: recovery,
    owner: "declared",
  },
  {
    object: "ServiceAccount `rollcall-<name>.recovery`, and its Secret",
    outcome:
      "created again; the agent gets the new recovery credential with its next working one. An agent that is away for longer than its working credential is valid needs a token's values again",
    type: serviceAccount,
    nameOf: recovery,
    owner: "declared",
  },
  {
    object: "Secret of a token (its values)",
    outcome:
      "created again with another proof key: values that were handed out before are refused; joined clusters stay joined",
    type: secret,
    nameOf: () => "door",
    owner: "token",
    changesValues: true,
  },
  {
    object: "Secret `rollcall.token.<token>.bound` (a token's credential)",
    outcome: "the values get a new credential; values that were handed out before are refused",
    type: secret,
    nameOf: () => `${account()}.bound`,
    owner: "token",
    changesValues: true,
  },
  {
    object: "ServiceAccount `rollcall.token.<token>`",
    outcome: "created again; the values get a new credential",
    type: serviceAccount,
    nameOf: account,
    owner: "token",
    changesValues: true,
  },
  {
    object: "Role, RoleBinding `rollcall.token.<token>`",
    outcome: "created again",
    type: roleBinding,
    nameOf: account,
    owner: "token",
  },
  {
    object: "`ClusterRegistrationToken`",
    outcome:
      "created again as the file declares it, with new values; its `ttl` starts again; registrations recorded in member states still count",
    type: clusterRegistrationToken,
    nameOf: () => "door",
    owner: "token",
    changesValues: true,
  },
];
