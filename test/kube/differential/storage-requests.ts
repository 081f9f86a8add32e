import type { Request } from "./replay.ts";

const storage = "/apis/storage.k8s.io/v1";
const classes = `${storage}/storageclasses`;
const drivers = `${storage}/csidrivers`;
const attachments = `${storage}/volumeattachments`;
const capacities = `${storage}/namespaces/NS/csistoragecapacities`;
const name = "a.NS";

function made(path: string, content: object, metadata: object = { name }): Request {
  return { method: "POST", path: `${path}?dryRun=All`, body: { metadata, ...content } };
}

function patched(path: string, body: object, place = "?dryRun=All"): Request {
  return { method: "PATCH", path: `${path}/${name}${place}`, contentType: "application/merge-patch+json", body };
}

/** One object of a kind: made, changed, written without its version, read and deleted. */
function lived(path: string, content: object, changes: readonly object[]): readonly Request[] {
  const body = { metadata: { name, labels: { a: "b" } }, ...content };
  return [
    { method: "POST", path, body },
    ...changes.map((change) => patched(path, change)),
    { method: "PUT", path: `${path}/${name}`, body },
    { method: "GET", path: `${path}/${name}` },
    { method: "DELETE", path: `${path}/${name}?dryRun=All` },
    { method: "DELETE", path: `${path}/${name}` },
  ];
}

const zone = "failure-domain.beta.kubernetes.io/zone";
const topology = (...expressions: readonly object[]) => ({ matchLabelExpressions: expressions });
const provisioner = "Example.org/A";

const ofClasses: readonly Request[] = [
  ...[
    { provisioner: "" },
    { provisioner: "a b" },
    { parameters: { "": "a" } },
    { parameters: Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`a${index}`, "b"])) },
    { parameters: { a: "b".repeat(256 * 1024 - 1) } },
    { parameters: { a: "b".repeat(256 * 1024) } },
    { reclaimPolicy: "" },
    { reclaimPolicy: "Recycle" },
    { volumeBindingMode: "" },
    { volumeBindingMode: "Odd" },
    { allowedTopologies: [{}] },
    { allowedTopologies: [topology({ key: "", values: ["a"] })] },
    { allowedTopologies: [topology({ key: "a", values: [] })] },
    { allowedTopologies: [topology({ key: "a", values: ["b", "b"] }, { key: "a", values: ["c"] })] },
    {
      allowedTopologies: [topology({ key: "a", values: ["b", "c"] }), topology({ key: "a", values: ["c", "b"] })],
    },
    { allowedTopologies: [topology({ key: zone, values: ["a"] })] },
  ].map((change) => made(classes, { provisioner, ...change })),
  made(classes, { provisioner }, { name: "A" }),
  made(classes, { provisioner }, { name, finalizers: ["a"] }),
  ...lived(
    classes,
    {
      metadata: { name, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner,
      parameters: { a: "b" },
      allowVolumeExpansion: true,
    },
    [
      { provisioner: "b" },
      { parameters: { a: "c" } },
      { parameters: null },
      { reclaimPolicy: "Retain" },
      { volumeBindingMode: "WaitForFirstConsumer" },
      { allowVolumeExpansion: null, mountOptions: ["ro"], allowedTopologies: [topology({ key: zone, values: ["a"] })] },
    ],
  ),
];

const ofDrivers: readonly Request[] = [
  ...[
    {},
    { fsGroupPolicy: "Odd" },
    { volumeLifecycleModes: [] },
    { volumeLifecycleModes: ["Odd", "Ephemeral"] },
    { tokenRequests: [{ audience: "" }, { audience: "" }, { audience: "a", expirationSeconds: 599 }] },
    { tokenRequests: [{ audience: "a", expirationSeconds: 4_294_967_296 }] },
    { tokenRequests: [{ audience: "a", expirationSeconds: 4_294_967_297 }] },
    { nodeAllocatableUpdatePeriodSeconds: 1 },
  ].map((spec) => made(drivers, { spec })),
  made(drivers, { spec: {} }, { name: "A" }),
  made(drivers, { spec: {} }, { name, finalizers: ["a"], generation: 5 }),
  ...lived(drivers, { spec: { tokenRequests: [{ audience: "a" }, { audience: "b" }], attachRequired: false } }, [
    { spec: { attachRequired: true } },
    { spec: { volumeLifecycleModes: ["Ephemeral"] } },
    { spec: { podInfoOnMount: true, nodeAllocatableUpdatePeriodSeconds: 20 } },
    { spec: { nodeAllocatableUpdatePeriodSeconds: 20 } },
  ]),
];

const ofCapacities: readonly Request[] = [
  ...[
    { storageClassName: "" },
    { storageClassName: "A" },
    { capacity: "-1" },
    { maximumVolumeSize: "-1" },
    { nodeTopology: { matchLabels: { [zone]: "a b" } } },
    { nodeTopology: { matchLabels: { [zone]: "a" }, matchExpressions: [{ key: zone, operator: "Exists" }] } },
    { nodeTopology: { matchExpressions: [{ key: "a", operator: "In" }] } },
  ].map((change) => made(capacities, { storageClassName: "a", ...change })),
  ...lived(capacities, { storageClassName: "a", capacity: "1Gi", nodeTopology: { matchLabels: { a: "b" } } }, [
    { capacity: null },
    { capacity: "2Gi", maximumVolumeSize: "1Gi" },
    { storageClassName: "b" },
    { nodeTopology: null },
    { nodeTopology: { matchLabels: { a: "c" } } },
  ]),
];

