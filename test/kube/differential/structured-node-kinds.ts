import type { JsonObject } from "../../../src/core/json.ts";
import type { StructuredKind } from "./structured-workloads.ts";

function named(group: string, kind: string, plural: string, content: JsonObject): StructuredKind {
  return { apiVersion: `${group}/v1`, kind, collection: `/apis/${group}/v1/${plural}`, content };
}

/** Kinds without a namespace of what nodes run and store. */
export const structuredNodeKinds: readonly StructuredKind[] = [
  named("node.k8s.io", "RuntimeClass", "runtimeclasses", {
    handler: "a",
    overhead: { podFixed: { cpu: "1", memory: "1Mi" } },
    scheduling: {
      nodeSelector: { app: "a" },
      tolerations: [
        { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 1 },
        { key: "a", operator: "Equal", value: "b", effect: "NoSchedule" },
      ],
    },
  }),
  named("storage.k8s.io", "CSINode", "csinodes", {
    spec: {
      drivers: [
        {
          name: "a.example.org",
          nodeID: "a",
          topologyKeys: ["example.org/a", "example.org/b"],
          allocatable: { count: 4 },
        },
        { name: "b.example.org", nodeID: "b", topologyKeys: ["a"] },
      ],
    },
  }),
  named("storage.k8s.io", "CSIDriver", "csidrivers", {
    spec: {
      attachRequired: false,
      fsGroupPolicy: "File",
      volumeLifecycleModes: ["Persistent", "Ephemeral"],
      tokenRequests: [{ audience: "a", expirationSeconds: 600 }, { audience: "b" }],
    },
  }),
  named("storage.k8s.io", "StorageClass", "storageclasses", {
    provisioner: "example.org/a",
    parameters: { a: "b" },
    reclaimPolicy: "Retain",
    mountOptions: ["ro"],
    allowVolumeExpansion: true,
    volumeBindingMode: "WaitForFirstConsumer",
    allowedTopologies: [
      { matchLabelExpressions: [{ key: "example.org/zone", values: ["a", "b"] }] },
      { matchLabelExpressions: [{ key: "failure-domain.beta.kubernetes.io/zone", values: ["a"] }] },
    ],
  }),
  {
    ...named("storage.k8s.io", "CSIStorageCapacity", "namespaces/NS/csistoragecapacities", {
      nodeTopology: {
        matchLabels: { "example.org/zone": "a" },
        matchExpressions: [{ key: "failure-domain.beta.kubernetes.io/zone", operator: "In", values: ["a", "b"] }],
      },
      storageClassName: "a",
      capacity: "1Gi",
      maximumVolumeSize: "100Mi",
    }),
  },
  ...[
    { persistentVolumeName: "a" },
    {
      inlineVolumeSpec: {
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Retain",
        volumeMode: "Filesystem",
        csi: { driver: "a.example.org", volumeHandle: "a", nodePublishSecretRef: { name: "a", namespace: "b" } },
      },
    },
  ].map((source) =>
    named("storage.k8s.io", "VolumeAttachment", "volumeattachments", {
      spec: { attacher: "a.example.org", nodeName: "a", source },
    }),
  ),
];
