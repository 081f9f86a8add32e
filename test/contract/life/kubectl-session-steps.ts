/** One thing that a reader of the source documents types, and what shows it afterwards. */
export interface KubectlStep {
  /** Of the sheet of the source documents. */
  readonly row: number;
  /** WORKSPACE and UNIQUE are placeholders for names of the run. */
  readonly types: string;
  /** Name of the object that Events are about. */
  readonly about: string;
  /** Reasons of the Events that come of it, by mode. */
  readonly tells: Readonly<Record<"Ignore" | "Propose" | "Commit", readonly string[] | undefined>>;
}

const own = "rollcall.dev/v1alpha1";

function apply(object: object): string {
  return `kubectl apply -f - <<'EOF'\n${JSON.stringify(object)}\nEOF`;
}

const fleet = "fleet.cattle.io/v1alpha1";
const created = { Ignore: ["NotInGit"], Propose: ["Proposed"], Commit: ["Committed"] } as const;
const changed = { Ignore: ["EditedOnHub"], Propose: ["Proposed"], Commit: ["Committed"] } as const;
const deleted = {
  Ignore: ["CreatedAgain"],
  Propose: ["CreatedAgain", "Proposed"],
  Commit: ["CreatedAgain", "Committed"],
} as const;

/** What git declares before a person types. */
export const declaredFiles: Readonly<Record<string, string>> = {
  "clusters/eu-1.yaml": JSON.stringify({ apiVersion: own, kind: "Cluster", metadata: { name: "eu-1" }, spec: {} }),
  "clusters/edge.yaml": JSON.stringify({
    apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
    kind: "MemberCluster",
    metadata: { name: "edge-UNIQUE" },
    spec: { identity: { kind: "User", name: "edge", apiGroup: "rbac.authorization.k8s.io" } },
  }),
  "tokens/door.yaml": JSON.stringify({
    apiVersion: fleet,
    kind: "ClusterRegistrationToken",
    metadata: { name: "door", namespace: "WORKSPACE" },
    spec: { ttl: "240h" },
  }),
};

export const kubectlSteps: readonly KubectlStep[] = [
  {
    row: 9,
    types: apply({
      apiVersion: fleet,
      kind: "ClusterRegistrationToken",
      metadata: { name: "new-token", namespace: "WORKSPACE" },
      spec: { ttl: "240h" },
    }),
    about: "new-token",
    tells: created,
  },
  {
    row: 29,
    types: apply({
      apiVersion: fleet,
      kind: "Cluster",
      metadata: { name: "my-cluster", namespace: "WORKSPACE" },
      spec: { clientID: "really-random" },
    }),
    about: "my-cluster",
    tells: created,
  },
  {
    row: 38,
    types: apply({
      apiVersion: fleet,
      kind: "Cluster",
      metadata: { name: "by-kubeconfig", namespace: "WORKSPACE", labels: { demo: "true", env: "dev" } },
      spec: { kubeConfigSecret: "my-cluster-kubeconfig" },
    }),
    about: "by-kubeconfig",
    tells: created,
  },
  {
    row: 63,
    types: apply({
      apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
      kind: "MemberCluster",
      metadata: { name: "new-UNIQUE" },
      spec: {
        identity: { name: "new-hub-cluster-access", kind: "ServiceAccount", namespace: "fleet-system", apiGroup: "" },
        heartbeatPeriodSeconds: 60,
      },
    }),
    about: "new-UNIQUE",
    tells: created,
  },
  {
    row: 77,
    types: "kubectl label membercluster edge-UNIQUE env=dev",
    about: "edge-UNIQUE",
    tells: changed,
  },
  {
    row: 79,
    types: `kubectl patch membercluster edge-UNIQUE --type=merge -p '{"spec":{"heartbeatPeriodSeconds":30}}'`,
    about: "edge-UNIQUE",
    tells: changed,
  },
  {
    row: 94,
    types: apply({
      apiVersion: "clusters.clusternet.io/v1beta1",
      kind: "ManagedCluster",
      metadata: { name: "managed", namespace: "WORKSPACE" },
      spec: { clusterId: "dc91021d-2361-4f6d-a404-7c33b9e01118", clusterType: "EdgeCluster", syncMode: "Dual" },
    }),
    about: "managed",
    tells: created,
  },
  {
    row: 95,
    types: apply({
      apiVersion: own,
      kind: "ClusterRegistrationToken",
      metadata: { name: "own-token", namespace: "WORKSPACE" },
      spec: { ttl: "240h" },
    }),
    about: "own-token",
    tells: created,
  },
  {
    row: 95,
    types: apply({
      apiVersion: own,
      kind: "Cluster",
      metadata: { name: "own-cluster", namespace: "WORKSPACE" },
      spec: {},
    }),
    about: "own-cluster",
    tells: created,
  },
  {
    row: 96,
    types: "kubectl -n WORKSPACE label clusters.rollcall.dev eu-1 site=x",
    about: "eu-1",
    tells: changed,
  },
  {
    row: 14,
    types: "kubectl -n WORKSPACE delete clusterregistrationtokens.fleet.cattle.io door",
    about: "door",
    tells: deleted,
  },
  {
    row: 69,
    types: "kubectl delete membercluster edge-UNIQUE",
    about: "edge-UNIQUE",
    tells: deleted,
  },
];
