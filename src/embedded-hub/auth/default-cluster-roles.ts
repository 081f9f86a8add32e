import type { DefaultRole } from "./default-role.ts";

/**
 * The ClusterRoles that every Kubernetes API server has, without those of its controllers. How a rule is written:
 * {@link DefaultRole}. Source: Kubernetes 1.34, as a new API server serves them.
 */
export const defaultClusterRoles: readonly DefaultRole[] = [
  {
    name: "admin",
    aggregates: [{ "rbac.authorization.k8s.io/aggregate-to-admin": "true" }],
    rules: [],
  },
  {
    name: "cluster-admin",
    rules: ["* * *", "* *"],
  },
  {
    name: "edit",
    labels: { "rbac.authorization.k8s.io/aggregate-to-admin": "true" },
    aggregates: [{ "rbac.authorization.k8s.io/aggregate-to-edit": "true" }],
    rules: [],
  },
  {
    name: "system:aggregate-to-admin",
    labels: { "rbac.authorization.k8s.io/aggregate-to-admin": "true" },
    rules: [
      "create authorization.k8s.io localsubjectaccessreviews",
      "create,delete,deletecollection,get,list,patch,update,watch rbac.authorization.k8s.io rolebindings,roles",
    ],
  },
  {
    name: "system:aggregate-to-edit",
    labels: { "rbac.authorization.k8s.io/aggregate-to-edit": "true" },
    rules: [
      "get,list,watch core pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy",
      "impersonate core serviceaccounts",
      "create,delete,deletecollection,patch,update core pods,pods/attach,pods/exec,pods/portforward,pods/proxy",
      "create core pods/eviction",
      "create,delete,deletecollection,patch,update core configmaps,events,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy",
      "create core serviceaccounts/token",
      "create,delete,deletecollection,patch,update apps daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale",
      "create,delete,deletecollection,patch,update autoscaling horizontalpodautoscalers",
      "create,delete,deletecollection,patch,update batch cronjobs,jobs",
      "create,delete,deletecollection,patch,update extensions daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale",
      "create,delete,deletecollection,patch,update policy poddisruptionbudgets",
      "create,delete,deletecollection,patch,update networking.k8s.io ingresses,networkpolicies",
      "create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leases",
      "create,delete,deletecollection,patch,update resource.k8s.io resourceclaims,resourceclaimtemplates",
    ],
  },
  {
    name: "system:aggregate-to-view",
    labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" },
    rules: [
      "get,list,watch core configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status",
      "get,list,watch core bindings,events,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status",
      "get,list,watch core namespaces",
      "get,list,watch discovery.k8s.io endpointslices",
      "get,list,watch apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status",
      "get,list,watch autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status",
      "get,list,watch batch cronjobs,cronjobs/status,jobs,jobs/status",
      "get,list,watch extensions daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale",
      "get,list,watch policy poddisruptionbudgets,poddisruptionbudgets/status",
      "get,list,watch networking.k8s.io ingresses,ingresses/status,networkpolicies",
      "get,list,watch resource.k8s.io resourceclaims,resourceclaims/status,resourceclaimtemplates",
    ],
  },
  {
    name: "system:auth-delegator",
    rules: ["create authentication.k8s.io tokenreviews", "create authorization.k8s.io subjectaccessreviews"],
  },
  {
    name: "system:basic-user",
    rules: [
      "create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews",
      "create authentication.k8s.io selfsubjectreviews",
    ],
  },
  {
    name: "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
    rules: ["create certificates.k8s.io certificatesigningrequests/nodeclient"],
  },
  {
    name: "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
    rules: ["create certificates.k8s.io certificatesigningrequests/selfnodeclient"],
  },
  {
    name: "system:certificates.k8s.io:kube-apiserver-client-approver",
    rules: ["approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client"],
  },
  {
    name: "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver",
    rules: ["approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet"],
  },
  {
    name: "system:certificates.k8s.io:kubelet-serving-approver",
    rules: ["approve certificates.k8s.io signers kubernetes.io/kubelet-serving"],
  },
  {
    name: "system:certificates.k8s.io:legacy-unknown-approver",
    rules: ["approve certificates.k8s.io signers kubernetes.io/legacy-unknown"],
  },
  {
    name: "system:discovery",
    rules: ["get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/"],
  },
  {
    name: "system:heapster",
    rules: ["get,list,watch core events,namespaces,nodes,pods", "get,list,watch extensions deployments"],
  },
  {
    name: "system:kube-aggregator",
    rules: ["get,list,watch core endpoints,services"],
  },
  {
    name: "system:kube-controller-manager",
    rules: [
      "create,patch,update core,events.k8s.io events",
      "create coordination.k8s.io leases",
      "get,update coordination.k8s.io leases kube-controller-manager",
      "create core secrets,serviceaccounts",
      "delete core secrets",
      "get core configmaps,namespaces,secrets,serviceaccounts",
      "update core secrets,serviceaccounts",
      "create authentication.k8s.io tokenreviews",
      "create authorization.k8s.io subjectaccessreviews",
      "list,watch * *",
      "create core serviceaccounts/token",
    ],
  },
  {
    name: "system:kube-dns",
    rules: ["list,watch core endpoints,services"],
  },
  {
    name: "system:kube-scheduler",
    rules: [
      "create,patch,update core,events.k8s.io events",
      "create coordination.k8s.io leases",
      "get,list,update,watch coordination.k8s.io leases kube-scheduler",
      "create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leasecandidates",
      "get,list,watch core nodes",
      "delete,get,list,watch core pods",
      "create core bindings,pods/binding",
      "patch,update core pods/status",
      "get,list,watch core replicationcontrollers,services",
      "get,list,watch apps,extensions replicasets",
      "get,list,watch apps statefulsets",
      "get,list,watch policy poddisruptionbudgets",
      "get,list,watch core persistentvolumeclaims,persistentvolumes",
      "create authentication.k8s.io tokenreviews",
      "create authorization.k8s.io subjectaccessreviews",
      "get,list,watch storage.k8s.io csinodes",
      "get,list,watch storage.k8s.io volumeattachments",
      "get,list,watch core namespaces",
      "get,list,watch storage.k8s.io csidrivers",
      "get,list,watch storage.k8s.io csistoragecapacities",
      "get,list,watch resource.k8s.io deviceclasses",
      "get,list,patch,update,watch resource.k8s.io resourceclaims",
      "get,list,patch,update,watch resource.k8s.io resourceclaims/status",
      "update core pods/finalizers",
      "get,list,watch resource.k8s.io resourceslices",
    ],
  },
  {
    name: "system:kubelet-api-admin",
    rules: [
      "get,list,watch core nodes",
      "proxy core nodes",
      "* core nodes/log,nodes/metrics,nodes/proxy,nodes/stats",
      "* core nodes/configz,nodes/healthz,nodes/pods",
    ],
  },
  {
    name: "system:monitoring",
    rules: [
      "get /healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*",
      "get core nodes/metrics",
    ],
  },
  {
    name: "system:node",
    rules: [
      "create authentication.k8s.io tokenreviews",
      "create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews",
      "get,list,watch core services",
      "create,get,list,watch core nodes",
      "patch,update core nodes/status",
      "patch,update core nodes",
      "create,patch,update core events",
      "get,list,watch core pods",
      "create,delete core pods",
      "patch,update core pods/status",
      "create core pods/eviction",
      "get,list,watch core configmaps,secrets",
      "get core persistentvolumeclaims,persistentvolumes",
      "get core endpoints",
      "create,get,list,watch certificates.k8s.io certificatesigningrequests",
      "create,delete,get,patch,update coordination.k8s.io leases",
      "get storage.k8s.io volumeattachments",
      "create core serviceaccounts/token",
      "get,patch,update core persistentvolumeclaims/status",
      "get,list,watch storage.k8s.io csidrivers",
      "create,delete,get,patch,update storage.k8s.io csinodes",
      "get,list,watch node.k8s.io runtimeclasses",
      "get resource.k8s.io resourceclaims",
      "deletecollection resource.k8s.io resourceslices",
      "get core serviceaccounts",
    ],
  },
  {
    name: "system:node-bootstrapper",
    rules: ["create,get,list,watch certificates.k8s.io certificatesigningrequests"],
  },
  {
    name: "system:node-problem-detector",
    rules: ["get core nodes", "patch core nodes/status", "create,patch,update core,events.k8s.io events"],
  },
  {
    name: "system:node-proxier",
    rules: [
      "list,watch core endpoints,services",
      "get,list,watch core nodes",
      "create,patch,update core,events.k8s.io events",
      "list,watch networking.k8s.io servicecidrs",
      "list,watch discovery.k8s.io endpointslices",
    ],
  },
  {
    name: "system:persistent-volume-provisioner",
    rules: [
      "create,delete,get,list,watch core persistentvolumes",
      "get,list,update,watch core persistentvolumeclaims",
      "get,list,watch storage.k8s.io storageclasses",
      "watch core events",
      "create,patch,update core,events.k8s.io events",
    ],
  },
  {
    name: "system:public-info-viewer",
    rules: ["get /healthz,/livez,/readyz,/version,/version/"],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [
      "get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/",
    ],
  },
  {
    name: "system:volume-scheduler",
    rules: [
      "get,list,patch,update,watch core persistentvolumes",
      "get,list,watch storage.k8s.io storageclasses",
      "get,list,patch,update,watch core persistentvolumeclaims",
    ],
  },
  {
    name: "view",
    labels: { "rbac.authorization.k8s.io/aggregate-to-edit": "true" },
    aggregates: [{ "rbac.authorization.k8s.io/aggregate-to-view": "true" }],
    rules: [],
  },
];
