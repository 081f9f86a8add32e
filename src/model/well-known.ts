/** Names in objects: labels, annotations, field managers. One place, so that no two spellings exist. */

export const labelKeys = {
  /** `<namespace>.<name>` of the Repository that owns the object. */
  repository: "rollcall.dev/repository",
  /** The Cluster (by name, in the same workspace) that a child object belongs to. */
  cluster: "rollcall.dev/cluster",
  /** The ClusterRegistrationToken (by name, in the same workspace) that a child object belongs to. */
  token: "rollcall.dev/token",
  /** On an object outside the workspaces: the workspace of the Cluster or token that it belongs to. */
  ownerWorkspace: "rollcall.dev/owner-workspace",
  /** On an object that is published for other systems: workspace and name of the Cluster that it describes. */
  publishedWorkspace: "rollcall.dev/published-workspace",
  publishedCluster: "rollcall.dev/published-cluster",
  /** Marks a namespace that may hold clusters and tokens. */
  workspace: "rollcall.dev/workspace",
} as const;

export const annotationKeys = {
  /** `"true"` in a file: take over an object that exists already. A commit on a Repository: the status branch that is at it. */
  adopt: "rollcall.dev/adopt",
  /** `"disabled"` on an object: break-glass, reconcile leaves it alone, also when its file is deleted, unless it is a token. */
  reconcile: "rollcall.dev/reconcile",
  /** Asks for a run now; any new value. */
  requestedAt: "rollcall.dev/requested-at",
  /** `<blob id of the file, or - until the daemon fills it in>/<who>/<time>`: outranks git until that file changes. */
  revoked: "rollcall.dev/revoked",
  /** The commit that made a cluster leave. A leave runs only after this is set. */
  leave: "rollcall.dev/leave",
  /** `<workspace>/<name>` of the Cluster that takes this one's place: a rename or a move that is under way. */
  movedTo: "rollcall.dev/moved-to",
  /** On the agent's Pods: digest of what it reads only when it starts. They start anew when that changes. */
  installationDigest: "rollcall.dev/installation-digest",
  /** On the Secret of a token: digest of what the values are made of, but the credentials. They are made anew for another. */
  valuesDigest: "rollcall.dev/values-digest",
  /** `<commit> <count> <time>` on a Repository: lets withheld removals through. */
  approvedDeletions: "rollcall.dev/approved-deletions",
  /** RFC 3339, on a published Secret: since when it is to be removed, and waits for those that use it. */
  removingSince: "rollcall.dev/removing-since",
  /** `"true"` in a file: publish also a kubeconfig that belongs to Cluster API. */
  publishClusterApi: "rollcall.dev/publish-cluster-api-kubeconfig",
  /** On a definition: format of all that is kept on the hub. Absent: 1. A program refuses a higher one than it knows. */
  dataFormat: "rollcall.dev/data-format",
  sourceFile: "rollcall.dev/source-file",
  sourceLine: "rollcall.dev/source-line",
  sourceCommit: "rollcall.dev/source-commit",
  /** The names of the users who wrote the object, one a line, the last writer last; written by the API server alone. */
  writtenBy: "rollcall.dev/written-by",
  /** Which rule owns which label of a Cluster: JSON of key -> `workspace/name` or `name` of the ClusterLabels. */
  labelRules: "rollcall.dev/label-rules",
} as const;

export const fieldManagers = {
  /** What files declare. */
  git: "rollcall-git",
  /** What the hub decides. */
  hub: "rollcall-hub",
  /** What the publisher reports of what it published. */
  publisher: "rollcall-publisher",
  /** What a person sets by command. */
  operator: "rollcall-operator",
  /** What an agent reports. */
  agent: "rollcall-agent",
  /** For how long the hub was watched. */
  watch: "rollcall-watch",
} as const;

/** Label prefixes that an agent may never set, subdomains included. */
const reservedLabelPrefixes = [
  "rollcall.dev",
  "kubernetes.io",
  "k8s.io",
  "x-k8s.io",
  "cattle.io",
  "kubernetes-fleet.io",
  "clusternet.io",
] as const;

/** True when the label key's prefix is one of {@link reservedLabelPrefixes} or a subdomain of one. */
export function isReservedLabelKey(key: string): boolean {
  const slash = key.indexOf("/");
  if (slash < 0) return false;
  const prefix = key.slice(0, slash).toLowerCase();
  return reservedLabelPrefixes.some((reserved) => prefix === reserved || prefix.endsWith(`.${reserved}`));
}
