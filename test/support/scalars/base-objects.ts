import type { JsonObject } from "../../../src/core/json.ts";
import { fixedRequestPem } from "../certificate-request.ts";

/** A kind whose fields are tried, and a small valid object of it. */
export interface BaseObject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly isClusterScoped?: boolean;
  readonly content: JsonObject;
}

const labels = { app: "a" };
const container = { name: "a", image: "a" };
const podSpec = { containers: [container] };
const template = { metadata: { labels }, spec: podSpec };
const workload = { selector: { matchLabels: labels }, template };
const jobSpec = { suspend: true, template: { ...template, spec: { ...podSpec, restartPolicy: "Never" } } };
const rbac = "rbac.authorization.k8s.io";
const admission = "admissionregistration.k8s.io";
/** Selects no request: it has no rules. */
const webhook = {
  name: "a.example.org",
  clientConfig: { url: "https://127.0.0.1:1/a" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const time = "2026-01-02T03:04:05.000000Z";

/** Every kind that the embedded hub stores. `NAME` is the name of the object, `NS` its namespace. */
export const baseObjects: readonly BaseObject[] = [
  core("ConfigMap", "configmaps", { data: { a: "b" } }),
  core("Secret", "secrets", { data: { a: "Yg==" } }),
  core("ServiceAccount", "serviceaccounts", {}),
  core("Service", "services", { spec: { ports: [{ port: 80 }], clusterIP: "None" } }),
  core("Endpoints", "endpoints", { subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 80 }] }] }),
  core("Event", "events", { involvedObject: { kind: "ConfigMap", namespace: "NS", name: "a" }, reason: "A" }),
  core("LimitRange", "limitranges", {
    spec: { limits: [{ type: "Container", max: { cpu: "2" }, default: { memory: "1Gi" } }] },
  }),
  core("ResourceQuota", "resourcequotas", {
    spec: { hard: { "count/things.example.org": "100", pods: "1k" }, scopes: ["PriorityClass"] },
  }),
  core("PodTemplate", "podtemplates", { template }),
  core("ReplicationController", "replicationcontrollers", { spec: { selector: labels, template } }),
  core("Pod", "pods", { spec: podSpec }),
  { ...core("Node", "nodes", {}), isClusterScoped: true },
  { ...core("Namespace", "namespaces", {}), isClusterScoped: true },
  named("apps", "ControllerRevision", "controllerrevisions", { data: { a: "b" }, revision: 1 }),
  { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", content: { spec: workload } },
  { group: "apps", version: "v1", kind: "ReplicaSet", plural: "replicasets", content: { spec: workload } },
  // Of another controller: a real one leaves it as it is.
  named("batch", "Job", "jobs", { spec: { ...jobSpec, managedBy: "example.org/none" } }),
  named("batch", "CronJob", "cronjobs", {
    spec: { schedule: "0 0 1 1 *", suspend: true, jobTemplate: { spec: jobSpec } },
  }),
  {
    ...named("autoscaling", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "no-such" }, maxReplicas: 3 },
    }),
    version: "v2",
  },
  named("autoscaling", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "no-such" },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 50,
    },
  }),
  named("coordination.k8s.io", "Lease", "leases", { spec: { holderIdentity: "a" } }),
  named(rbac, "Role", "roles", { rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }] }),
  named(rbac, "RoleBinding", "rolebindings", {
    roleRef: { apiGroup: rbac, kind: "Role", name: "a" },
    subjects: [{ kind: "User", name: "a", apiGroup: rbac }],
  }),
  {
    ...named(rbac, "ClusterRole", "clusterroles", {
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }],
    }),
    isClusterScoped: true,
  },
  named("networking.k8s.io", "NetworkPolicy", "networkpolicies", { spec: { podSelector: { matchLabels: labels } } }),
  named("networking.k8s.io", "Ingress", "ingresses", {
    spec: { defaultBackend: { service: { name: "a", port: { number: 80 } } } },
  }),
  {
    ...named("networking.k8s.io", "IngressClass", "ingressclasses", { spec: { controller: "example.org/a" } }),
    isClusterScoped: true,
  },
  {
    ...named("node.k8s.io", "RuntimeClass", "runtimeclasses", {
      handler: "a",
      scheduling: { nodeSelector: labels, tolerations: [{ key: "a", operator: "Exists" }] },
    }),
    isClusterScoped: true,
  },
  {
    ...named("storage.k8s.io", "CSINode", "csinodes", {
      spec: { drivers: [{ name: "a.example.org", nodeID: "a", topologyKeys: ["example.org/a"] }] },
    }),
    isClusterScoped: true,
  },
  { ...named("storage.k8s.io", "CSIDriver", "csidrivers", { spec: {} }), isClusterScoped: true },
  {
    ...named("storage.k8s.io", "StorageClass", "storageclasses", { provisioner: "a.example.org" }),
    isClusterScoped: true,
  },
  named("storage.k8s.io", "CSIStorageCapacity", "csistoragecapacities", { storageClassName: "a", capacity: "1Gi" }),
  {
    ...named("storage.k8s.io", "VolumeAttachment", "volumeattachments", {
      spec: { attacher: "a.example.org", nodeName: "a", source: { persistentVolumeName: "a" } },
    }),
    isClusterScoped: true,
  },
  {
    ...named("certificates.k8s.io", "CertificateSigningRequest", "certificatesigningrequests", {
      spec: {
        request: Buffer.from(fixedRequestPem).toString("base64"),
        signerName: "example.org/a",
        usages: ["client auth"],
        expirationSeconds: 3600,
      },
    }),
    isClusterScoped: true,
  },
  named("policy", "PodDisruptionBudget", "poddisruptionbudgets", {
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  }),
  named("discovery.k8s.io", "EndpointSlice", "endpointslices", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.2.3"] }],
    ports: [{ port: 80 }],
  }),
  named("events.k8s.io", "Event", "events", {
    eventTime: time,
    reportingController: "example.org/a",
    reportingInstance: "a",
    action: "A",
    reason: "A",
    type: "Normal",
    regarding: { kind: "ConfigMap", namespace: "NS", name: "a" },
  }),
  { ...named("scheduling.k8s.io", "PriorityClass", "priorityclasses", { value: 10 }), isClusterScoped: true },
  {
    ...named(admission, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", {
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ["none.example.org"], apiVersions: ["v1"], operations: ["*"], resources: ["things"] },
          ],
        },
        validations: [{ expression: "true" }],
      },
    }),
    isClusterScoped: true,
  },
  {
    ...named(admission, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", {
      spec: { policyName: "no-such-policy", validationActions: ["Deny"] },
    }),
    isClusterScoped: true,
  },
  {
    ...named(admission, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", { webhooks: [webhook] }),
    isClusterScoped: true,
  },
  {
    ...named(admission, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", { webhooks: [webhook] }),
    isClusterScoped: true,
  },
  {
    ...named("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", {
      spec: {
        group: "GROUP",
        scope: "Namespaced",
        names: { plural: "PLURAL", kind: "Thing" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    }),
    isClusterScoped: true,
  },
  {
    ...named("apiregistration.k8s.io", "APIService", "apiservices", {
      spec: { group: "PLURAL.GROUP", version: "v1", groupPriorityMinimum: 100, versionPriority: 10 },
    }),
    isClusterScoped: true,
  },
];

function core(kind: string, plural: string, content: JsonObject): BaseObject {
  return { group: "", version: "v1", kind, plural, content };
}

function named(group: string, kind: string, plural: string, content: JsonObject): BaseObject {
  return { group, version: "v1", kind, plural, content };
}
