import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, apiregistration.k8s.io/v1. */
export const apiregistrationV1: TypeTable = {
  group: "apiregistration.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
  types: {
    APIService: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 APIServiceSpec",
      status: "3 APIServiceStatus",
    },
    APIServiceSpec: {
      service: "1 *ServiceReference",
      group: "2 string",
      version: "3 string",
      insecureSkipTLSVerify: "4 bool",
      caBundle: "5 bytes atomic",
      groupPriorityMinimum: "7 int32 always required",
      versionPriority: "8 int32 always required",
    },
    ServiceReference: {
      namespace: "1 string",
      name: "2 string",
      port: "3 *int32",
    },
    APIServiceStatus: {
      conditions: "1 []APIServiceCondition map=type patch=merge key=type",
    },
    APIServiceCondition: {
      type: "1 string always required",
      status: "2 string always required",
      lastTransitionTime: "3 Time",
      reason: "4 string",
      message: "5 string",
    },
    APIServiceList: {
      metadata: "1 meta.ListMeta",
      items: "2 []APIService always required",
    },
  },
};