const csi = { driver: "a.example.org", volumeHandle: "a" };
const inline = { accessModes: ["ReadWriteOnce"], csi };
const secret = { name: "A", namespace: "a.b" };
const attached = (source: object, change: object = {}) => ({
  spec: { attacher: "a.example.org", nodeName: "a", source, ...change },
});

const inlineChanges: readonly object[] = [
  {},
  { csi: undefined },
  { claimRef: {}, capacity: { storage: "1Gi" }, nodeAffinity: {}, storageClassName: "a", volumeMode: "Block" },
  { accessModes: [] },
  { accessModes: ["Odd", "ReadWriteOncePod", "ReadWriteMany"] },
  { persistentVolumeReclaimPolicy: "Recycle" },
  { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" },
  { csi: { driver: "a b" } },
  { csi: { ...csi, controllerPublishSecretRef: {}, controllerExpandSecretRef: secret } },
  { csi: { ...csi, nodePublishSecretRef: secret, nodeExpandSecretRef: {}, nodeStageSecretRef: {} } },
  { hostPath: { path: "/a" } },
  { cephfs: { monitors: [] }, hostPath: { path: "/a/../b", type: "Odd" } },
  ...[
    { glusterfs: { endpoints: "", path: "", endpointsNamespace: "" } },
    { glusterfs: { endpoints: "a", path: "a", endpointsNamespace: "A" } },
    { nfs: { path: "a" } },
    { rbd: {} },
    { cephfs: {} },
    { iscsi: { targetPortal: "a", iqn: "odd", initiatorName: "odd", lun: 256, chapAuthSession: true, secretRef: {} } },
    { iscsi: { targetPortal: "a".repeat(64), iqn: "iqn.2001-04.com.example:a", initiatorName: "eui.1" } },
    { cinder: { secretRef: {} } },
    { azureFile: { secretNamespace: "" } },
    { scaleIO: {} },
    { local: { path: "" } },
    { local: { path: "/a/../b" } },
    { storageos: { volumeName: "A", volumeNamespace: "B", secretRef: {} } },
    { flexVolume: { options: { "a.k8s.io/b": "c" } }, csi },
    { gcePersistentDisk: { partition: 256 } },
    { awsElasticBlockStore: {}, flocker: {} },
    { fc: { targetWWNs: ["a"] } },
    { azureDisk: { diskName: "a", diskURI: "b", cachingMode: "Odd", kind: "Odd" } },
  ].map((source) => ({ csi: undefined, ...source })),
];

const failure = { time: "2026-01-02T03:04:05Z", message: "m", errorCode: -1 };

const ofAttachments: readonly Request[] = [
  ...[
    attached({}),
    attached({ persistentVolumeName: "" }),
    attached({ persistentVolumeName: "A" }),
    attached({ persistentVolumeName: "a", inlineVolumeSpec: inline }),
    attached({ persistentVolumeName: "a" }, { attacher: "" }),
    attached({ persistentVolumeName: "a" }, { attacher: "A b" }),
    attached({ persistentVolumeName: "a" }, { attacher: "a".repeat(64), nodeName: "A" }),
    { ...attached({ persistentVolumeName: "a" }), status: { attached: true } },
    ...inlineChanges.map((change) => attached({ inlineVolumeSpec: { ...inline, ...change } })),
  ].map((content) => made(attachments, content)),
  { method: "POST", path: attachments, body: { metadata: { name }, ...attached({ persistentVolumeName: "a" }) } },
  ...[
    { spec: { nodeName: "b" } },
    { spec: { attacher: "" } },
    { spec: { source: { persistentVolumeName: "b" } } },
    { status: { attached: true }, metadata: { labels: { a: "b" } } },
  ].map((change) => patched(attachments, change)),
  ...[
    { metadata: { labels: { a: "c" } }, spec: { nodeName: "b" }, status: { attached: true } },
    { status: { attachmentMetadata: { a: "b".repeat(256 * 1024) } } },
    { status: { attachError: { ...failure, message: "m".repeat(1025) }, detachError: failure } },
  ].map((change) => patched(attachments, change, "/status")),
  { method: "GET", path: `${attachments}/${name}/status` },
  { method: "DELETE", path: `${attachments}/${name}` },
  ...lived(attachments, attached({ inlineVolumeSpec: inline }), [{ metadata: { labels: { a: "c" } } }]),
];

const ofPods: readonly Request[] = [
  { method: "POST", path: "/api/v1/namespaces/NS/serviceaccounts", body: { metadata: { name: "default" } } },
  ...[
    { storageos: { volumeName: "a.b", volumeNamespace: "A", secretRef: {} } },
    { csi: { driver: "a", nodePublishSecretRef: { name: "A" } } },
    { csi: { driver: "a", nodePublishSecretRef: {} } },
    { iscsi: { targetPortal: "a", iqn: "odd", secretRef: {} } },
  ].map((volume) =>
    made("/api/v1/namespaces/NS/pods", {
      spec: {
        containers: [{ name: "a", image: "a" }],
        volumes: [{ name: "v", ...volume }],
      },
    }),
  ),
];

/** Objects that describe storage, beside kube-apiserver: what is wrong with them, and what a write changes; and volumes of Pods. */
export const storageRequests: readonly Request[] = [
  ...[...ofClasses, ...ofDrivers, ...ofCapacities, ...ofAttachments, ...ofPods],
];
