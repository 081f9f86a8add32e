import type { TypeTable } from "./type-table.ts";

/** Source: Kubernetes API 1.34, networking.k8s.io/v1. */
export const networkingV1: TypeTable = {
  group: "networking.k8s.io",
  version: "v1",
  openApiPrefix: "io.k8s.api.networking.v1",
  types: {
    NetworkPolicy: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 NetworkPolicySpec",
    },
    NetworkPolicySpec: {
      podSelector: "1 meta.LabelSelector always",
      ingress: "2 []NetworkPolicyIngressRule atomic",
      egress: "3 []NetworkPolicyEgressRule atomic",
      policyTypes: "4 []string atomic enum=Egress,Ingress",
    },
    NetworkPolicyIngressRule: {
      ports: "1 []NetworkPolicyPort atomic",
      from: "2 []NetworkPolicyPeer atomic",
    },
    NetworkPolicyPort: {
      protocol: "1 *string enum=SCTP,TCP,UDP",
      port: "2 *IntOrString",
      endPort: "3 *int32",
    },
    NetworkPolicyPeer: {
      podSelector: "1 *meta.LabelSelector",
      namespaceSelector: "2 *meta.LabelSelector",
      ipBlock: "3 *IPBlock",
    },
    IPBlock: {
      cidr: "1 string always required",
      except: "2 []string atomic",
    },
    NetworkPolicyEgressRule: {
      ports: "1 []NetworkPolicyPort atomic",
      to: "2 []NetworkPolicyPeer atomic",
    },
    NetworkPolicyList: {
      metadata: "1 meta.ListMeta",
      items: "2 []NetworkPolicy always required",
    },
    Ingress: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 IngressSpec",
      status: "3 IngressStatus",
    },
    IngressSpec: {
      ingressClassName: "4 *string",
      defaultBackend: "1 *IngressBackend",
      tls: "2 []IngressTLS atomic",
      rules: "3 []IngressRule atomic",
    },
    IngressBackend: {
      service: "4 *IngressServiceBackend",
      resource: "3 *core.TypedLocalObjectReference",
    },
    IngressServiceBackend: {
      name: "1 string always required",
      port: "2 ServiceBackendPort",
    },
    ServiceBackendPort: {
      "@": "atomic",
      name: "1 string",
      number: "2 int32",
    },
    IngressTLS: {
      hosts: "1 []string atomic",
      secretName: "2 string",
    },
    IngressRule: {
      host: "1 string",
      "...ingressRuleValue": "2 IngressRuleValue",
    },
    IngressRuleValue: {
      http: "1 *HTTPIngressRuleValue",
    },
    HTTPIngressRuleValue: {
      paths: "1 []HTTPIngressPath always required atomic",
    },
    HTTPIngressPath: {
      path: "1 string",
      pathType: "3 *string always required enum=Exact,ImplementationSpecific,Prefix",
      backend: "2 IngressBackend always required",
    },
    IngressStatus: {
      loadBalancer: "1 IngressLoadBalancerStatus",
    },
    IngressLoadBalancerStatus: {
      ingress: "1 []IngressLoadBalancerIngress atomic",
    },
    IngressLoadBalancerIngress: {
      ip: "1 string",
      hostname: "2 string",
      ports: "4 []IngressPortStatus atomic",
    },
    IngressPortStatus: {
      port: "1 int32 always required",
      protocol: "2 string always required enum=SCTP,TCP,UDP",
      error: "3 *string",
    },
    IngressList: {
      metadata: "1 meta.ListMeta",
      items: "2 []Ingress always required",
    },
    IngressClass: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 IngressClassSpec",
    },
    IngressClassSpec: {
      controller: "1 string",
      parameters: "2 *IngressClassParametersReference",
    },
    IngressClassParametersReference: {
      apiGroup: "1 *string",
      kind: "2 string always required",
      name: "3 string always required",
      scope: "4 *string always",
      namespace: "5 *string",
    },
    IngressClassList: {
      metadata: "1 meta.ListMeta",
      items: "2 []IngressClass always required",
    },
    IPAddress: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 IPAddressSpec",
    },
    IPAddressSpec: {
      parentRef: "1 *ParentReference required",
    },
    ParentReference: {
      group: "1 string",
      resource: "2 string required",
      namespace: "3 string",
      name: "4 string required",
    },
    IPAddressList: {
      metadata: "1 meta.ListMeta",
      items: "2 []IPAddress always required",
    },
    ServiceCIDR: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 ServiceCIDRSpec",
      status: "3 ServiceCIDRStatus",
    },
    ServiceCIDRSpec: {
      cidrs: "1 []string atomic",
    },
    ServiceCIDRStatus: {
      conditions: "1 []meta.Condition map=type patch=merge key=type",
    },
    ServiceCIDRList: {
      metadata: "1 meta.ListMeta",
      items: "2 []ServiceCIDR always required",
    },
  },
};
