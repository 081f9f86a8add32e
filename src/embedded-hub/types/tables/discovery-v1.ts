import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, discovery.k8s.io/v1. */
export const discoveryV1: TypeTable = {
  group: "discovery.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.discovery.v1",
  types: {
    EndpointSlice: {
      metadata: "1 meta.ObjectMeta",
      addressType: "4 string always required enum=FQDN,IPv4,IPv6",
      endpoints: "2 []Endpoint always required atomic",
      ports: "3 []EndpointPort always atomic",
    },
    Endpoint: {
      addresses: "1 []string always required set",
      conditions: "2 EndpointConditions",
      hostname: "3 *string",
      targetRef: "4 *core.ObjectReference",
      deprecatedTopology: "5 map string",
      nodeName: "6 *string",
      zone: "7 *string",
      hints: "8 *EndpointHints",
    },
    EndpointConditions: {
      ready: "1 *bool",
      serving: "2 *bool",
      terminating: "3 *bool",
    },
    EndpointHints: {
      forZones: "1 []ForZone atomic",
      forNodes: "2 []ForNode atomic",
    },
    ForZone: {
      name: "1 string always required",
    },
    ForNode: {
      name: "1 string always required",
    },
    EndpointPort: {
      "@": "atomic",
      name: "1 *string",
      protocol: "2 *string enum=SCTP,TCP,UDP",
      port: "3 *int32",
      appProtocol: "4 *string",
    },
    EndpointSliceList: {
      metadata: "1 meta.ListMeta",
      items: "2 []EndpointSlice always required",
    },
  },
};
