import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, coordination.k8s.io/v1. */
export const coordinationV1: TypeTable = {
  group: "coordination.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.coordination.v1",
  types: {
    Lease: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 LeaseSpec",
    },
    LeaseSpec: {
      holderIdentity: "1 *string",
      leaseDurationSeconds: "2 *int32",
      acquireTime: "3 *MicroTime",
      renewTime: "4 *MicroTime",
      leaseTransitions: "5 *int32",
      strategy: "6 *string",
      preferredHolder: "7 *string",
    },
    LeaseList: {
      metadata: "1 meta.ListMeta",
      items: "2 []Lease always required",
    },
  },
};
