import type { Json, JsonObject } from "../../src/core/json.ts";
import { isJsonObject } from "../../src/core/json.ts";
import { seededRandom } from "./seeded-random.ts";

const id = "0d4f1f5e-2b5f-4f0f-9f55-6f0a8a3b1c11";
const term = { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] };
const podTerm = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "a" } } };
const metadata = { name: "a-1", labels: { env: "prod" }, annotations: { "example.com/owner": "team a" } };
const taints = [{ key: "example.com/a", value: "b", effect: "NoSchedule" }];

/** One example of each kind that files of a repository declare and a hub holds, with nearly every field. */
const examples: readonly JsonObject[] = [
  example("fleet.cattle.io/v1alpha1", "Cluster", {
    paused: false,
    clientID: "some-id",
    kubeConfigSecret: "kubeconfig",
    redeployAgentGeneration: 2,
    agentNamespace: "cattle-fleet-system",
    privateRepoURL: "registry.example.com",
    templateValues: { a: { b: [1, "c"] } },
    hostNetwork: true,
    agentEnvVars: [
      { name: "A", value: "b" },
      { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
    ],
    agentTolerations: [{ key: "a", operator: "Equal", value: "b", effect: "NoExecute", tolerationSeconds: 30 }],
    agentAffinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: term }],
      },
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [podTerm] },
    },
    agentResources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: 1 } },
    agentPullSecrets: [{ name: "pull" }],
    agentSchedulingCustomization: {
      priorityClass: { value: 1000, preemptionPolicy: "Never" },
      podDisruptionBudget: { maxUnavailable: "1" },
    },
  }),
  example("fleet.cattle.io/v1alpha1", "ClusterRegistrationToken", { ttl: "240h" }),
  example("fleet.cattle.io/v1alpha1", "ClusterGroup", {
    selector: { matchLabels: { env: "prod" }, matchExpressions: [{ key: "region", operator: "In", values: ["eu"] }] },
  }),
  ...["v1beta1", "v1"].map((version) =>
    example(`cluster.kubernetes-fleet.io/${version}`, "MemberCluster", {
      identity: { kind: "ServiceAccount", name: "agent", namespace: "fleet-system", apiGroup: "" },
      heartbeatPeriodSeconds: 60,
      taints,
      ...(version === "v1" ? {} : { deleteOptions: { validationMode: "Skip" } }),
    }),
  ),
  example("clusters.clusternet.io/v1beta1", "ManagedCluster", {
    clusterId: id,
    clusterType: "EdgeCluster",
    syncMode: "Dual",
    clusterInitBaseName: "base",
    taints,
  }),
  {
    ...example("clusters.clusternet.io/v1beta1", "ClusterRegistrationRequest", {
      clusterId: id,
      clusterType: "EdgeCluster",
      syncMode: "Pull",
      clusterName: "edge-1",
      clusterNamespace: "clusternet-abc",
      clusterLabels: { env: "prod" },
    }),
    metadata: { ...metadata, name: `clusternet-${id}` },
  },
  example("rollcall.dev/v1alpha1", "Cluster", {
    displayName: "Europe",
    protocol: "rollcall",
    clientID: "some-id",
    heartbeat: { periodSeconds: 60, failureThreshold: 3 },
    taints,
    deletionGracePeriod: "90s",
    agent: {
      env: [{ name: "A", value: "b" }],
      resources: { requests: { cpu: "100m" } },
      tolerations: [{ key: "a", operator: "Exists" }],
      nodeSelector: { disk: "ssd" },
    },
  }),
  example("rollcall.dev/v1alpha1", "ClusterRegistrationToken", {
    ttl: "24h",
    maxRegistrations: 2,
    clusterNames: ["edge-*"],
    clusterLabels: { env: "prod" },
    agentLabels: ["zone"],
    approval: "Automatic",
  }),
  example("rollcall.dev/v1alpha1", "ClusterGroup", {
    selector: { names: ["eu-*"], matchExpressions: [{ key: "region", operator: "NotIn", values: ["eu"] }] },
  }),
];

