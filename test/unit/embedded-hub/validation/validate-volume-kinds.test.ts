import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateVolumes } from "../../../../src/embedded-hub/validation/validate-volume.ts";
import { textsOf } from "./validation-builders.ts";

// The answers of kube-apiserver 1.34.4.

describe("volumes that are disks", () => {
  it.each<{ source: JsonObject; expected: readonly string[] }>([
    {
      source: { emptyDir: { sizeLimit: "-1" } },
      expected: [".emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"],
    },
    { source: { emptyDir: { sizeLimit: "1Gi" } }, expected: [] },
    { source: { emptyDir: { medium: "Odd" } }, expected: [] },
    { source: { emptyDir: { medium: "HugePages-odd" } }, expected: [] },
    { source: { emptyDir: { medium: "HugePages-2Mi" } }, expected: [] },
    { source: { gitRepo: {} }, expected: [".gitRepo.repository: Required value"] },
    {
      source: { gitRepo: { repository: "r", directory: "../x" } },
      expected: [".gitRepo.directory: Invalid value: \"../x\": must not contain '..'"],
    },
    {
      source: { gitRepo: { repository: "r", directory: "/x" } },
      expected: ['.gitRepo.directory: Invalid value: "/x": must be a relative path'],
    },
    { source: { gcePersistentDisk: {} }, expected: [".persistentDisk.pdName: Required value"] },
    {
      source: { gcePersistentDisk: { pdName: "a", partition: 256 } },
      expected: [".persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive"],
    },
    { source: { awsElasticBlockStore: {} }, expected: [".awsElasticBlockStore.volumeID: Required value"] },
    {
      source: { awsElasticBlockStore: { volumeID: "a", partition: -1 } },
      expected: [".awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive"],
    },
    { source: { iscsi: {} }, expected: [".iscsi.targetPortal: Required value", ".iscsi.iqn: Required value"] },
    {
      source: { iscsi: { targetPortal: "t", iqn: "iqn.2001-04.com.example:storage", lun: 256 } },
      expected: [".iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive"],
    },
    {
      source: { iscsi: { targetPortal: "t", iqn: "odd" } },
      expected: ['.iscsi.iqn: Invalid value: "odd": must be valid format starting with iqn, eui, or naa'],
    },
    {
      source: { iscsi: { targetPortal: "t", iqn: "iqn.2001-04.com.example:storage", lun: 0, chapAuthSession: true } },
      expected: [".iscsi.secretRef: Required value"],
    },
    {
      source: { glusterfs: {} },
      expected: [".glusterfs.endpoints: Required value", ".glusterfs.path: Required value"],
    },
    { source: { rbd: {} }, expected: [".rbd.monitors: Required value", ".rbd.image: Required value"] },
    { source: { rbd: { monitors: ["a"], image: "i" } }, expected: [] },
    { source: { flexVolume: {} }, expected: [".flexVolume.driver: Required value"] },
    {
      source: { flexVolume: { driver: "a", options: { "kubernetes.io/x": "y" } } },
      expected: [
        '.flexVolume.options[kubernetes.io/x]: Invalid value: "kubernetes.io/x": kubernetes.io and k8s.io namespaces are reserved',
      ],
    },
    { source: { cinder: {} }, expected: [".cinder.volumeID: Required value"] },
    { source: { cinder: { volumeID: "v", secretRef: {} } }, expected: [".cinder.secretRef.name: Required value"] },
    { source: { cephfs: {} }, expected: [".cephfs.monitors: Required value"] },
    { source: { flocker: {} }, expected: [".flocker: Required value: one of datasetName and datasetUUID is required"] },
    {
      source: { flocker: { datasetName: "a", datasetUUID: "b" } },
      expected: [
        '.flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
      ],
    },
    {
      source: { flocker: { datasetName: "a/b" } },
      expected: [".flocker.datasetName: Invalid value: \"a/b\": must not contain '/'"],
    },
    {
      source: { fc: {} },
      expected: [".fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"],
    },
    {
      source: { fc: { targetWWNs: ["a"] } },
      expected: [".fc.lun: Required value: lun is required if targetWWNs is specified"],
    },
    {
      source: { fc: { targetWWNs: ["a"], lun: 256 } },
      expected: [".fc.lun: Invalid value: 256: must be between 0 and 255, inclusive"],
    },
    {
      source: { fc: { wwids: ["a"], targetWWNs: ["b"], lun: 1 } },
      expected: ['.fc.targetWWNs: Invalid value: ["b"]: targetWWNs and wwids can not be specified simultaneously'],
    },
    {
      source: { azureFile: {} },
      expected: [".azureFile.secretName: Required value", ".azureFile.shareName: Required value"],
    },
    { source: { azureFile: { secretName: "s" } }, expected: [".azureFile.shareName: Required value"] },
    {
      source: { azureDisk: {} },
      expected: [
        ".azureDisk.diskName: Required value",
        ".azureDisk.diskURI: Required value",
        '.azureDisk.diskURI: Unsupported value: "": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
      ],
    },
    {
      source: { azureDisk: { diskName: "a", diskURI: "odd" } },
      expected: [
        '.azureDisk.diskURI: Unsupported value: "odd": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
      ],
    },
    {
      source: { azureDisk: { diskName: "a", diskURI: "https://a", cachingMode: "Odd" } },
      expected: ['.azureDisk.cachingMode: Unsupported value: "Odd": supported values: "None", "ReadOnly", "ReadWrite"'],
    },
    { source: { vsphereVolume: {} }, expected: [".vsphereVolume.volumePath: Required value"] },
    {
      source: { quobyte: {} },
      expected: [
        ".quobyte.registry: Required value: must be a host:port pair or multiple pairs separated by commas",
        ".quobyte.volume: Required value",
      ],
    },
    {
      source: { quobyte: { registry: "a", volume: "v" } },
      expected: [
        '.quobyte.registry: Invalid value: "a": must be a host:port pair or multiple pairs separated by commas',
      ],
    },
    { source: { quobyte: { registry: "a:1", volume: "v" } }, expected: [] },
    { source: { portworxVolume: {} }, expected: [".portworxVolume.volumeID: Required value"] },
    {
      source: { scaleIO: {} },
      expected: [
        ".scaleIO.gateway: Required value",
        ".scaleIO.system: Required value",
        ".scaleIO.volumeName: Required value",
      ],
    },
    { source: { scaleIO: { gateway: "g", system: "s", volumeName: "v" } }, expected: [] },
    { source: { storageos: {} }, expected: [".storageos.volumeName: Required value"] },
    { source: { storageos: { volumeName: "v", volumeNamespace: "n", secretRef: { name: "s" } } }, expected: [] },
    {
      source: { storageos: { volumeName: "a.b", volumeNamespace: "a.b", secretRef: {} } },
      expected: [
        '.storageos.volumeName: Invalid value: "a.b": must not contain dots',
        '.storageos.volumeNamespace: Invalid value: "a.b": must not contain dots',
        ".storageos.secretRef.name: Required value",
      ],
    },
    {
      source: { csi: { driver: "A b" } },
      expected: [
        ".csi.driver: Invalid value: \"A b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    },
    {
      source: { csi: { driver: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" } },
      expected: [".csi.driver: Too long: may not be more than 63 bytes"],
    },
    {
      source: { csi: { driver: "a", nodePublishSecretRef: {} } },
      expected: [".csi.nodePublishSecretRef.name: Required value"],
    },
    { source: { csi: { driver: "a", nodePublishSecretRef: { name: "s" } } }, expected: [] },
    {
      source: { csi: { driver: "a", nodePublishSecretRef: { name: "S" } } },
      expected: [
        ".csi.name: Invalid value: \"S\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    },
    { source: { photonPersistentDisk: {} }, expected: [".photonPersistentDisk.pdID: Required value"] },
    {
      source: { iscsi: { targetPortal: "t", iqn: "iqn.2001-04.com.example:storage", initiatorName: "odd" } },
      expected: ['.iscsi.initiatorname: Invalid value: "odd": must be valid format starting with iqn, eui, or naa'],
    },
    {
      source: { iscsi: { targetPortal: "t", iqn: "iqnodd" } },
      expected: ['.iscsi.iqn: Invalid value: "iqnodd": must be valid format'],
    },
    { source: { iscsi: { targetPortal: "t", iqn: "eui.0123456789abcdef" } }, expected: [] },
    {
      source: { iscsi: { targetPortal: "t", iqn: "eui.01" } },
      expected: ['.iscsi.iqn: Invalid value: "eui.01": must be valid format'],
    },
    { source: { iscsi: { targetPortal: "t", iqn: "naa.0123456789abcdef0123456789abcdef" } }, expected: [] },
    {
      source: { iscsi: { targetPortal: "t", iqn: "naa.0123456789abcdef" } },
      expected: ['.iscsi.iqn: Invalid value: "naa.0123456789abcdef": must be valid format'],
    },
    {
      source: { iscsi: { targetPortal: "t", iqn: "iqn.2001-04.com.example" } },
      expected: ['.iscsi.iqn: Invalid value: "iqn.2001-04.com.example": must be valid format'],
    },
    {
      source: { quobyte: { registry: "a:1,b", volume: "v" } },
      expected: [
        '.quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
      ],
    },
    { source: { quobyte: { registry: "a:1,[::1]:2", volume: "v" } }, expected: [] },
    {
      source: {
        quobyte: {
          registry: "a:1",
          volume: "v",
          tenant: "ttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt",
        },
      },
      expected: [".quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters"],
    },
    {
      source: {
        quobyte: {
          registry: "a:1",
          volume: "v",
          tenant: "tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt",
        },
      },
      expected: [],
    },
    {
      source: { flexVolume: { driver: "a", options: { "a.K8s.io/x": "y" } } },
      expected: [
        '.flexVolume.options[a.K8s.io/x]: Invalid value: "a.K8s.io/x": kubernetes.io and k8s.io namespaces are reserved',
      ],
    },
    {
      source: { flexVolume: { driver: "a", options: { "ak8s.io/x": "y", "k8s.io": "z" } } },
      expected: [
        '.flexVolume.options[k8s.io]: Invalid value: "k8s.io": kubernetes.io and k8s.io namespaces are reserved',
      ],
    },
    { source: { azureDisk: { diskName: "a", diskURI: "/subscriptions/x", kind: "Managed" } }, expected: [] },
    {
      source: { azureDisk: { diskName: "a", diskURI: "https://x", kind: "Managed" } },
      expected: [
        '.azureDisk.diskURI: Unsupported value: "https://x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
      ],
    },
    {
      source: { azureDisk: { diskName: "a", diskURI: "/subscriptions/x", kind: "Shared" } },
      expected: [
        '.azureDisk.diskURI: Unsupported value: "/subscriptions/x": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
      ],
    },
    {
      source: { azureDisk: { diskName: "a", diskURI: "https://x", kind: "Odd" } },
      expected: ['.azureDisk.kind: Unsupported value: "Odd": supported values: "Dedicated", "Managed", "Shared"'],
    },
    {
      source: { azureDisk: { diskName: "a", diskURI: "https://x", kind: "Dedicated", cachingMode: "Odd", fsType: "" } },
      expected: ['.azureDisk.cachingMode: Unsupported value: "Odd": supported values: "None", "ReadOnly", "ReadWrite"'],
    },
    { source: { csi: { driver: "A.b" } }, expected: [] },
    {
      source: { csi: { driver: "a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_" } },
      expected: [
        ".csi.driver: Too long: may not be more than 63 bytes",
        ".csi.driver: Invalid value: \"a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_a_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    },
    { source: { fc: { wwids: ["a"] } }, expected: [] },
    { source: { fc: { wwids: ["a"], lun: 300 } }, expected: [] },
    { source: { emptyDir: { sizeLimit: "0" } }, expected: [] },
    { source: { gcePersistentDisk: { pdName: "a", partition: 255 } }, expected: [] },
    { source: { gitRepo: { repository: "r", directory: "..x" } }, expected: [] },
  ])("find $expected with $source", ({ source, expected }) => {
    const { errors } = validateVolumes({ volumes: [{ name: "v", ...source }] }, "spec");
    expect(textsOf(errors)).toEqual(expected.map((text) => `spec.volumes[0]${text}`));
  });
});

describe("a volume of two kinds", () => {
  it.each<{ source: JsonObject; expected: readonly string[] }>([
    {
      source: { cephfs: {}, rbd: {} },
      expected: [
        ".rbd.monitors: Required value",
        ".rbd.image: Required value",
        ".cephFS: Forbidden: may not specify more than 1 volume type",
      ],
    },
    {
      source: { downwardAPI: {}, emptyDir: {} },
      expected: [".downwarAPI: Forbidden: may not specify more than 1 volume type"],
    },
    {
      source: { scaleIO: {}, projected: {} },
      expected: [".scaleIO: Forbidden: may not specify more than 1 volume type"],
    },
    {
      source: { gcePersistentDisk: {}, hostPath: {} },
      expected: [
        ".hostPath.path: Required value",
        ".gcePersistentDisk: Forbidden: may not specify more than 1 volume type",
      ],
    },
  ])("is one of the kind that an API server checks first: $source", ({ source, expected }) => {
    const { errors } = validateVolumes({ volumes: [{ name: "v", ...source }] }, "spec");
    expect(textsOf(errors)).toEqual(expected.map((text) => `spec.volumes[0]${text}`));
  });
});
