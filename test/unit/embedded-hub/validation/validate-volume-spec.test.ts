import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateInlineVolume } from "../../../../src/embedded-hub/validation/validate-volume-spec.ts";
import { problemsOf, textsOf } from "./validation-builders.ts";

const csi = { driver: "a.io", volumeHandle: "a" };
const spec = { accessModes: ["ReadWriteOnce"], csi };
const nfs = { server: "a", path: "/a" };
const secret = { name: "a", namespace: "b" };
const refused = (...names: readonly string[]): string[] => names.map((name) => `Forbidden spec.${name}`);

it.each<{ change: JsonObject; problems: readonly string[] }>([
  { change: {}, problems: [] },
  { change: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" }, problems: [] },
  {
    change: { claimRef: {}, capacity: { storage: "1" }, nodeAffinity: {}, storageClassName: "a" },
    problems: refused("claimRef", "capacity", "nodeAffinity", "storageClassName"),
  },
  {
    change: { persistentVolumeReclaimPolicy: "Delete", volumeMode: "Block" },
    problems: refused("persistentVolumeReclaimPolicy", "volumeMode"),
  },
  { change: { accessModes: [] }, problems: ["Required spec.accessModes"] },
  { change: { accessModes: ["Odd"] }, problems: ["NotSupported spec.accessModes"] },
  { change: { accessModes: ["ReadWriteOncePod", "ReadWriteMany"] }, problems: refused("accessModes") },
  { change: { storageClassName: "" }, problems: [] },
  { change: { nfs, cephfs: {} }, problems: refused("cephFS", "csi") },
  { change: { nfs, flexVolume: {} }, problems: ["Required spec.flexVolume.driver", ...refused("csi")] },
  { change: { csi: { ...csi, driver: "a b" } }, problems: ["Invalid spec.csi.driver"] },
  { change: { csi: { ...csi, volumeHandle: "" } }, problems: ["Required spec.csi.volumeHandle"] },
  { change: { csi: { ...csi, nodePublishSecretRef: secret, nodeStageSecretRef: {} } }, problems: [] },
  {
    change: { csi: { ...csi, controllerExpandSecretRef: {}, nodeExpandSecretRef: { name: "A", namespace: "a.b" } } },
    problems: [
      ...["name", "namespace"].map((name) => `Required spec.csi.controllerExpandSecretRef.${name}`),
      ...["name", "namespace"].map((name) => `Invalid spec.csi.nodeExpandSecretRef.${name}`),
    ],
  },
])("an inline volume with $change has $problems", ({ change, problems }) => {
  expect(problemsOf(validateInlineVolume({ ...spec, ...change }, "spec"))).toEqual(problems);
});

it.each<{ source: JsonObject; problems: readonly string[] }>([
  { source: { hostPath: { path: "/a" } }, problems: [] },
  {
    source: { cinder: { volumeID: "a", secretRef: { name: "a" } } },
    problems: ["Required cinder.secretRef.namespace"],
  },
  {
    source: { azureFile: { secretName: "a", shareName: "b", secretNamespace: null } },
    problems: [],
  },
  {
    source: { azureFile: { secretName: "a", shareName: "b", secretNamespace: "" } },
    problems: ["Required azureFile.secretNamespace"],
  },
  { source: { azureFile: { secretName: "a", shareName: "b", secretNamespace: "c" } }, problems: [] },
  {
    source: { glusterfs: { endpoints: "a", path: "b", endpointsNamespace: "c.d" } },
    problems: ["Invalid glusterfs.endpointsNamespace"],
  },
  {
    source: { glusterfs: { endpoints: "a", path: "b", endpointsNamespace: "" } },
    problems: ["Invalid glusterfs.endpointsNamespace"],
  },
  { source: { glusterfs: { endpoints: "a", path: "b" } }, problems: [] },
  { source: { local: { path: "/a/../b" } }, problems: ["Invalid local.path", "Required nodeAffinity"] },
  {
    source: { storageos: { volumeName: "a", secretRef: { name: "a" } } },
    problems: ["Required storageos.secretRef.namespace"],
  },
])("$source has $problems, and is not of a driver", ({ source, problems }) => {
  const found = problemsOf(validateInlineVolume({ accessModes: spec.accessModes, ...source }, "spec"));
  expect(found).toEqual(["Required spec.csi", ...problems.map((problem) => problem.replace(" ", " spec."))]);
});

it("a disk of iSCSI has a portal that fits into a name, and a Secret with a name", () => {
  const iscsi = { targetPortal: "a".repeat(64), iqn: "odd", initiatorName: "eui.0123456789abcdef", secretRef: {} };
  expect(textsOf(validateInlineVolume({ ...spec, csi: null, iscsi }, "spec")).slice(1)).toEqual([
    'spec.iscsi.iqn: Invalid value: "odd": must be valid format',
    `spec.iscsi.targetportal: Invalid value: "${iscsi.targetPortal}": Total length of <volume name>:<iscsi.targetPortal> ` +
      "must be under 64 characters if iscsi.initiatorName is specified.",
    "spec.iscsi.secretRef.name: Required value",
  ]);
});
