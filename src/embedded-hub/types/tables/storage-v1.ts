import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, storage.k8s.io/v1. */
export const storageV1: TypeTable = {
  group: "storage.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.storage.v1",
  types: {
    StorageClass: {
      metadata: "1 meta.ObjectMeta",
      provisioner: "2 string always required",
      parameters: "3 map string",
      reclaimPolicy: "4 *string enum=Delete,Recycle,Retain",
      mountOptions: "5 []string atomic",
      allowVolumeExpansion: "6 *bool",
      volumeBindingMode: "7 *string enum=Immediate,WaitForFirstConsumer",
      allowedTopologies: "8 []core.TopologySelectorTerm atomic",
    },
    StorageClassList: {
      metadata: "1 meta.ListMeta",
      items: "2 []StorageClass always required",
    },
    CSIDriver: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 CSIDriverSpec always required",
    },
    CSIDriverSpec: {
      attachRequired: "1 *bool",
      podInfoOnMount: "2 *bool",
      volumeLifecycleModes: "3 []string set",
      storageCapacity: "4 *bool",
      fsGroupPolicy: "5 *string",
      tokenRequests: "6 []TokenRequest atomic",
      requiresRepublish: "7 *bool",
      seLinuxMount: "8 *bool",
      nodeAllocatableUpdatePeriodSeconds: "9 *int64",
    },
    TokenRequest: {
      audience: "1 string always required",
      expirationSeconds: "2 *int64",
    },
    CSIDriverList: {
      metadata: "1 meta.ListMeta",
      items: "2 []CSIDriver always required",
    },
    CSINode: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 CSINodeSpec always required",
    },
    CSINodeSpec: {
      drivers: "1 []CSINodeDriver always required map=name patch=merge key=name",
    },
    CSINodeDriver: {
      name: "1 string always required",
      nodeID: "2 string always required",
      topologyKeys: "3 []string always atomic",
      allocatable: "4 *VolumeNodeResources",
    },
    VolumeNodeResources: {
      count: "1 *int32",
    },
    CSINodeList: {
      metadata: "1 meta.ListMeta",
      items: "2 []CSINode always required",
    },
    VolumeAttachment: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 VolumeAttachmentSpec always required",
      status: "3 VolumeAttachmentStatus",
    },
    VolumeAttachmentSpec: {
      attacher: "1 string always required",
      source: "2 VolumeAttachmentSource always required",
      nodeName: "3 string always required",
    },
    VolumeAttachmentSource: {
      persistentVolumeName: "1 *string",
      inlineVolumeSpec: "2 *core.PersistentVolumeSpec",
    },
    VolumeAttachmentStatus: {
      attached: "1 bool always required",
      attachmentMetadata: "2 map string",
      attachError: "3 *VolumeError",
      detachError: "4 *VolumeError",
    },
    VolumeError: {
      time: "1 Time",
      message: "2 string",
      errorCode: "3 *int32",
    },
    VolumeAttachmentList: {
      metadata: "1 meta.ListMeta",
      items: "2 []VolumeAttachment always required",
    },
    CSIStorageCapacity: {
      metadata: "1 meta.ObjectMeta",
      nodeTopology: "2 *meta.LabelSelector",
      storageClassName: "3 string always required",
      capacity: "4 *Quantity",
      maximumVolumeSize: "5 *Quantity",
    },
    CSIStorageCapacityList: {
      metadata: "1 meta.ListMeta",
      items: "2 []CSIStorageCapacity always required",
    },
  },
};