/** What edges look like: sizes, signs, formats, durations, amounts, label values, templates. */
const edges: readonly Json[] = [
  ...[
    "",
    "a-",
    "-a",
    "A",
    "a..b",
    "a b",
    "ä",
    "a/b",
    "a/b/c",
    "0",
    "10d",
    "1h",
    "1.h",
    "-1h",
    "9999999h",
    "99999999999999999h",
  ],
  ...[
    "a".repeat(30),
    "a".repeat(63),
    "a".repeat(64),
    "a".repeat(254),
    `${"a".repeat(254)}/b`,
    "1Gi",
    "1x",
    "1e3",
    "-1",
    ".5",
  ],
  ...[
    "NoSchedule",
    "noschedule",
    "In",
    "Exists",
    "in",
    "Strict",
    id,
    id.slice(1),
    "$NAME",
    "<name>",
    "{{ .Values.x }}",
  ],
  ...["2026-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "true", "1"],
  ...[0, 1, -1, 0.5, 599, 600, 601, 2147483647, 2147483648, -2147483649, 9007199254740991, 1e30],
  ...[true, false, null, [], {}, [null], [""], [{}], { a: "b" }, { a: null }, { "a-": "b" }],
];
const names = [
  "labels",
  "matchLabels",
  "spec",
  "metadata",
  "name",
  "extra",
  "value",
  "key",
  "taints",
  "finalizers",
  "generateName",
];
const keys = [
  "a",
  "a-",
  "a..b/c",
  "-a/b",
  "A.b/c",
  `${"a".repeat(254)}/b`,
  "a".repeat(64),
  "kubernetes.io/x",
  "example.com/x",
  "",
];

/** Documents, each with one to three random mistakes (or none that matter); the same for the same seed. */
export function* mutatedDocuments(count: number, seed: number): Generator<JsonObject> {
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];

  function mutate(value: Json): Json {
    if (Array.isArray(value) && value.length > 0 && random() < 0.85) {
      const list = [...(value as readonly Json[])];
      const at = Math.floor(random() * list.length);
      if (random() < 0.1) return [...list, list[at] ?? null];
      list[at] = mutate(list[at] ?? null);
      return list;
    }
    if (isJsonObject(value) && Object.keys(value).length > 0 && random() < 0.93) return mutateMap(value);
    return pick(edges) ?? null;
  }

  function mutateMap(map: JsonObject): JsonObject {
    const key = pick(Object.keys(map)) ?? "";
    const deed = random();
    const { [key]: part = null, ...rest } = map;
    if (deed < 0.7) return { ...map, [key]: mutate(part) };
    if (deed < 0.78) return { ...rest, [misspelt(key)]: part };
    if (deed < 0.84) return rest;
    if (deed < 0.9) return { ...map, [pick(names) ?? ""]: pick(edges) ?? null };
    if (deed < 0.95) return { ...map, [pick(keys) ?? ""]: pick(edges) ?? null };
    return { ...map, [key]: random() < 0.5 ? [part] : { [key]: part } };
  }

  function misspelt(key: string): string {
    const at = Math.floor(random() * key.length);
    const forms = [
      key.slice(0, at) + key.slice(at + 1),
      key.toLowerCase(),
      key.slice(0, 1).toUpperCase() + key.slice(1),
      `${key}s`,
    ];
    return pick(forms) ?? key;
  }

  for (let made = 0; made < count; made++) {
    let document = examples[made % examples.length] ?? {};
    for (let mistakes = Math.floor(random() * 3); mistakes >= 0; mistakes--) {
      const part = pick(["metadata", "spec", "spec", "spec"]) ?? "spec";
      const mutated = random() < 0.02 ? mutateMap(document) : { ...document, [part]: mutate(document[part] ?? {}) };
      document = { ...mutated, apiVersion: document["apiVersion"] ?? "", kind: document["kind"] ?? "" };
    }
    yield document;
  }
}

function example(apiVersion: string, kind: string, spec: JsonObject): JsonObject {
  return { apiVersion, kind, metadata, spec };
}
