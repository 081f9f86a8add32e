import type { TypeTable } from "./type-table.ts";
import { corePodTypes } from "./core-v1-pod.ts";
import { coreVolumeTypes } from "./core-v1-volume.ts";

/** Source: Kubernetes API 1.34, core/v1. */
export const coreV1: TypeTable = {
  group: "",
  version: "v1",
  openApiPrefix: "io.k8s.api.core.v1",
  types: {
    ...corePodTypes,
    ...coreVolumeTypes,
    ConfigMap: {
      metadata: "1 meta.ObjectMeta",
      immutable: "4 *bool",
      data: "2 map string",
      binaryData: "3 map bytes",
    },
    ConfigMapList: {
      metadata: "1 meta.ListMeta",
      items: "2 []ConfigMap always required",
    },
    Secret: {
      metadata: "1 meta.ObjectMeta",
      immutable: "5 *bool",
      data: "2 map bytes",
      stringData: "4 map string",
      type: "3 string",
    },
    SecretList: {
      metadata: "1 meta.ListMeta",
      items: "2 []Secret always required",
    },
    Namespace: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 NamespaceSpec",
      status: "3 NamespaceStatus",
    },
    NamespaceSpec: {
      finalizers: "1 []string atomic",
    },
    NamespaceStatus: {
      phase: "1 string enum=Active,Terminating",
      conditions: "2 []NamespaceCondition map=type patch=merge key=type",
    },
    NamespaceCondition: {
      type: "1 string always required",
      status: "2 string always required",
      lastTransitionTime: "4 Time",
      reason: "5 string",
      message: "6 string",
    },
    NamespaceList: {
      metadata: "1 meta.ListMeta",
      items: "2 []Namespace always required",
    },
    ServiceAccount: {
      metadata: "1 meta.ObjectMeta",
      secrets: "2 []ObjectReference map=name patch=merge key=name",
      imagePullSecrets: "3 []LocalObjectReference atomic",
      automountServiceAccountToken: "4 *bool",
    },
    ServiceAccountList: {
      metadata: "1 meta.ListMeta",
      items: "2 []ServiceAccount always required",
    },
    Event: {
      metadata: "1 meta.ObjectMeta always required",
      involvedObject: "2 ObjectReference always required",
      reason: "3 string",
      message: "4 string",
      source: "5 EventSource",
      firstTimestamp: "6 Time",
      lastTimestamp: "7 Time",
      count: "8 int32",
      type: "9 string",
      eventTime: "10 MicroTime",
      series: "11 *EventSeries",
      action: "12 string",
      related: "13 *ObjectReference",
      reportingComponent: "14 string always",
      reportingInstance: "15 string always",
    },
    EventSource: {
      component: "1 string",
      host: "2 string",
    },
    EventSeries: {
      count: "1 int32",
      lastObservedTime: "2 MicroTime",
    },
    EventList: {
      metadata: "1 meta.ListMeta",
      items: "2 []Event always required",
    },
    Node: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 NodeSpec",
      status: "3 NodeStatus",
    },
    NodeSpec: {
      podCIDR: "1 string",
      podCIDRs: "7 []string set patch=merge",
      providerID: "3 string",
      unschedulable: "4 bool",
      taints: "5 []Taint atomic",
      configSource: "6 *NodeConfigSource",
      externalID: "2 string",
    },
    Taint: {
      key: "1 string always required",
      value: "2 string",
      effect: "3 string always required enum=NoExecute,NoSchedule,PreferNoSchedule",
      timeAdded: "4 *Time",
    },
    NodeConfigSource: {
      configMap: "2 *ConfigMapNodeConfigSource",
    },
    ConfigMapNodeConfigSource: {
      namespace: "1 string always required",
      name: "2 string always required",
      uid: "3 string",
      resourceVersion: "4 string",
      kubeletConfigKey: "5 string always required",
    },
    NodeStatus: {
      capacity: "1 map Quantity",
      allocatable: "2 map Quantity",
      phase: "3 string enum=Pending,Running,Terminated",
      conditions: "4 []NodeCondition map=type patch=merge key=type",
      addresses: "5 []NodeAddress map=type patch=merge key=type",
      daemonEndpoints: "6 NodeDaemonEndpoints",
      nodeInfo: "7 NodeSystemInfo",
      images: "8 []ContainerImage atomic",
      volumesInUse: "9 []string atomic",
      volumesAttached: "10 []AttachedVolume atomic",
      config: "11 *NodeConfigStatus",
      runtimeHandlers: "12 []NodeRuntimeHandler atomic",
      features: "13 *NodeFeatures",
    },
    NodeCondition: {
      type: "1 string always required",
      status: "2 string always required",
      lastHeartbeatTime: "3 Time",
      lastTransitionTime: "4 Time",
      reason: "5 string",
      message: "6 string",
    },
    NodeAddress: {
      type: "1 string always required",
      address: "2 string always required",
    },
    NodeDaemonEndpoints: {
      kubeletEndpoint: "1 DaemonEndpoint",
    },
    DaemonEndpoint: {
      Port: "1 int32 always required",
    },
    NodeSystemInfo: {
      machineID: "1 string always required",
      systemUUID: "2 string always required",
      bootID: "3 string always required",
      kernelVersion: "4 string always required",
      osImage: "5 string always required",
      containerRuntimeVersion: "6 string always required",
      kubeletVersion: "7 string always required",
      kubeProxyVersion: "8 string always required",
      operatingSystem: "9 string always required",
      architecture: "10 string always required",
      swap: "11 *NodeSwapStatus",
    },
    NodeSwapStatus: {
      capacity: "1 *int64",
    },
    ContainerImage: {
      names: "1 []string always atomic",
      sizeBytes: "2 int64",
    },
    AttachedVolume: {
      name: "1 string always required",
      devicePath: "2 string always required",
    },
    NodeConfigStatus: {
      assigned: "1 *NodeConfigSource",
      active: "2 *NodeConfigSource",
      lastKnownGood: "3 *NodeConfigSource",
      error: "4 string",
    },
    NodeRuntimeHandler: {
      name: "1 string always",
      features: "2 *NodeRuntimeHandlerFeatures",
    },
    NodeRuntimeHandlerFeatures: {
      recursiveReadOnlyMounts: "1 *bool",
      userNamespaces: "2 *bool",
    },
    NodeFeatures: {
      supplementalGroupsPolicy: "1 *bool",
    },
    NodeList: {
      metadata: "1 meta.ListMeta",
      items: "2 []Node always required",
    },
    Service: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 ServiceSpec",
      status: "3 ServiceStatus",
    },
    ServiceSpec: {
      ports: "1 []ServicePort map=port,protocol patch=merge key=port",
      selector: "2 map string atomic",
      clusterIP: "3 string",
      clusterIPs: "18 []string atomic",
      type: "4 string enum=ClusterIP,ExternalName,LoadBalancer,NodePort",
      externalIPs: "5 []string atomic",
      sessionAffinity: "7 string enum=ClientIP,None",
      loadBalancerIP: "8 string",
      loadBalancerSourceRanges: "9 []string atomic",
      externalName: "10 string",
      externalTrafficPolicy: "11 string enum=Cluster,Local",
      healthCheckNodePort: "12 int32",
      publishNotReadyAddresses: "13 bool",
      sessionAffinityConfig: "14 *SessionAffinityConfig",
      ipFamilies: "19 []string atomic enum=,IPv4,IPv6",
      ipFamilyPolicy: "17 *string enum=PreferDualStack,RequireDualStack,SingleStack",
      allocateLoadBalancerNodePorts: "20 *bool",
      loadBalancerClass: "21 *string",
      internalTrafficPolicy: "22 *string enum=Cluster,Local",
      trafficDistribution: "23 *string",
    },
    ServicePort: {
      name: "1 string",
      protocol: '2 string default="TCP" enum=SCTP,TCP,UDP',
      appProtocol: "6 *string",
      port: "3 int32 always required",
      targetPort: "4 IntOrString",
      nodePort: "5 int32",
    },
    SessionAffinityConfig: {
      clientIP: "1 *ClientIPConfig",
    },
    ClientIPConfig: {
      timeoutSeconds: "1 *int32",
    },
    ServiceStatus: {
      loadBalancer: "1 LoadBalancerStatus",
      conditions: "2 []meta.Condition map=type patch=merge key=type",
    },
    LoadBalancerStatus: {
      ingress: "1 []LoadBalancerIngress atomic",
    },
    LoadBalancerIngress: {
      ip: "1 string",
      hostname: "2 string",
      ipMode: "3 *string",
      ports: "4 []PortStatus atomic",
    },
    PortStatus: {
      port: "1 int32 always required",
      protocol: "2 string always required enum=SCTP,TCP,UDP",
      error: "3 *string",
    },
    ServiceList: {
      metadata: "1 meta.ListMeta",
      items: "2 []Service always required",
    },
    Endpoints: {
      metadata: "1 meta.ObjectMeta",
      subsets: "2 []EndpointSubset atomic",
    },
    EndpointSubset: {
      addresses: "1 []EndpointAddress atomic",
      notReadyAddresses: "2 []EndpointAddress atomic",
      ports: "3 []EndpointPort atomic",
    },
    EndpointAddress: {
      "@": "atomic",
      ip: "1 string always required",
      hostname: "3 string",
      nodeName: "4 *string",
      targetRef: "2 *ObjectReference",
    },
    EndpointPort: {
      "@": "atomic",
      name: "1 string",
      port: "2 int32 always required",
      protocol: "3 string enum=SCTP,TCP,UDP",
      appProtocol: "4 *string",
    },
    EndpointsList: {
      metadata: "1 meta.ListMeta",
      items: "2 []Endpoints always required",
    },
    LimitRange: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 LimitRangeSpec",
    },
    LimitRangeSpec: {
      limits: "1 []LimitRangeItem always required atomic",
    },
    LimitRangeItem: {
      type: "1 string always required",
      max: "2 map Quantity",
      min: "3 map Quantity",
      default: "4 map Quantity",
      defaultRequest: "5 map Quantity",
      maxLimitRequestRatio: "6 map Quantity",
    },
    LimitRangeList: {
      metadata: "1 meta.ListMeta",
      items: "2 []LimitRange always required",
    },
    ResourceQuota: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 ResourceQuotaSpec",
      status: "3 ResourceQuotaStatus",
    },
    ResourceQuotaSpec: {
      hard: "1 map Quantity",
      scopes:
        "2 []string atomic enum=BestEffort,CrossNamespacePodAffinity,NotBestEffort,NotTerminating,PriorityClass,Terminating,VolumeAttributesClass",
      scopeSelector: "3 *ScopeSelector",
    },
    ScopeSelector: {
      "@": "atomic",
      matchExpressions: "1 []ScopedResourceSelectorRequirement atomic",
    },
    ScopedResourceSelectorRequirement: {
      scopeName:
        "1 string always required enum=BestEffort,CrossNamespacePodAffinity,NotBestEffort,NotTerminating,PriorityClass,Terminating,VolumeAttributesClass",
      operator: "2 string always required enum=DoesNotExist,Exists,In,NotIn",
      values: "3 []string atomic",
    },
    ResourceQuotaStatus: {
      hard: "1 map Quantity",
      used: "2 map Quantity",
    },
    ResourceQuotaList: {
      metadata: "1 meta.ListMeta",
      items: "2 []ResourceQuota always required",
    },
    ReplicationController: {
      metadata: "1 meta.ObjectMeta",
      spec: "2 ReplicationControllerSpec",
      status: "3 ReplicationControllerStatus",
    },
    ReplicationControllerSpec: {
      replicas: "1 *int32 default=1",
      minReadySeconds: "4 int32 default=0",
      selector: "2 map string atomic",
      template: "3 *PodTemplateSpec",
    },
    ReplicationControllerStatus: {
      replicas: "1 int32 always required",
      fullyLabeledReplicas: "2 int32",
      readyReplicas: "4 int32",
      availableReplicas: "5 int32",
      observedGeneration: "3 int64",
      conditions: "6 []ReplicationControllerCondition map=type patch=merge key=type",
    },
    ReplicationControllerCondition: {
      type: "1 string always required",
      status: "2 string always required",
      lastTransitionTime: "3 Time",
      reason: "4 string",
      message: "5 string",
    },
    ReplicationControllerList: {
      metadata: "1 meta.ListMeta",
      items: "2 []ReplicationController always required",
    },
    TopologySelectorTerm: {
      "@": "atomic",
      matchLabelExpressions: "1 []TopologySelectorLabelRequirement atomic",
    },
    TopologySelectorLabelRequirement: {
      key: "1 string always required",
      values: "2 []string always required atomic",
    },
  },
};
