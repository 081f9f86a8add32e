import type { ClusterDefaults } from "./generated/cluster-defaults.ts";
import type { ClusterGroup } from "./generated/cluster-group.ts";
import type { ClusterLabels } from "./generated/cluster-labels.ts";
import type { ClusterRegistrationToken } from "./generated/cluster-registration-token.ts";
import type { Cluster } from "./generated/cluster.ts";
import type { Policy } from "./generated/policy.ts";
import type { KubeObject } from "./kubernetes.ts";
import type { SourcePosition } from "./source.ts";

/** An object together with the place that declares it. */
export interface Declared<T> {
  /** metadata.namespace is filled in: the file's, or the repository's default workspace. */
  readonly object: T;
  readonly position: SourcePosition;
  readonly blobId: string;
}

/** The content of a commit, with each file checked, combined. Rules without a namespace apply in all workspaces. */
export interface DeclaredFleet {
  readonly clusters: readonly Declared<Cluster>[];
  readonly tokens: readonly Declared<ClusterRegistrationToken>[];
  readonly groups: readonly Declared<ClusterGroup>[];
  readonly labelRules: readonly Declared<ClusterLabels>[];
  readonly defaultRules: readonly Declared<ClusterDefaults>[];
  readonly policies: readonly Declared<Policy>[];
  /** Decrypted Secrets. Never printed, never diffed in clear. */
  readonly secrets: readonly Declared<KubeObject>[];
  /** Objects of foreign kinds as their files declare them. Those of Fleet are among clusters, tokens and groups too. */
  readonly foreignObjects: readonly Declared<KubeObject>[];
}

/** A fleet that declares nothing. */
export const emptyFleet: DeclaredFleet = {
  clusters: [],
  tokens: [],
  groups: [],
  labelRules: [],
  defaultRules: [],
  policies: [],
  secrets: [],
  foreignObjects: [],
};
