import type { JsonObject } from "../../src/core/json.ts";

const labels = { app: "a" };
const container = {
  name: "main",
  image: "registry.example.com/a:1",
  command: ["a"],
  env: [
    { name: "A", value: "b" },
    { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: true } } },
    { name: "C", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  ],
  envFrom: [{ prefix: "P_", configMapRef: { name: "c" } }],
  ports: [{ name: "http", containerPort: 80, protocol: "TCP" }],
  resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: 1 } },
  volumeMounts: [{ name: "v", mountPath: "/v", subPath: "a", readOnly: true }],
  livenessProbe: { httpGet: { path: "/", port: "http", scheme: "HTTP" }, periodSeconds: 10 },
  readinessProbe: { exec: { command: ["a"] }, timeoutSeconds: 1 },
  lifecycle: { preStop: { sleep: { seconds: 1 } } },
  securityContext: { runAsUser: 1000, capabilities: { drop: ["ALL"] }, allowPrivilegeEscalation: false },
  imagePullPolicy: "Always",
};
const podSpec = {
  containers: [container],
  initContainers: [{ name: "first", image: "a", restartPolicy: "Always" }],
  volumes: [
    { name: "v", emptyDir: { sizeLimit: "1Gi" } },
    { name: "w", configMap: { name: "c", items: [{ key: "a", path: "b" }], defaultMode: 420 } },
    { name: "x", projected: { sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 3600 } }] } },
  ],
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  nodeSelector: { disk: "ssd" },
  serviceAccountName: "default",
  tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }],
      },
    },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: labels } },
  ],
  hostAliases: [{ ip: "10.0.0.1", hostnames: ["a.b"] }],
  securityContext: { fsGroup: 1, sysctls: [{ name: "net.core.somaxconn", value: "1" }] },
};
const restarted = { ...podSpec, initContainers: [], restartPolicy: "Always" };
const template = { metadata: { labels }, spec: restarted };
const metadata = { name: "fuzz-a", labels: { "example.com/a": "b" }, annotations: { "example.com/b": "c d" } };

function object(apiVersion: string, kind: string, content: JsonObject): JsonObject {
  return { apiVersion, kind, metadata, ...content };
}

/** One object of each of the common kinds that an API server accepts, by the path that it is created at. */
export const objectExamples: Readonly<Record<string, JsonObject>> = {
  "/api/v1/namespaces/default/configmaps": object("v1", "ConfigMap", {
    data: { a: "b" },
    binaryData: { c: "ZA==" },
    immutable: true,
  }),
  "/api/v1/namespaces/default/secrets": object("v1", "Secret", {
    type: "Opaque",
    data: { a: "ZA==" },
    stringData: { b: "c" },
  }),
  "/api/v1/namespaces": object("v1", "Namespace", { spec: { finalizers: ["kubernetes"] } }),
  "/api/v1/namespaces/default/serviceaccounts": object("v1", "ServiceAccount", {
    secrets: [{ name: "a" }],
    imagePullSecrets: [{ name: "b" }],
    automountServiceAccountToken: false,
  }),
  "/api/v1/namespaces/default/pods": object("v1", "Pod", { spec: podSpec }),
  "/api/v1/namespaces/default/services": object("v1", "Service", {
    spec: {
      type: "ClusterIP",
      selector: labels,
      ports: [{ name: "http", port: 80, targetPort: "http", protocol: "TCP" }],
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
    },
  }),
  "/api/v1/namespaces/default/replicationcontrollers": object("v1", "ReplicationController", {
    spec: { replicas: 1, selector: labels, template },
  }),
  "/apis/apps/v1/namespaces/default/deployments": object("apps/v1", "Deployment", {
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } },
      template,
    },
  }),
  "/apis/apps/v1/namespaces/default/replicasets": object("apps/v1", "ReplicaSet", {
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  }),
  "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles": object("rbac.authorization.k8s.io/v1", "Role", {
    rules: [{ apiGroups: [""], resources: ["pods"], resourceNames: ["a"], verbs: ["get"] }],
  }),
  "/apis/rbac.authorization.k8s.io/v1/clusterroles": object("rbac.authorization.k8s.io/v1", "ClusterRole", {
    rules: [{ nonResourceURLs: ["/healthz/*"], verbs: ["get"] }],
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
  }),
  "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings": object(
    "rbac.authorization.k8s.io/v1",
    "RoleBinding",
    {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [
        { kind: "ServiceAccount", name: "a", namespace: "default" },
        { kind: "Group", name: "b", apiGroup: "rbac.authorization.k8s.io" },
      ],
    },
  ),
  "/apis/coordination.k8s.io/v1/namespaces/default/leases": object("coordination.k8s.io/v1", "Lease", {
    spec: {
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      renewTime: "2026-01-01T00:00:00.000000Z",
      leaseTransitions: 1,
    },
  }),
  "/api/v1/namespaces/default/events": object("v1", "Event", {
    metadata: { ...metadata, namespace: "default" },
    involvedObject: { kind: "Pod", name: "a", namespace: "default" },
    reason: "a",
    message: "b",
    type: "Normal",
    count: 1,
    firstTimestamp: "2026-01-01T00:00:00Z",
    source: { component: "a" },
  }),
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions": {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.fuzz.example.org" },
    spec: {
      group: "fuzz.example.org",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList", shortNames: ["th"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
          },
          additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a", priority: 1 }],
          selectableFields: [{ jsonPath: ".spec.a" }],
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  required: ["a"],
                  properties: {
                    a: { type: "string", maxLength: 10, pattern: "^[a-z]+$", default: "b" },
                    replicas: { type: "integer", format: "int32", minimum: 0 },
                    list: { type: "array", maxItems: 5, items: { type: "string" }, "x-kubernetes-list-type": "set" },
                  },
                  "x-kubernetes-validations": [{ rule: "self.a != 'x'", message: "m" }],
                },
                status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              },
            },
          },
        },
      ],
    },
  },
  "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies": object(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicy",
    {
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        },
        matchConditions: [{ name: "a", expression: "true" }],
        variables: [{ name: "v", expression: "object.metadata.name" }],
        validations: [{ expression: "variables.v != 'x'", message: "m", reason: "Invalid" }],
      },
    },
  ),
  "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations": object(
    "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration",
    {
      webhooks: [
        {
          name: "a.example.org",
          clientConfig: { url: "https://127.0.0.1:1/a" },
          rules: [{ apiGroups: ["a"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] }],
          matchConditions: [{ name: "a", expression: "true" }],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    },
  ),
  "/apis/authorization.k8s.io/v1/subjectaccessreviews": {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user: "a", groups: ["b"], resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } },
  },
  "/apis/authentication.k8s.io/v1/tokenreviews": {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    spec: { token: "a.b.c", audiences: ["x"] },
  },
  "/api/v1/namespaces/default/serviceaccounts/default/token": {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences: ["a"], expirationSeconds: 3600 },
  },
};
